import { SANDBOX_ERROR_CODES, SandboxError, SandboxOptionsSchema, createWorkerSandbox } from '@suaveplan/sandbox'

const fromFile = JSON.parse('{ "timeoutMs": 250, "memoryLimitMb": 4 }')
const checked = SandboxOptionsSchema.safeParse(fromFile)
console.log(checked.success, checked.error.issues[0].path.join('.')) // → false memoryLimitMb

try {
  createWorkerSandbox({ timeoutms: 250 })
} catch (error) {
  console.log(error instanceof SandboxError, error.code) // → true SANDBOX_INVALID_OPTIONS
  console.log(error.message) // → options: Unrecognized key: "timeoutms"
  console.log(SANDBOX_ERROR_CODES[error.code]) // → The options or the context are wrong
}
