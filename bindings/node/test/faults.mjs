// faults.mjs - every check of the addon fails once: node faults.mjs ADDON
//
// Each call is made with its first check failing, then its second, and so on until none is left to fail. It must throw or
// reject, or give its answer; and the next call must be right. Ends in "N passed, N failed".
import { createRequire } from "node:module";

const addon = createRequire(import.meta.url)(process.argv[2]);
const isCode = (error) => /^SANDBOX_/.test(error?.code ?? "");
let passed = 0;
let failed = 0;

function claim(holds, what) {
  if (holds) passed++;
  else {
    failed++;
    console.log(`not true: ${what}`);
  }
}

const within = (promise, ms) =>
  Promise.race([promise, new Promise((_, reject) => setTimeout(() => reject(new Error("no answer")), ms))]);

// name, call; the call makes what it needs itself, so that its checks are counted too.
const options = { isProcess: false, isJail: false, timeoutMs: 2000, requireIsolation: ["sfi"] };
const request = JSON.stringify({ code: "", language: "js", options: { timeoutMs: 500 } });
const box = addon.create(options);
const calls = {
  create: () => addon.create(options),
  stats: () => addon.stats(box),
  isolation: () => addon.isolation(box),
  runSync: () => addon.runSync(box, "console.log(1); return a", '{"a":1}', request),
  "runSync of an error": () => addon.runSync(box, "throw new Error('x', { cause: 1 })", undefined, undefined),
  submit: () => addon.submit(box, "return a", '{"a":1}', request, undefined, false)[0],
  "submit with output": () => addon.submit(box, "console.log(1); return 2", undefined, undefined, () => {}, true)[0],
  abort: async () => {
    const [promise, handle] = addon.submit(box, "for (;;);", undefined, request, undefined, true);
    try {
      addon.abort(handle);
    } catch (error) {
      await promise;
      throw error;
    }
    return promise;
  },
  dispose: async () => {
    const other = addon.create(options);
    try {
      await addon.dispose(other);
    } catch (error) {
      await addon.dispose(other).catch(() => {});
      throw error;
    }
  },
};

for (const [name, call] of Object.entries(calls)) {
  let count = 0;
  for (let n = 1; ; n++) {
    addon.failAt(n);
    let outcome;
    try {
      outcome = await within(Promise.resolve(call()), 2000);
    } catch (error) {
      outcome = error;
    }
    const hasFailed = addon.endFaults();
    if (!hasFailed) break;
    count++;
    claim(!(outcome instanceof Error) || isCode(outcome), `${name}, check ${n}: ${outcome?.message}`);
    claim(addon.runSync(box, "return 6 * 7", undefined, undefined).value === "42", `${name}, check ${n}: the next run is right`);
    const [promise] = addon.submit(box, "return 6 * 7", undefined, undefined, undefined, false);
    claim((await within(promise, 3000)).value === "42", `${name}, check ${n}: and so is the next submitted one`);
  }
  claim(count > 0, `${name} has checks that can fail`);
}
await addon.dispose(box);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
