import { createRequire } from 'node:module'

import type { SandboxResult } from './types.js'

export type SandboxErrorCode =
  | 'SANDBOX_TIMEOUT'
  | 'SANDBOX_MEMORY_EXCEEDED'
  | 'SANDBOX_EXECUTION_ERROR'
  | 'SANDBOX_INVALID_CODE'
  | 'SANDBOX_DISPOSED'

/** What is not the guest's doing. */
export type SandboxHostErrorCode = 'SANDBOX_ABORTED' | 'SANDBOX_BUSY' | 'SANDBOX_INVALID_OPTIONS' | 'SANDBOX_INTERNAL'

/** Every code with what it means. */
export const SANDBOX_ERROR_CODES: Readonly<Record<SandboxErrorCode | SandboxHostErrorCode, string>> = Object.freeze({
  SANDBOX_TIMEOUT: 'Wall or CPU time was over',
  SANDBOX_MEMORY_EXCEEDED: 'Memory was over',
  SANDBOX_EXECUTION_ERROR: 'The guest threw, rejected, exited or never settled',
  SANDBOX_INVALID_CODE: 'The source does not parse',
  SANDBOX_DISPOSED: 'The sandbox was disposed',
  SANDBOX_ABORTED: 'The run was aborted',
  SANDBOX_BUSY: 'There was no place for the run in time',
  SANDBOX_INVALID_OPTIONS: 'The options or the context are wrong',
  SANDBOX_INTERNAL: 'The host failed',
})

export class SandboxError extends Error {
  override readonly name = 'SandboxError'
  readonly code: SandboxErrorCode | SandboxHostErrorCode
  /** Output, times and usage so far; absent when nothing was run. */
  readonly result?: SandboxResult

  constructor(code: SandboxErrorCode | SandboxHostErrorCode, message: string, result?: SandboxResult) {
    super(message)
    this.code = code
    if (result !== undefined) this.result = result
  }
}

let isRegistered = false

/** Makes the codes known to `@suaveplan/error` where the host has it. Once is enough; the first sandbox does it. */
export function registerSandboxErrorCodes(): void {
  if (isRegistered) return
  isRegistered = true
  let registry: { registerErrorCodes?: (codes: Readonly<Record<string, string>>) => void }
  try {
    registry = createRequire(`${process.cwd()}/`)('@suaveplan/error') as typeof registry
  } catch {
    return // the host does without
  }
  registry.registerErrorCodes?.(SANDBOX_ERROR_CODES)
}
