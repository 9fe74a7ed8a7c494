import { createWorkerSandbox } from '@suaveplan/sandbox/worker'

const sandbox = createWorkerSandbox({ timeoutMs: 1000, memoryLimitMb: 16 })
const rule = sandbox.prepare(`
  const discount = order.total > 100 ? 0.1 : 0
  return { discount, total: order.total * (1 - discount) }
`)

for (const total of [80, 200]) {
  const { value } = await rule.run({ order: { total } })
  console.log(JSON.stringify(value)) // once per order
}
// → {"discount":0,"total":80}
// → {"discount":0.1,"total":180}

// Nothing that a run leaves behind is there in the next one.
await sandbox.run('globalThis.leak = 1; Array.prototype.map = null')
console.log((await sandbox.run('return [typeof leak, typeof [].map]')).value.join(' ')) // → undefined function

// On this thread, without a promise: for expressions that take microseconds.
console.log(sandbox.runSync('return a > b', { a: 2, b: 1 }).value) // → true

await sandbox.dispose()
