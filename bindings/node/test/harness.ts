/** What the test files share. They run under Vitest and under `bun test`, which answers to the name vitest as well. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'

import { SandboxError, createProcessSandbox, createWorkerSandbox } from '@suaveplan/sandbox'
import type { SandboxResult } from '@suaveplan/sandbox'

export const backends = [
  ['worker', createWorkerSandbox],
  ['process', createProcessSandbox],
] as const

export const isBun = 'Bun' in globalThis

/** What a promise is rejected with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  let value: unknown
  try {
    value = await promise
  } catch (error) {
    return error
  }
  throw new Error(`resolved with ${JSON.stringify(value)}`)
}

/** What a call throws before it returns. */
export function thrown(call: () => unknown): unknown {
  try {
    call()
  } catch (error) {
    return error
  }
  throw new Error('returned')
}

export function asSandboxError(error: unknown): SandboxError {
  if (error instanceof SandboxError) return error
  throw error
}

export const refusal = async (promise: Promise<unknown>): Promise<SandboxError> => asSandboxError(await rejection(promise))
export const refusalOf = (call: () => unknown): SandboxError => asSandboxError(thrown(call))

/** The result of a run whatever came of it: answered, or in the error. */
export async function outcome(run: Promise<SandboxResult>): Promise<SandboxResult> {
  try {
    return await run
  } catch (error) {
    const { result } = asSandboxError(error)
    if (result === undefined) throw error
    return result
  }
}

/** For values that the types forbid. */
export const wrong = (value: unknown) => value as never

export const later = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Tries again until it holds, for what another thread does soon after. */
export async function eventually(holds: () => boolean, ms = 2000): Promise<void> {
  for (const end = performance.now() + ms; !holds(); await later(5))
    if (performance.now() > end) throw new Error(`not within ${ms} ms: ${holds}`)
}

/** Runs test/fixtures/NAME in a process of its own, on the built package. */
export function child(name: string, ...args: string[]): Promise<{ code: number | string | null; stdout: string; stderr: string; ms: number }> {
  const start = performance.now()
  const file = fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url))
  return new Promise((resolve) => {
    const running = execFile(process.execPath, [file, ...args], { timeout: 50_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : running.exitCode ?? running.signalCode, stdout, stderr, ms: performance.now() - start }),
    )
  })
}
