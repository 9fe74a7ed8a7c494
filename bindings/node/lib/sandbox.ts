/** The layer between the addon and its callers: checks, shapes, promises, telemetry. */
import { AsyncResource } from 'node:async_hooks'
import { TextDecoder } from 'node:util'

import load from './native.cjs'
import { toContextJson } from './context.js'
import { SandboxError, registerSandboxErrorCodes } from './errors.js'
import type { SandboxErrorCode, SandboxHostErrorCode } from './errors.js'
import { readRunOptions, readSandboxOptions, toRequest } from './options.js'
import { observe } from './telemetry.js'
import type {
  OutputListener, RunOptions, RunSyncOptions, Sandbox, SandboxContext, SandboxErrorDetail, SandboxLayer, SandboxOptions,
  SandboxResult, SandboxScript, SandboxStats,
} from './types.js'

type Code = SandboxErrorCode | SandboxHostErrorCode

/** These are answers; every other code is an error. */
const answers: ReadonlySet<string | undefined> = new Set(['SANDBOX_EXECUTION_ERROR', 'SANDBOX_INVALID_CODE'])

const layerNames: readonly SandboxLayer[] = [
  'sfi', 'userns', 'pidns', 'netns', 'mountns', 'seccomp', 'landlock', 'rlimit', 'cgroup',
]

function toDetail(native: load.NativeDetail): SandboxErrorDetail {
  const { cause, errors, ...rest } = native
  const detail: SandboxErrorDetail = rest
  if (cause !== undefined) detail.cause = JSON.parse(cause)
  if (errors !== undefined) detail.errors = JSON.parse(errors) as unknown[]
  return detail
}

const layerLists = new Map<number, SandboxLayer[]>()

/** Its own array each time: results are their callers' to change. */
function toLayers(bits: number): SandboxLayer[] {
  let list = layerLists.get(bits)
  if (list === undefined) layerLists.set(bits, (list = layerNames.filter((_, bit) => (bits >> bit) & 1)))
  return list.slice()
}

const makeResult: load.NativeMaker<SandboxResult> = (
  value, stdout, stderr, duration, cpuMs, memoryPeakBytes, pending, queueMs, stdoutTruncated, stderrTruncated, isolation,
) => {
  const result: SandboxResult = {
    ok: true,
    value: undefined,
    stdout,
    stderr,
    duration,
    exitCode: 0,
    usage: { cpuMs, memoryPeakBytes, hostCalls: 0, pending },
    queueMs,
    truncated: { stdout: stdoutTruncated, stderr: stderrTruncated },
    started: true,
    isolation: toLayers(isolation),
  }
  if (value === undefined) delete result.value
  else result.value = JSON.parse(value)
  return result
}

function addon(): load.Native<SandboxResult> {
  const loaded = load<SandboxResult>()
  loaded.setMaker(makeResult)
  return loaded
}

function toFailure(native: load.NativeFailure): SandboxResult {
  const result: SandboxResult = {
    ok: false,
    stdout: native.stdout,
    stderr: native.stderr,
    duration: native.duration,
    error: native.error,
    errorCode: native.errorCode as Code,
    usage: { cpuMs: native.cpuMs, memoryPeakBytes: native.memoryPeakBytes, hostCalls: 0, pending: native.pending },
    queueMs: native.queueMs,
    truncated: { stdout: native.stdoutTruncated, stderr: native.stderrTruncated },
    started: native.started,
    isolation: toLayers(native.isolation),
  }
  if (native.exitCode !== undefined) result.exitCode = native.exitCode
  if (native.errorDetail !== undefined) result.errorDetail = toDetail(native.errorDetail)
  return result
}

/** The result of a run within its bounds, or the error that says which it left. */
function judge(answer: SandboxResult | load.NativeFailure): SandboxResult {
  if (answer.ok) return answer
  const result = toFailure(answer as load.NativeFailure)
  if (answers.has(result.errorCode)) return result
  throw new SandboxError(result.errorCode!, result.error!, result)
}

function toError(error: unknown): unknown {
  const { code, message } = error as { code?: unknown; message: string }
  return typeof code === 'string' && code.startsWith('SANDBOX_') ? new SandboxError(code as Code, message) : error
}

function native<T>(call: () => T): T {
  try {
    return call()
  } catch (error) {
    throw toError(error)
  }
}

/** Byte order marks are the guest's text like any other. */
const decoder = () => new TextDecoder('utf-8', { ignoreBOM: true })

/** Both listeners as the one the addon calls, in the context of whoever asked for the run. */
function toListener(onStdout?: OutputListener, onStderr?: OutputListener) {
  if (onStdout === undefined && onStderr === undefined) return undefined
  const listeners = { 1: onStdout, 2: onStderr } as Record<number, OutputListener | undefined>
  const decoders = { 1: decoder(), 2: decoder() } as Record<number, InstanceType<typeof TextDecoder>>
  return AsyncResource.bind((fd: number, bytes: Uint8Array) => {
    listeners[fd]?.(decoders[fd]!.decode(bytes, { stream: true }))
  })
}

/** One listener for all runs of a signal: more than ten would look like a leak. None once no run is left. */
const aborts = new WeakMap<AbortSignal, { calls: Set<() => void>; listener: () => void }>()

function onAbort(signal: AbortSignal, call: () => void): () => void {
  let entry = aborts.get(signal)
  if (entry === undefined) {
    const calls = new Set<() => void>()
    entry = { calls, listener: () => calls.forEach((each) => each()) }
    aborts.set(signal, entry)
    signal.addEventListener('abort', entry.listener)
  }
  const { calls, listener } = entry
  calls.add(call)
  return () => {
    calls.delete(call)
    if (calls.size > 0) return
    signal.removeEventListener('abort', listener)
    aborts.delete(signal)
  }
}

/** UTF-8 cannot carry a lone surrogate; JSON can. */
const isWellFormed = (code: string) => !/\p{Surrogate}/u.test(code)

/** Options of a prepared source under those of a run; what is undefined there is not given. */
function merge(fixed: RunOptions | undefined, given: RunOptions | undefined): RunOptions | undefined {
  if (fixed === undefined || given === undefined) return given ?? fixed
  const own = Object.entries(readRunOptions(given)).filter(([, value]) => value !== undefined)
  return { ...fixed, ...Object.fromEntries(own) }
}

class NativeSandbox implements Sandbox {
  readonly #addon = addon()
  readonly #box: load.NativeBox
  readonly #options: SandboxOptions
  readonly #backend: 'worker' | 'process'
  readonly isolation: readonly SandboxLayer[]
  #disposal: Promise<void> | undefined

  constructor(backend: 'worker' | 'process', given: unknown) {
    registerSandboxErrorCodes()
    const options = readSandboxOptions(given)
    if (options.freshness !== undefined && backend === 'worker')
      throw new SandboxError('SANDBOX_INVALID_OPTIONS', 'options.freshness: belongs to process sandboxes')
    this.#backend = backend
    this.#options = options
    const { logger: _logger, onStdout: _onStdout, onStderr: _onStderr, ...plain } = options
    this.#box = native(() =>
      this.#addon.create({ ...plain, isProcess: backend === 'process', isJail: options.freshness === 'jail' }),
    )
    this.isolation = native(() => this.#addon.isolation(this.#box)) as SandboxLayer[]
    options.logger?.info('sandbox created', { backend, isolation: this.isolation })
  }

  #request(code: unknown, context: unknown, options: RunOptions | undefined) {
    if (this.#disposal !== undefined) throw new SandboxError('SANDBOX_DISPOSED', 'the sandbox is disposed')
    if (typeof code !== 'string') throw new SandboxError('SANDBOX_INVALID_OPTIONS', 'code: must be a string')
    const contextJson = toContextJson(context)
    return isWellFormed(code)
      ? ([code, contextJson, toRequest(this.#options, options)] as const)
      : ([undefined, contextJson, toRequest(this.#options, options, code)] as const)
  }

  async run(code: string, context?: SandboxContext, given?: RunOptions): Promise<SandboxResult> {
    const options = given === undefined ? undefined : readRunOptions(given)
    return observe(this.#backend, this.#options, options, () => this.#run(code, context, options))
  }

  async #run(code: string, context: SandboxContext | undefined, options: RunOptions | undefined): Promise<SandboxResult> {
    const signal = options?.signal
    const [text, contextJson, request] = this.#request(code, context, options)
    if (signal?.aborted) throw signal.reason
    const listener = toListener(options?.onStdout ?? this.#options.onStdout, options?.onStderr ?? this.#options.onStderr)
    const [promise, handle] = native(() =>
      this.#addon.submit(this.#box, text, contextJson, request, listener, signal !== undefined),
    )
    const forget = signal === undefined ? undefined : onAbort(signal, () => this.#addon.abort(handle!))
    let answer: SandboxResult | load.NativeFailure
    try {
      answer = await promise
    } catch (error) {
      throw toError(error)
    } finally {
      forget?.()
    }
    if (answer.errorCode === 'SANDBOX_ABORTED') throw signal!.reason
    return judge(answer)
  }

  runSync(code: string, context?: SandboxContext, given?: RunSyncOptions): SandboxResult {
    const options = given === undefined ? undefined : readRunOptions(given)
    if (options?.signal !== undefined || options?.onStdout !== undefined || options?.onStderr !== undefined)
      throw new SandboxError('SANDBOX_INVALID_OPTIONS', 'options: signal, onStdout and onStderr need run()')
    const [text, contextJson, request] = this.#request(code, context, options)
    return judge(native(() => this.#addon.runSync(this.#box, text, contextJson, request)))
  }

  prepare(code: string, given?: RunOptions): SandboxScript {
    if (typeof code !== 'string') throw new SandboxError('SANDBOX_INVALID_OPTIONS', 'code: must be a string')
    const fixed = given === undefined ? undefined : readRunOptions(given)
    return { run: async (context, options) => this.run(code, context, merge(fixed, options)) }
  }

  stats(): SandboxStats {
    return native(() => this.#addon.stats(this.#box)) as unknown as SandboxStats
  }

  dispose(): Promise<void> {
    return (this.#disposal ??= this.#dispose())
  }

  async #dispose(): Promise<void> {
    await this.#addon.dispose(this.#box)
    await new Promise((resolve) => setImmediate(resolve)) // after the rejections of the runs that it has ended
    this.#options.logger?.info('sandbox disposed', { backend: this.#backend })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose()
  }
}

export const createSandbox = (backend: 'worker' | 'process', options?: SandboxOptions): Sandbox =>
  new NativeSandbox(backend, options)
