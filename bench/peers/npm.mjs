// npm.mjs - the npm package beside other ways to run a snippet in a fresh environment, in Node and in Bun
//
//   node bench/peers/npm.mjs BUILD [ROUNDS]      after a build with CLOCHE_ADDON and `node bindings/node/build.mjs`
//
// Packages are installed into BUILD/peers. Within a runtime all take turns in one process (npm_host.mjs).
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { cpus, release } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const build = resolve(process.argv[2] ?? "build");
const rounds = process.argv[3] ?? "30";
const folder = join(here, "../../bindings/node");
const peers = join(build, "peers");

mkdirSync(peers, { recursive: true });
for (const name of ["package.json", "package-lock.json", ".npmrc"]) copyFileSync(join(here, name), join(peers, name));
execFileSync("npm", ["ci", "--silent", "--no-progress"], { cwd: peers, stdio: "inherit" });
const ping = join(peers, "ping.node");
execFileSync("cc", ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", `-I${join(folder, "node_modules/node-api-headers/include")}`,
                    join(here, "ping.c"), "-pthread", "-o", ping], { stdio: "inherit" });

const runtimes = [process.execPath, join(peers, "node_modules/@oven/bun-linux-x64/bin/bun")];
const lines = runtimes.flatMap((runtime) =>
  execFileSync(runtime, [join(here, "npm_host.mjs"), folder, peers, ping, rounds], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
    .trim().split("\n").map((line) => JSON.parse(line)));

console.log(`${cpus()[0].model}, ${cpus().length} cores, Linux ${release()}, Node ${process.version}; us\n`);
for (const runtime of ["Node", "Bun"]) {
  for (const what of ["1+1", "rule"]) {
    const list = lines.filter((line) => line.runtime === runtime && line.what === what).sort((a, b) => a.p50 - b.p50);
    const sync = list.find(({ name }) => name === "cloche runSync").p50;
    console.log(`${runtime}, ${what}`);
    for (const { name, p50, p99, n } of list)
      console.log(`  ${name.padEnd(36)}${p50.toFixed(1).padStart(10)}  p99 ${p99.toFixed(0).padStart(7)}  n ${String(n).padStart(6)}  ${(p50 / sync).toFixed(1)} x runSync`);
  }
  console.log(`${runtime}, throughput: ${Math.round(lines.find((line) => line.runtime === runtime && line.what === "throughput").perSecond)} runs/s\n`);
}
