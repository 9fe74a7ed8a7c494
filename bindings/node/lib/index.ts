export { createWorkerSandbox } from './worker.js'
export { createProcessSandbox } from './process.js'
export { SANDBOX_ERROR_CODES, SandboxError, registerSandboxErrorCodes } from './errors.js'
export type { SandboxErrorCode, SandboxHostErrorCode } from './errors.js'
export { RunOptionsSchema, SandboxOptionsSchema } from './options.js'
export type {
  LoggerLike, OutputListener, RunLimits, RunOptions, RunSyncOptions, Sandbox, SandboxContext, SandboxErrorDetail, SandboxLayer,
  SandboxOptions, SandboxResult, SandboxScript, SandboxStats, SourceOptions,
} from './types.js'
