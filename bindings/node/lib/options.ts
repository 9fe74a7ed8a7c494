/** Options, checked strictly and read once into plain data. */
import { z } from 'zod'

import { SandboxError } from './errors.js'
import type { LoggerLike, OutputListener, RunOptions, SandboxOptions } from './types.js'

const count = (least: number, most: number) => z.int().min(least).max(most).optional()
const listener = z.custom<OutputListener>((value) => typeof value === 'function', 'must be a function').optional()

const limits = {
  timeoutMs: count(1, 3_600_000),
  cpuTimeMs: count(1, 3_600_000),
  queueTimeoutMs: count(1, 3_600_000),
  memoryLimitMb: count(8, 4000),
  maxStdoutBytes: count(1, 268_435_456),
  maxStderrBytes: count(1, 268_435_456),
  maxResultBytes: count(1, 1_073_741_824),
  maxContextBytes: count(2, 1_073_741_824),
  maxSourceBytes: count(1, 268_435_456),
  maxTimers: count(1, 1_000_000),
}

const source = {
  language: z.enum(['js', 'ts', 'auto']).optional(),
  kind: z.enum(['auto', 'body', 'module', 'function', 'script']).optional(),
  filename: z.string().min(1).optional(),
  drain: z.boolean().optional(),
  deterministic: z
    .strictObject({ seed: z.int().min(0).optional(), now: z.number().min(0).optional() })
    .optional(),
}

const notYet = z.literal(false, 'is not in this version; it may only be false').optional()

const isLogger = (value: unknown): value is LoggerLike =>
  typeof value === 'object' && value !== null &&
  (['debug', 'info', 'warn', 'error'] as const).every((level) => typeof (value as LoggerLike)[level] === 'function')

export const SandboxOptionsSchema = z.strictObject({
  ...limits,
  ...source,
  allowNetwork: notYet,
  allowFs: notYet,
  logger: z.custom<LoggerLike>(isLogger, 'must have the functions debug, info, warn and error').optional(),
  maxTotalMemoryMb: count(16, 1_048_576),
  maxConcurrency: count(1, 16_000),
  maxQueue: count(1, 1_000_000),
  requireIsolation: z
    .array(z.enum(['sfi', 'userns', 'pidns', 'netns', 'mountns', 'seccomp', 'landlock', 'rlimit', 'cgroup']))
    .optional(),
  freshness: z.enum(['process', 'jail']).optional(),
  onStdout: listener,
  onStderr: listener,
})

export const RunOptionsSchema = z.strictObject({
  ...limits,
  ...source,
  signal: z.custom<AbortSignal>((value) => value instanceof AbortSignal, 'must be an AbortSignal').optional(),
  onStdout: listener,
  onStderr: listener,
})

function read<T>(schema: z.ZodType<T>, what: string, given: unknown): T {
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const path = [what, ...issue!.path.map(String)].join('.')
  throw new SandboxError('SANDBOX_INVALID_OPTIONS', `${path}: ${issue!.message}`)
}

export const readSandboxOptions = (given: unknown): SandboxOptions => read(SandboxOptionsSchema, 'options', given ?? {})
export const readRunOptions = (given: unknown): RunOptions => read(RunOptionsSchema, 'options', given)

const limitNames = Object.keys(limits) as (keyof typeof limits)[]

/** A run's own options over the sandbox's, as the request that the library reads; undefined: nothing to say. */
export function toRequest(sandbox: SandboxOptions, run: RunOptions | undefined, code?: string): string | undefined {
  const request: Record<string, unknown> = {}
  const options: Record<string, unknown> = {}
  for (const name of ['language', 'kind', 'filename'] as const) {
    const value = run?.[name] ?? sandbox[name]
    if (value !== undefined) request[name] = value
  }
  for (const name of ['drain', 'deterministic'] as const) {
    const value = run?.[name] ?? sandbox[name]
    if (value !== undefined) options[name] = value
  }
  for (const name of run === undefined ? [] : limitNames) if (run![name] !== undefined) options[name] = run![name]
  if (Object.keys(options).length > 0) request['options'] = options
  if (code === undefined && Object.keys(request).length === 0) return undefined
  return JSON.stringify({ code: code ?? '', ...request })
}
