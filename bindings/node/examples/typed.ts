import { SandboxError, createWorkerSandbox } from '@suaveplan/sandbox'
import type { SandboxContext, SandboxErrorCode, SandboxHostErrorCode, SandboxOptions, SandboxResult } from '@suaveplan/sandbox'

const options: SandboxOptions = { timeoutMs: 250, language: 'ts' }
const sandbox = createWorkerSandbox(options)

type Outcome = { result: SandboxResult } | { refused: SandboxErrorCode | SandboxHostErrorCode }

async function attempt(code: string, context: SandboxContext): Promise<Outcome> {
  try {
    return { result: await sandbox.run(code, context) }
  } catch (error) {
    if (error instanceof SandboxError) return { refused: error.code }
    throw error
  }
}

const sum = await attempt('const total: number = a + b; return total', { a: 1, b: 2 })
console.log('result' in sum ? sum.result.value : sum.refused) // → 3

const loop = await attempt('while (true) {}', {})
console.log('refused' in loop ? loop.refused : loop.result.ok) // → SANDBOX_TIMEOUT

await sandbox.dispose()
