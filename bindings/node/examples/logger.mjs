import { createWorkerSandbox } from '@suaveplan/sandbox/worker'

const line = (message, fields) => console.log(message, fields.backend)
const sandbox = createWorkerSandbox({ logger: { debug: line, info: line, warn: line, error: line } }) // → sandbox created worker
await sandbox.dispose() // → sandbox disposed worker
