import { SANDBOX_ERROR_CODES, RunOptionsSchema, SandboxError, SandboxOptionsSchema, createProcessSandbox, createWorkerSandbox, registerSandboxErrorCodes } from '@suaveplan/sandbox'
import type { LoggerLike, RunOptions, Sandbox, SandboxContext, SandboxErrorCode, SandboxHostErrorCode, SandboxLayer, SandboxOptions, SandboxResult, SandboxScript } from '@suaveplan/sandbox'
import { createWorkerSandbox as worker } from '@suaveplan/sandbox/worker'
import { createProcessSandbox as inProcess } from '@suaveplan/sandbox/process'

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <T extends true>(): T | undefined => undefined

// The published interface: what a caller may write stays as it is.
const logger: LoggerLike = { debug() {}, info() {}, warn() {}, error() {} }
const options: SandboxOptions = { timeoutMs: 1, memoryLimitMb: 8, allowNetwork: false, allowFs: false, logger }
const context: SandboxContext = { a: 1, b: ['x'] }
const runOptions: RunOptions = { timeoutMs: 1, signal: new AbortController().signal }
const sandbox: Sandbox = createWorkerSandbox(options)
const result: SandboxResult = await sandbox.run('return 1', context, runOptions)
const parts: [boolean, unknown, string, string, number, number | undefined, string | undefined] = [
  result.ok, result.value, result.stdout, result.stderr, result.duration, result.exitCode, result.error,
]
const nothing: void = await sandbox.dispose()
holds<Same<SandboxErrorCode, 'SANDBOX_TIMEOUT' | 'SANDBOX_MEMORY_EXCEEDED' | 'SANDBOX_EXECUTION_ERROR' | 'SANDBOX_INVALID_CODE' | 'SANDBOX_DISPOSED'>>()
holds<Same<SandboxError['code'], SandboxErrorCode | SandboxHostErrorCode>>()
holds<Same<ReturnType<typeof registerSandboxErrorCodes>, void>>()
holds<Same<typeof worker, typeof createWorkerSandbox>>()
holds<Same<typeof inProcess, typeof createProcessSandbox>>()
holds<Same<SandboxResult['value'], unknown>>()

// What is added.
const script: SandboxScript = sandbox.prepare('return 1', { kind: 'body' })
const layers: readonly SandboxLayer[] = sandbox.isolation
const table: string = SANDBOX_ERROR_CODES.SANDBOX_BUSY
const parsed: SandboxOptions = SandboxOptionsSchema.parse({})
const parsedRun: RunOptions = RunOptionsSchema.parse({})
const undefinedIsFine: SandboxOptions = { timeoutMs: undefined, requireIsolation: undefined }

export { layers, nothing, parsed, parsedRun, parts, script, table, undefinedIsFine }

// What is refused.
// @ts-expect-error a name that is not known
createWorkerSandbox({ timeoutms: 1 })
// @ts-expect-error a text for a number
createWorkerSandbox({ timeoutMs: '1' })
// @ts-expect-error no such layer
createProcessSandbox({ requireIsolation: ['firewall'] })
// @ts-expect-error a context is an object
sandbox.run('return 1', 'text')
// @ts-expect-error a run on the spot hears no signal
sandbox.runSync('return 1', {}, { signal: new AbortController().signal })
// @ts-expect-error layers are not the caller's to change
sandbox.isolation.push('sfi')
