import { createSandbox } from './sandbox.js'
import type { Sandbox, SandboxOptions } from './types.js'

/** Runs in this process, each behind software fault isolation, each in an environment that is fresh. */
export const createWorkerSandbox = (options?: SandboxOptions): Sandbox => createSandbox('worker', options)
