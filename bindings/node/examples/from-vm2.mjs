import { createWorkerSandbox } from '@suaveplan/sandbox'

const sandbox = createWorkerSandbox({ timeoutMs: 1000 })
const { value } = await sandbox.run('greeting + " " + name', { greeting: 'Hello', name: 'Ada' }, { kind: 'script' })
console.log(value) // → Hello Ada
