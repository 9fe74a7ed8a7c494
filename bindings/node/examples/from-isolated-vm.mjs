import { createWorkerSandbox } from '@suaveplan/sandbox'

const sandbox = createWorkerSandbox({ memoryLimitMb: 32, timeoutMs: 1000 })
const script = sandbox.prepare('return items.filter((item) => item.stock > 0).length')

for (const items of [[{ stock: 1 }, { stock: 0 }], [{ stock: 4 }, { stock: 2 }]]) {
  const { value } = await script.run({ items })
  console.log(value) // in turn: 1, 2
}
// → 1
// → 2
await sandbox.dispose()
