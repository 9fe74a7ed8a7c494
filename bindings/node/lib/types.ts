/** What a sandbox is asked for and what it answers. */
import type { SandboxErrorCode, SandboxHostErrorCode } from './errors.js'

/** Receives life-cycle lines. A console is one, most loggers are. */
export interface LoggerLike {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

/** Globals of a run: what JSON can say. */
export type SandboxContext = Record<string, unknown>

/** Walls that can stand around a run. */
export type SandboxLayer =
  | 'sfi' | 'userns' | 'pidns' | 'netns' | 'mountns' | 'seccomp' | 'landlock' | 'rlimit' | 'cgroup'

/** Bounds of a run; each may be given for the sandbox and for a run. Milliseconds and bytes, unless the name says else. */
export interface RunLimits {
  /** Wall time, from the run's start. Default 5000. */
  timeoutMs?: number | undefined
  /** CPU time. Default: none. */
  cpuTimeMs?: number | undefined
  /** Wait for a place before the start. Default 30000. */
  queueTimeoutMs?: number | undefined
  /** Guest memory, MiB. Default 128. */
  memoryLimitMb?: number | undefined
  maxStdoutBytes?: number | undefined
  maxStderrBytes?: number | undefined
  maxResultBytes?: number | undefined
  maxContextBytes?: number | undefined
  maxSourceBytes?: number | undefined
  maxTimers?: number | undefined
}

/** How a source is read. */
export interface SourceOptions {
  /** Default "auto": JavaScript; what does not parse as that, TypeScript. */
  language?: 'js' | 'ts' | 'auto' | undefined
  /** Default "auto": a function body, else a module. */
  kind?: 'auto' | 'body' | 'module' | 'function' | 'script' | undefined
  /** Shown in stacks; its ending may decide the language. */
  filename?: string | undefined
  /** Wait for timers that are pending when the value has settled. Default false. */
  drain?: boolean | undefined
  /** Fixes random numbers and clock. */
  deterministic?: { seed?: number | undefined; now?: number | undefined } | undefined
}

/** Hears output while a run makes it, in order, in pieces of text. */
export type OutputListener = (text: string) => void

export interface SandboxOptions extends RunLimits, SourceOptions {
  /** Not in this version: may only be false. */
  allowNetwork?: boolean | undefined
  /** Not in this version: may only be false. */
  allowFs?: boolean | undefined
  logger?: LoggerLike | undefined
  /** Guest memory of all sandboxes of the process, MiB. Default: a quarter of the machine's. */
  maxTotalMemoryMb?: number | undefined
  /** Runs in progress. Default 1024. */
  maxConcurrency?: number | undefined
  /** Runs that wait for a place. Default 4096. */
  maxQueue?: number | undefined
  /** Layers without which no sandbox is made. */
  requireIsolation?: readonly SandboxLayer[] | undefined
  /** Process sandboxes: a process per run (default), or one per place whose memory is reset. */
  freshness?: 'process' | 'jail' | undefined
  onStdout?: OutputListener | undefined
  onStderr?: OutputListener | undefined
}

export interface RunOptions extends RunLimits, SourceOptions {
  /** Aborts the run; the promise is rejected with its reason. */
  signal?: AbortSignal | undefined
  onStdout?: OutputListener | undefined
  onStderr?: OutputListener | undefined
}

/** Options of a run on the spot: there is no event loop to hear of a signal or of output. */
export type RunSyncOptions = Omit<RunOptions, 'signal' | 'onStdout' | 'onStderr'>

/** The guest's own error. */
export interface SandboxErrorDetail {
  name?: string
  message?: string
  stack?: string
  line?: number
  column?: number
  cause?: unknown
  errors?: unknown[]
  /** Of a source that does not parse: what is probably meant. */
  hint?: string
}

export interface SandboxResult {
  ok: boolean
  /** What the guest returned, as JSON carries it. */
  value?: unknown
  stdout: string
  stderr: string
  /** Milliseconds, fractional. */
  duration: number
  exitCode?: number
  error?: string
  errorCode?: SandboxErrorCode | SandboxHostErrorCode
  errorDetail?: SandboxErrorDetail
  usage: { cpuMs: number; memoryPeakBytes: number; hostCalls: number; pending: number }
  /** From the call to the start. */
  queueMs: number
  /** Bytes of output that were not kept. */
  truncated: { stdout: number; stderr: number }
  /** Guest code has begun to run. */
  started: boolean
  /** Layers that stood. */
  isolation: SandboxLayer[]
}

export interface SandboxStats {
  active: number
  queued: number
  slots: number
  threads: number
  runsTotal: number
  runsOk: number
  stops: number
  traps: number
  memoryBytes: number
  imageBytes: number
}

/** A source that is kept to be run again. */
export interface SandboxScript {
  run(context?: SandboxContext, options?: RunOptions): Promise<SandboxResult>
}

export interface Sandbox {
  /** Resolves for whatever the guest did in its bounds; rejects with a SandboxError for the rest. */
  run(code: string, context?: SandboxContext, options?: RunOptions): Promise<SandboxResult>
  /** On this thread, which it holds until the run's end or deadline: for tiny expressions. */
  runSync(code: string, context?: SandboxContext, options?: RunSyncOptions): SandboxResult
  /** Keeps a source and its options; it is read when it runs. */
  prepare(code: string, options?: RunOptions): SandboxScript
  stats(): SandboxStats
  /** Layers that stand for runs of this sandbox. */
  readonly isolation: readonly SandboxLayer[]
  /** Ends all runs, which reject with SANDBOX_DISPOSED; resolves when everything is released. Again is fine. */
  dispose(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
