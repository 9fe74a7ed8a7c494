import { createWorkerSandbox } from '@suaveplan/sandbox'

const sandbox = createWorkerSandbox({ timeoutMs: 1000, memoryLimitMb: 64 })

const result = await sandbox.run('console.log("pricing"); return price * qty', { price: 10, qty: 3 })
console.log(result.ok, result.value) // → true 30
console.log(result.stdout.trim()) // → pricing

await sandbox.dispose()
