// compare.mjs - a fresh run of a snippet, here and elsewhere, side by side
//
//   node bench/peers/compare.mjs BUILD [ROUNDS]
//
// All peers take turns in shuffled rounds, so all see the same machine load; medians are compared within one run.
// Packages are installed into BUILD/peers. A peer is a fresh environment for every snippet:
//   worker, process, jail   one request to a long-lived `cloche batch`, answer awaited
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

function batch(...options) {
  const child = spawn(join(build, "cloche"), ["batch", "--concurrency", "1", ...options], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const request = JSON.stringify({ code: snippet + "return free;" }) + "\n";
  return {
    async run() {
      child.stdin.write(request);
      const { value } = await lines.next();
      if (JSON.parse(value).value !== true) throw new Error(`wrong answer: ${value}`);
    },
    end: () => child.stdin.end(),
  };
}

const bun = install();
const file = join(build, "peers", "snippet.ts");
writeFileSync(file, snippet + "console.log(free);\n");
const peers = {
  worker: batch(),
  process: batch("--backend", "process"),
  jail: batch("--backend", "process", "--freshness", "jail"),
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
    await peers[name].run();
    if (round >= 0) times[name].push(performance.now() - start);
  }
for (const peer of Object.values(peers)) peer.end();

const at = (list, share) => [...list].sort((a, b) => a - b)[Math.min(list.length - 1, Math.floor(list.length * share))];
console.log(`${cpus()[0].model}, ${cpus().length} cores, Linux ${release()}, ${rounds} rounds`);
const base = at(times["bun run"], 0.5);
for (const [name, list] of Object.entries(times))
  console.log(`${name.padEnd(10)} p50 ${at(list, 0.5).toFixed(3).padStart(9)} ms  p90 ${at(list, 0.9).toFixed(3).padStart(9)} ms` +
              `  ${(base / at(list, 0.5)).toFixed(1).padStart(7)} x as fast as bun run`);
