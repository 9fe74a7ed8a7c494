/** The addon, as src/addon.c makes it. */
interface NativeBox { readonly __box: unique symbol }
interface NativeAbort { readonly __abort: unique symbol }

interface NativeDetail {
  name?: string; message?: string; stack?: string; line?: number; column?: number
  cause?: string; errors?: string; hint?: string
}

interface NativeFailure {
  ok: false; stdout: string; stderr: string; duration: number; exitCode?: number
  error: string; errorCode: string; errorDetail?: NativeDetail
  cpuMs: number; memoryPeakBytes: number; pending: number; queueMs: number
  stdoutTruncated: number; stderrTruncated: number; started: boolean; isolation: number
}

/** Makes a result that is ok: the value's JSON, texts, numbers. */
type NativeMaker<Ok> = (
  value: string | undefined, stdout: string, stderr: string, duration: number, cpuMs: number, memoryPeakBytes: number,
  pending: number, queueMs: number, stdoutTruncated: number, stderrTruncated: number, isolation: number,
) => Ok

interface NativeOptions { isProcess: boolean; isJail: boolean; requireIsolation?: readonly string[] | undefined; [limit: string]: unknown }

interface Native<Ok> {
  /** Before the first run; the first one stays. */
  setMaker(make: NativeMaker<Ok>): void
  readonly version: string
  create(options: NativeOptions): NativeBox
  dispose(box: NativeBox): Promise<void>
  stats(box: NativeBox): Record<string, number>
  isolation(box: NativeBox): string[]
  submit(
    box: NativeBox, code: string | undefined, contextJson: string | undefined, requestJson: string | undefined,
    onOutput: ((fd: number, bytes: Uint8Array) => void) | undefined, isAbortable: boolean,
  ): [Promise<Ok | NativeFailure>, NativeAbort | undefined]
  runSync(box: NativeBox, code: string | undefined, contextJson: string | undefined, requestJson: string | undefined): Ok | NativeFailure
  abort(handle: NativeAbort): void
}

declare namespace load { export { Native, NativeBox, NativeAbort, NativeFailure, NativeDetail, NativeMaker } }
declare function load<Ok>(): Native<Ok>
export = load
