// run.mjs - every case of tests/cases through one long-lived `cloche batch`
//
//   node run.mjs CLOCHE [--lang js|ts] [--repeat N] [batch options...]
//
// One sandbox answers all of them, so each case also shows that the one before left nothing behind. After every case a
// probe run must find a fresh environment. Ends in "N passed, N failed".
import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [program, ...rest] = process.argv.slice(2);
const take = (name, fallback) => {
  const at = rest.indexOf(name);
  return at < 0 ? fallback : rest.splice(at, 2)[1];
};
const lang = take("--lang", "js");
const repeat = Number(take("--repeat", "1"));

const folder = dirname(fileURLToPath(import.meta.url));
const cases = [];
for (const file of readdirSync(folder).filter((f) => f.endsWith(".jsonl")).sort())
  readFileSync(join(folder, file), "utf8").split("\n").forEach((line, i) => {
    if (line.trim() === "") return;
    const parsed = JSON.parse(line);
    // The request carries the context as the file has it: a rebuilt one would lose what the case is about.
    if (parsed.lang === lang) cases.push({ ...parsed, place: `${file}:${i + 1}` });
  });

const child = spawn(program, ["batch", "--concurrency", "1", ...rest], { stdio: ["pipe", "pipe", "inherit"] });
const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
async function call(request) {
  const start = performance.now();
  child.stdin.write(JSON.stringify(request) + "\n");
  const { value, done } = await lines.next();
  if (done) throw new Error("cloche batch ended early");
  return { result: JSON.parse(value), ms: performance.now() - start };
}

function same(a, b) {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((k) => Object.hasOwn(b, k) && same(a[k], b[k]));
}

function faults(expect, result, ms) {
  const out = [];
  const value = Object.hasOwn(result, "value") ? result.value : null;
  const code = result.errorCode ?? null;
  const error = typeof result.error === "string" ? result.error : "";
  const claim = (holds, what) => holds || out.push(what);
  claim(result.ok === (code === null), `ok ${result.ok} goes with errorCode ${code}`);
  if ("ok" in expect) claim(result.ok === expect.ok, `ok is ${result.ok}`);
  if ("value" in expect && (result.ok || !expect.errorCodeIn?.includes(null)))
    claim(same(value, expect.value), `value is ${JSON.stringify(value)}`);
  if ("valueContains" in expect)
    claim((typeof value === "string" ? value : JSON.stringify(value)).includes(expect.valueContains), `value is ${JSON.stringify(value)}`);
  if ("stdout" in expect) claim(result.stdout === expect.stdout, `stdout is ${JSON.stringify(result.stdout)}`);
  if ("stderrContains" in expect) claim(result.stderr.includes(expect.stderrContains), `stderr is ${JSON.stringify(result.stderr)}`);
  if ("errorCode" in expect) claim(code === expect.errorCode, `errorCode is ${code}`);
  if ("errorCodeIn" in expect) claim(expect.errorCodeIn.includes(code), `errorCode is ${code}`);
  if ("errorContains" in expect) claim(error.includes(expect.errorContains), `error is ${JSON.stringify(error)}`);
  if ("maxDurationMs" in expect) claim(ms <= expect.maxDurationMs, `took ${ms.toFixed(0)} ms`);
  return out;
}

const probe = {
  code: `return [Object.keys(globalThis).length, typeof leftover, [].leftover, ({}).polluted, JSON.stringify({a: [1]}),
    Promise.resolve() instanceof Promise, [3, 1, 2].sort().map(String).join("-")]`,
};
const clean = JSON.stringify([0, "undefined", null, null, '{"a":[1]}', true, "1-2-3"]);

let passed = 0;
let failed = 0;
for (let round = 0; round < repeat; round++)
  for (const one of cases) {
    const { result, ms } = await call({
      id: one.id, code: one.code, language: one.lang, context: one.context ?? {}, options: one.options ?? {},
    });
    const wrong = faults(one.expect, result, ms);
    if (result.id !== one.id) wrong.push(`answered as ${result.id}`);
    const after = (await call(probe)).result;
    if (JSON.stringify(after.value) !== clean) wrong.push(`the next run sees ${JSON.stringify(after.value ?? after.error)}`);
    if (wrong.length === 0) passed++;
    else {
      failed++;
      console.error(`FAILED ${one.id} (${one.place}): ${wrong.join("; ").slice(0, 2000)}`);
      if (result.error) console.error(`       ${result.error.slice(0, 300)}`);
    }
  }
child.stdin.end();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
