// soak.mjs [KIND...] [--runs N] - many runs of each kind; heap, RSS and handles must be where they were
//
//   node --expose-gc soak.mjs            runSync and run() of a worker sandbox 200 000 times, of a process sandbox 20 000
//   node --expose-gc soak.mjs worker --runs 10000
//
// The first tenth is warm-up and not measured: caches and pools have their size after it.
import { readFileSync, readdirSync } from 'node:fs'

import { createProcessSandbox, createWorkerSandbox } from '@suaveplan/sandbox'

const bounds = { heapMb: 4, rssMb: 24, handles: 0, files: 0, threads: 0, children: 0 }
const rest = process.argv.slice(2)
const at = rest.indexOf('--runs')
const given = at < 0 ? undefined : Number(rest.splice(at, 2)[1])

const code = 'console.log(n); return { n: n + 1, list: [1, 2, 3].map(x => x * n) }'
function check(result, n) {
  if (result.value.n !== n + 1 || result.stdout !== `${n}\n`) throw new Error(`run ${n}: ${JSON.stringify(result)}`)
}

async function concurrent(sandbox, count) {
  let next = 0
  const controller = new AbortController() // one signal for all: its listeners must not pile up
  await Promise.all(Array.from({ length: 16 }, async (_, lane) => {
    while (next < count) {
      const n = next++
      check(await sandbox.run(code, { n }, lane < 8 ? { signal: controller.signal } : { onStdout() {} }), n)
    }
  }))
}

const kinds = {
  runSync: [200_000, createWorkerSandbox, async (sandbox, count) => {
    for (let n = 0; n < count; n++) {
      check(sandbox.runSync(code, { n }), n)
      if (n % 1000 === 0) await new Promise(setImmediate) // finalizers run in the loop
    }
  }],
  worker: [200_000, createWorkerSandbox, concurrent],
  process: [20_000, createProcessSandbox, concurrent],
  // Sandboxes themselves: half are disposed, half are left to the collector.
  create: [2000, () => undefined, async (_none, count) => {
    for (let n = 0; n < count; n++) {
      const sandbox = createWorkerSandbox()
      check(await sandbox.run(code, { n }), n)
      if (n % 2) await sandbox.dispose()
      else if (n % 50 === 0) await collect()
    }
  }],
}

async function collect() {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

async function measure() {
  await collect()
  await new Promise((resolve) => setTimeout(resolve, 200)) // what dispose and the pool let go of a little later
  await collect()
  const { heapUsed, rss } = process.memoryUsage()
  return {
    heapMb: heapUsed / 1048576, rssMb: rss / 1048576, handles: process.getActiveResourcesInfo?.().length ?? 0,
    files: readdirSync('/proc/self/fd').length, threads: readdirSync('/proc/self/task').length,
    children: readdirSync('/proc/self/task').reduce((sum, task) => sum + childrenOf(task), 0),
  }
}

function childrenOf(task) {
  try {
    return readFileSync(`/proc/self/task/${task}/children`, 'utf8').split(' ').length - 1
  } catch {
    return 0 // the thread has ended
  }
}

let isGood = true
for (const name of rest.length > 0 ? rest : Object.keys(kinds)) {
  const [usual, create, work] = kinds[name]
  const runs = given ?? usual
  const sandbox = create()
  await work(sandbox, Math.ceil(runs / 10))
  const before = await measure()
  const start = performance.now()
  await work(sandbox, runs)
  const seconds = (performance.now() - start) / 1000
  const after = await measure()
  await sandbox?.dispose()
  const line = Object.keys(bounds).map((key) => `${key} ${before[key].toFixed(key.endsWith('Mb') ? 1 : 0)} -> ${after[key].toFixed(key.endsWith('Mb') ? 1 : 0)}`)
  const over = Object.keys(bounds).filter((key) => after[key] - before[key] > bounds[key])
  console.log(`${name}: ${runs} runs, ${Math.round(runs / seconds)} a second; ${line.join(', ')}${over.length > 0 ? `; GREW: ${over.join(', ')}` : ''}`)
  isGood &&= over.length === 0
}
process.exitCode = isGood ? 0 : 1
