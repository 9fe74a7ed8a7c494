// cloche.mjs - the program under test: runs by `cloche batch`, parses by `cloche check`
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

// One long-lived child: a translation that leaves something behind shows in the one after it. Deterministic: a source
// may ask for random numbers and has to get the same ones in both translations.
export function startBatch(program) {
  const child = spawn(program, ["batch", "--concurrency", "1", "--deterministic"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = [];
  let ended = false;
  createInterface({ input: child.stdout }).on("line", (line) => waiting.shift().take(JSON.parse(line)));
  const end = (why) => {
    ended = true;
    for (const { fail } of waiting.splice(0)) fail(new Error(`cloche batch ended early: ${why}`));
  };
  child.on("error", end);
  child.on("exit", (status, signal) => end(signal ?? status));
  child.stdin.on("error", end);
  return {
    run: (id, code, language, options = {}) =>
      new Promise((take, fail) => {
        if (ended) return fail(new Error("cloche batch has ended"));
        waiting.push({ take, fail });
        child.stdin.write(JSON.stringify({ id, code, language, context: { a: 1, list: [1, 2, 3] }, options }) + "\n");
      }).then((answer) => {
        if (answer.id !== id) throw new Error(`${id} was answered as ${answer.id}`);
        return answer;
      }),
    close: () => child.stdin.end(),
  };
}

// What counts as the same: everything but times, memory and the name of the file in stacks.
export function outcomeOf(answer) {
  const { ok, errorCode = null, errorDetail } = answer;
  const value = Object.hasOwn(answer, "value") ? { value: answer.value } : {};
  return ok ? { ok, ...value } : { ok, errorCode, name: errorDetail?.name, message: errorDetail?.message };
}

export const framesOf = (answer) =>
  [...(answer.errorDetail?.stack ?? "").matchAll(/main\.\w+:(\d+):(\d+)/g)].map((m) => `${m[1]}:${m[2]}`);

// Sources to verdicts, by one process. A source's ending says what it is: .ts.
export function check(program, sources) {
  const folder = mkdtempSync(join(tmpdir(), "cloche-typescript-"));
  const names = sources.map((_, i) => join(folder, `${i}.ts`));
  sources.forEach((text, i) => writeFileSync(names[i], text));
  return new Promise((take, fail) => {
    const child = spawn(program, ["check", "--json", ...names], { stdio: ["ignore", "pipe", "pipe"] });
    const verdicts = [];
    let noise = "";
    createInterface({ input: child.stdout }).on("line", (line) => verdicts.push(JSON.parse(line)));
    child.stderr.on("data", (data) => (noise += data));
    child.on("error", fail);
    child.on("close", (status, signal) => {
      rmSync(folder, { recursive: true });
      const inOrder = verdicts.length === names.length && verdicts.every((v, i) => v.file === names[i]);
      if (signal || status > 1 || !inOrder)
        fail(new Error(`cloche check: ${signal ?? status}, ${verdicts.length} of ${names.length} answers. ${noise}`));
      else take(verdicts);
    });
  });
}
