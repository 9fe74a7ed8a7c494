// compare.mjs - TypeScript to JavaScript, here and elsewhere, side by side
//
//   node bench/typescript/compare.mjs BUILD [ROUNDS]
//
// All take turns in shuffled rounds, so all see the same machine load: per round, file and mode each translates for
// 60 ms, whose median is kept; the table has the medians of these. Packages are installed into BUILD/typescript_peers.
//   cloche       translate.c: the compiler in the library, memory reset after each translation
//   swc          the same module in Node, nothing reset
//   sucrase, esbuild, typescript      see peer.mjs
import { execFileSync, spawn } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { cpus, release } from "node:os";
import { createInterface } from "node:readline";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const build = resolve(process.argv[2] ?? "build");
const rounds = Number(process.argv[3] ?? 15);
const sliceMs = 60;
const folder = join(build, "typescript_peers");
const files = readdirSync(join(here, "files"))
  .map((name) => ({ name, path: join(here, "files", name) }))
  .map((file) => ({ ...file, bytes: readFileSync(file.path).length }))
  .sort((a, b) => a.bytes - b.bytes);
const names = ["cloche", "swc", "sucrase", "esbuild", "typescript"];
const modes = ["erasure (types gone, no map; of files that allow it)", "transformation (printed, with a source map)"];

function install() {
  mkdirSync(folder, { recursive: true });
  for (const name of ["package.json", "package-lock.json", ".npmrc"])
    copyFileSync(join(here, name), join(folder, name));
  if (!existsSync(join(folder, "node_modules/typescript")))
    execFileSync("npm", ["ci", "--silent", "--no-progress"], { cwd: folder, stdio: "inherit" });
}

function compileTranslate() {
  const root = join(here, "../..");
  const program = join(folder, "translate");
  const includes = [join(root, "include"), join(root, "src"), join(build, "engine"), join(build, "typescript")];
  execFileSync("cc", ["-O2", "-Wall", "-Wextra", "-Werror", "-D_GNU_SOURCE", "-ftls-model=initial-exec",
                      ...includes.map((path) => `-I${path}`), join(here, "translate.c"), join(build, "libcloche.a"),
                      "-pthread", "-lm", "-o", program], { stdio: "inherit" });
  return program;
}

// A program that answers a line with a line of JSON.
function answering(program, args) {
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(line) {
      child.stdin.write(line + "\n");
      const { value, done } = await lines.next();
      if (done) throw new Error(`${program} ${args[1]}: no answer`);
      return JSON.parse(value);
    },
    end: () => child.stdin.end(),
  };
}

const shuffled = (list) => [...list].sort(() => Math.random() - 0.5);
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const versionOf = (name) =>
  JSON.parse(readFileSync(join(folder, "node_modules", name, "package.json"), "utf8")).version;

install();
const paths = files.map((file) => file.path);
const peers = Object.fromEntries(names.map((name) => [name, name === "cloche"
  ? answering(compileTranslate(), ["--ask", ...paths])
  : answering(process.execPath, [join(here, "peer.mjs"), folder, name, ...paths])]));

// Medians of slices, and how many translations there were: times[mode][file][name].
const times = modes.map(() => files.map(() => Object.fromEntries(names.map((name) => [name, { p50: [], n: 0 }]))));
for (let round = -1; round < rounds; round++)
  for (const [mode] of modes.entries())
    for (const [index] of files.entries())
      for (const name of shuffled(names)) {
        const { p50, n } = await peers[name].ask(`${index} ${mode} ${sliceMs}`);
        if (round < 0 || p50 === undefined) continue; // the round before the first warms up
        times[mode][index][name].p50.push(p50);
        times[mode][index][name].n += n;
      }
for (const peer of Object.values(peers)) peer.end();

console.log(`${cpus()[0].model}, ${cpus().length} cores, Linux ${release()}, Node ${process.version}, ` +
            `${rounds} rounds of ${sliceMs} ms`);
console.log(`swc ${versionOf("@swc/wasm-typescript")}, sucrase ${versionOf("sucrase")}, ` +
            `esbuild ${versionOf("esbuild")}, typescript ${versionOf("typescript")}; medians in us`);
const line = (file, bytes, cells, first) =>
  console.log([file.padEnd(14), String(bytes).padStart(6), ...cells.map((cell) => String(cell).padStart(12)), first]
    .join(""));
for (const [mode, title] of modes.entries()) {
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  console.log(`\n${title}`);
  line("file", "bytes", names, "   first");
  for (const [index, { name: file, bytes }] of files.entries()) {
    const row = times[mode][index];
    if (row.cloche.n === 0) continue; // an enum or a namespace cannot be erased
    const us = Object.fromEntries(names.map((name) => [name, median(row[name].p50)]));
    const [first, second] = [...names].sort((a, b) => us[a] - us[b]);
    for (const name of names) counts[name] += row[name].n;
    const lead = (us[second] / us[first]).toFixed(2);
    line(file, bytes, names.map((name) => us[name].toFixed(1)), `   ${first}, by ${lead}`);
  }
  line("n", "", Object.values(counts), "");
}
