import { createProcessSandbox } from '@suaveplan/sandbox/process'
import { createWorkerSandbox } from '@suaveplan/sandbox/worker'

// Without these layers no sandbox is made; what else the system allows stands as well.
const sandbox = createProcessSandbox({ requireIsolation: ['seccomp', 'rlimit'] })
console.log(sandbox.isolation.includes('seccomp')) // → true

const result = await sandbox.run('return require("fs").readFileSync("/etc/passwd", "utf8")')
console.log(result.ok, result.errorCode) // → false SANDBOX_EXECUTION_ERROR
console.log(result.isolation.includes('rlimit')) // → true

try {
  createWorkerSandbox({ requireIsolation: ['seccomp'] })
} catch (error) {
  console.log(error.code) // → SANDBOX_INVALID_OPTIONS
}

await sandbox.dispose()
