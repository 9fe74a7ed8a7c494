import { SandboxError, createWorkerSandbox } from '@suaveplan/sandbox'

const sandbox = createWorkerSandbox({ timeoutMs: 250 })

async function tell(code) {
  try {
    const result = await sandbox.run(code)
    if (result.ok) console.log('value', JSON.stringify(result.value))
    else console.log('guest', result.errorCode, result.exitCode)
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error
    console.log('bound', error.code, error.result?.exitCode)
  }
}

await tell('return [1, 2]') // → value [1,2]
await tell('throw new Error("no such customer")') // → guest SANDBOX_EXECUTION_ERROR 1
await tell('process.exit(3)') // → guest SANDBOX_EXECUTION_ERROR 3
await tell('retrun 1') // → guest SANDBOX_INVALID_CODE 1
await tell('for (;;) {}') // → bound SANDBOX_TIMEOUT 124

await sandbox.dispose()
await tell('return 1') // → bound SANDBOX_DISPOSED undefined
