/** The addon, as src/addon.c makes it. */
interface NativeBox { readonly __box: unique symbol }
interface NativeAbort { readonly __abort: unique symbol }

interface NativeDetail {
  name?: string; message?: string; stack?: string; line?: number; column?: number
  cause?: string; errors?: string; hint?: string
}

interface NativeResult {
  ok: boolean; value?: string; stdout: string; stderr: string; duration: number; exitCode?: number
  error?: string; errorCode?: string; errorDetail?: NativeDetail
  cpuMs: number; memoryPeakBytes: number; pending: number; queueMs: number
  stdoutTruncated: number; stderrTruncated: number; started: boolean; isolation: number
}

interface NativeOptions { isProcess: boolean; isJail: boolean; requireIsolation?: readonly string[] | undefined; [limit: string]: unknown }

interface Native {
  readonly version: string
  create(options: NativeOptions): NativeBox
  dispose(box: NativeBox): Promise<void>
  stats(box: NativeBox): Record<string, number>
  isolation(box: NativeBox): string[]
  submit(
    box: NativeBox, code: string | undefined, contextJson: string | undefined, requestJson: string | undefined,
    onOutput: ((fd: number, bytes: Uint8Array) => void) | undefined, isAbortable: boolean,
  ): [Promise<NativeResult>, NativeAbort | undefined]
  runSync(box: NativeBox, code: string | undefined, contextJson: string | undefined, requestJson: string | undefined): NativeResult
  abort(handle: NativeAbort): void
}

declare namespace load { export { Native, NativeBox, NativeAbort, NativeResult, NativeDetail } }
declare function load(): Native
export = load
