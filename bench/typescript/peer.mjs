// peer.mjs - one TypeScript compiler in a Node of its own, asked as translate.c is
//
//   node peer.mjs PACKAGES NAME FILE...     a line of standard input, "INDEX MODE MS", is answered by a line of JSON
//
// MODE 0: types gone, no source map, as the peer does it best; 1: printed, with a source map. A mode that is not for
// the file is answered by {}.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";

const [packages, name, ...files] = process.argv.slice(2);
const need = createRequire(join(packages, "package.json"));
const sources = files.map((file) => readFileSync(file, "utf8"));
const warmUpMs = 1500; // of the optimizing compiler
const warmUpLeast = 100;

const peers = {
  // The module that Cloche has inside, with the options that Cloche gives.
  swc() {
    const { transformSync } = need("@swc/wasm-typescript");
    const options = (mode) => ({ mode, module: true, sourceMap: true, transform: { nativeClassProperties: true } });
    const [strip, transform] = [options("strip-only"), options("transform")];
    return [(text) => transformSync(text, strip).code, (text) => transformSync(text, transform).code];
  },
  // Keeps lines, so that mode 0 needs no map; handles enums and the like in both.
  sucrase() {
    const { transform } = need("sucrase");
    const plain = { transforms: ["typescript"], disableESTransforms: true };
    const mapped = { ...plain, filePath: "main.ts", sourceMapOptions: { compiledFilename: "main.js" } };
    return [(text) => transform(text, plain).code, (text) => transform(text, mapped).code];
  },
  // A process of its own, which transformSync asks by way of a worker thread: most of its time is on the way.
  esbuild() {
    const { transformSync } = need("esbuild");
    const options = { loader: "ts", target: "esnext" };
    return [(text) => transformSync(text, options).code,
            (text) => transformSync(text, { ...options, sourcemap: "external", sourcefile: "main.ts" }).code];
  },
  typescript() {
    const ts = need("typescript");
    const of = (sourceMap) => ({
      fileName: "main.ts",
      compilerOptions: { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, sourceMap },
    });
    return [of(false), of(true)].map((options) => (text) => ts.transpileModule(text, options).outputText);
  },
};

const modes = peers[name]();
const isWarm = new Set();

function time(run, text) {
  const start = performance.now();
  const code = run(text);
  const took = performance.now() - start;
  if (!code.includes("default")) throw new Error(`${name}: another text`);
  return took * 1000;
}

function measure(index, mode, ms) {
  const run = modes[mode];
  const text = sources[index];
  const times = [];
  if (!isWarm.has(`${index} ${mode}`)) {
    isWarm.add(`${index} ${mode}`);
    const warm = performance.now() + warmUpMs;
    for (let n = 0; n < warmUpLeast || performance.now() < warm; n++) time(run, text);
  }
  const until = performance.now() + ms;
  do times.push(time(run, text));
  while (performance.now() < until);
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)];
  return { p50: at(0.5), p99: at(0.99), n: times.length };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [index, mode, ms] = line.split(" ").map(Number);
  let answer;
  try {
    answer = measure(index, mode, ms);
  } catch (error) {
    answer = { error: String(error.message ?? error.code ?? error) };
  }
  process.stdout.write(JSON.stringify(answer.error === undefined ? answer : {}) + "\n");
}
process.exit(0); // with the services that peers keep
