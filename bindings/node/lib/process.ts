import { createSandbox } from './sandbox.js'
import type { Sandbox, SandboxOptions } from './types.js'

/** Runs in processes that the operating system has jailed: a second wall of another kind around the first. */
export const createProcessSandbox = (options?: SandboxOptions): Sandbox => createSandbox('process', options)
