// npm_host.mjs - measures the peers that live in one runtime: RUNTIME npm_host.mjs PACKAGE PEERS PING ROUNDS
//
// A peer gives each run an environment of its own. All take turns in shuffled rounds; a line of JSON per peer.
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [, , folder, peersFolder, pingFile, roundsText] = process.argv;
const rounds = Number(roundsText);
const isBun = typeof Bun !== "undefined";
const require = createRequire(import.meta.url);
const peerRequire = createRequire(join(peersFolder, "package.json"));
const { createWorkerSandbox, createProcessSandbox } = await import(pathToFileURL(join(folder, "dist/esm/index.js")));
const { ping } = require(pingFile);

const rule = Array.from({ length: 20 }, (_, i) => `if (order.total > ${i * 10} && order.country !== "X${i}") points += ${i};`);
const sources = {
  "1+1": { code: "return 1+1", value: 2 },
  rule: { code: `const order = { total: 95, country: "DE" }; let points = 0;\n${rule.join("\n")}\nreturn points;`, value: 45 },
};

const worker = createWorkerSandbox();
const jailed = createProcessSandbox();
const jail = createProcessSandbox({ freshness: "jail" });

const threadFile = join(peersFolder, "thread.mjs");
writeFileSync(threadFile, isBun
  ? "self.onmessage = (event) => postMessage(Function(event.data)());"
  : 'import { parentPort, workerData } from "node:worker_threads"; parentPort.postMessage(Function(workerData)());');

function runThread(code) {
  if (!isBun) {
    const { Worker } = require("node:worker_threads");
    return new Promise((resolve, reject) => {
      const thread = new Worker(threadFile, { workerData: code, env: {} });
      thread.once("error", reject);
      thread.once("message", (value) => void thread.terminate().then(() => resolve(value)));
    });
  }
  return new Promise((resolve, reject) => {
    const thread = new Worker(pathToFileURL(threadFile).href);
    thread.onerror = reject;
    thread.onmessage = ({ data }) => {
      thread.terminate();
      resolve(data);
    };
    thread.postMessage(code);
  });
}

async function quickjsEmscripten() {
  const { getQuickJS } = peerRequire("quickjs-emscripten");
  const QuickJS = await getQuickJS();
  return (code) => {
    const runtime = QuickJS.newRuntime();
    runtime.setMemoryLimit(128 << 20);
    const context = runtime.newContext();
    const result = context.unwrapResult(context.evalCode(`JSON.stringify((() => {${code}})())`));
    const value = JSON.parse(context.getString(result));
    result.dispose();
    context.dispose();
    runtime.dispose();
    return value;
  };
}

function nodeVm() {
  const vm = require("node:vm");
  return (code) => JSON.parse(vm.runInNewContext(`JSON.stringify((() => {${code}})())`, {}, { timeout: 1000 }));
}

const peers = {
  "cloche runSync": { run: (code) => worker.runSync(code).value },
  "cloche run": { run: async (code) => (await worker.run(code)).value },
  "cloche run, process": { run: async (code) => (await jailed.run(code)).value },
  "cloche run, jail": { run: async (code) => (await jail.run(code)).value },
  "a call to a thread and back": { run: () => ping(0), isBare: true },
  "the same, with 16 us of work there": { run: () => ping(16), isBare: true },
  "quickjs-emscripten, fresh runtime": { run: await quickjsEmscripten() },
  [isBun ? "Bun Worker per run" : "worker_threads per run"]: { run: runThread, share: 8 },
};
if (!isBun) peers["node:vm, new context"] = { run: nodeVm() };

for (const [what, { code, value }] of Object.entries(sources)) {
  const times = new Map(Object.keys(peers).map((name) => [name, []]));
  for (let round = 0; round < rounds; round++)
    for (const [name, { run, isBare, share = 1 }] of Object.entries(peers).sort(() => Math.random() - 0.5))
      for (let i = 0; i < 32 / share; i++) {
        const start = process.hrtime.bigint();
        const got = run(code);
        const answer = got instanceof Promise ? await got : got;
        times.get(name).push(Number(process.hrtime.bigint() - start) / 1e3);
        if (!isBare && answer !== value) throw new Error(`${name}: ${JSON.stringify(answer)}`);
      }
  for (const [name, list] of times) {
    list.sort((a, b) => a - b);
    console.log(JSON.stringify({ runtime: isBun ? "Bun" : "Node", what, name, p50: list[list.length >> 1], p99: list[Math.floor(list.length * 0.99)], n: list.length }));
  }
}

const COUNT = 30000;
let left = COUNT;
const start = performance.now();
await Promise.all(Array.from({ length: 64 }, async () => {
  while (left-- > 0) await worker.run("return 1+1");
}));
console.log(JSON.stringify({ runtime: isBun ? "Bun" : "Node", what: "throughput", name: "cloche run, 64 at once", perSecond: COUNT / ((performance.now() - start) / 1000) }));
await Promise.all([worker.dispose(), jailed.dispose(), jail.dispose()]);
process.exit(0);
