// compare.mjs - a fresh run of a snippet, here and elsewhere, side by side
//
//   node bench/peers/compare.mjs BUILD [ROUNDS]
//
// All peers take turns in shuffled rounds, so all see the same machine load; medians are compared within one run.
// Packages are installed into BUILD/peers. A peer is a fresh environment for every snippet:
//   worker, process, jail   one call of the C library in a long-lived program, timed there (in_c.c)
//   … batch                 one request to a long-lived `cloche batch`, answer awaited: pipes and Node's own time included
//   bun run                 the snippet in a file, a new Bun process each time
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { createInterface } from "node:readline";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const build = resolve(process.argv[2] ?? "build");
const rounds = Number(process.argv[3] ?? 40);
const snippet = "const order = { total: 120, country: 'DE' };\nconst free = order.total > 100 && order.country === 'DE';\n";

function install() {
  const folder = join(build, "peers");
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"]) copyFileSync(join(here, name), join(folder, name));
  const bun = join(folder, "node_modules/@oven/bun-linux-x64/bin/bun");
  if (!existsSync(bun)) execFileSync("npm", ["ci", "--silent", "--no-progress"], { cwd: folder, stdio: "inherit" });
  return bun;
}

// A program that answers a line with a line.
function answering(program, args) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(line) {
      child.stdin.write(line + "\n");
      const { value } = await lines.next();
      return value;
    },
    end: () => child.stdin.end(),
  };
}

function compileInC() {
  const program = join(build, "peers", "in_c");
  execFileSync("cc", ["-O2", "-Wall", "-Wextra", "-Werror", `-I${join(here, "../../include")}`, join(here, "in_c.c"),
                      join(build, "libcloche.a"), "-pthread", "-lm", "-o", program], { stdio: "inherit" });
  return program;
}

function inC(name) {
  const { ask, end } = answering(inCProgram, [name, snippet + "return free;"]);
  return {
    async run() {
      const took = Number(await ask(""));
      if (!(took > 0)) throw new Error(`${name}: no answer`);
      return took;
    },
    end,
  };
}

function batch(...options) {
  const { ask, end } = answering(join(build, "cloche"), ["batch", "--concurrency", "1", ...options]);
  const request = JSON.stringify({ code: snippet + "return free;" });
  return {
    async run() {
      const answer = await ask(request);
      if (JSON.parse(answer).value !== true) throw new Error(`wrong answer: ${answer}`);
    },
    end,
  };
}

const bun = install();
const inCProgram = compileInC();
const file = join(build, "peers", "snippet.ts");
writeFileSync(file, snippet + "console.log(free);\n");
const peers = {
  worker: inC("worker"),
  process: inC("process"),
  jail: inC("jail"),
  "worker batch": batch(),
  "process batch": batch("--backend", "process"),
  "jail batch": batch("--backend", "process", "--freshness", "jail"),
  "bun run": {
    async run() {
      const { stdout } = spawnSync(bun, ["run", file], { encoding: "utf8" });
      if (stdout.trim() !== "true") throw new Error(`wrong answer: ${stdout}`);
    },
    end() {},
  },
};

const times = Object.fromEntries(Object.keys(peers).map((name) => [name, []]));
for (let round = -3; round < rounds; round++)
  for (const name of Object.keys(peers).sort(() => Math.random() - 0.5)) {
    const start = performance.now();
    const took = (await peers[name].run()) ?? performance.now() - start;
    if (round >= 0) times[name].push(took);
  }
for (const peer of Object.values(peers)) peer.end();

const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
console.log(`${cpus()[0].model}, ${cpus().length} cores, Linux ${release()}, ${rounds} rounds`);
const base = at(times["bun run"], 0.5);
for (const [name, list] of Object.entries(times))
  console.log(`${name.padEnd(13)} p50 ${at(list, 0.5).toFixed(3).padStart(9)} ms  p90 ${at(list, 0.9).toFixed(3).padStart(9)} ms` +
              `  ${(base / at(list, 0.5)).toFixed(1).padStart(7)} x as fast as bun run`);
