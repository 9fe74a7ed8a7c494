/** A span, a counter and a histogram per run, by whatever SDK the host has; none costs next to nothing. */
import { SpanStatusCode, metrics, trace } from '@opentelemetry/api'
import type { Attributes, Counter, Histogram, MeterProvider } from '@opentelemetry/api'

import { SandboxError } from './errors.js'
import type { RunOptions, SandboxOptions, SandboxResult } from './types.js'

const NAME = '@suaveplan/sandbox'

let instruments: { runs: Counter; duration: Histogram } | undefined
let maker: MeterProvider | undefined

/** Of the provider that is set now: a host may set up its SDK after the first run. */
function getInstruments() {
  const provider = metrics.getMeterProvider()
  if (instruments !== undefined && provider === maker) return instruments
  maker = provider
  const meter = provider.getMeter(NAME)
  instruments = {
    runs: meter.createCounter('sandbox.runs_total', { description: 'Runs ended, by outcome' }),
    duration: meter.createHistogram('sandbox.duration_ms', { description: 'From the start of a run to its answer', unit: 'ms' }),
  }
  return instruments
}

const usageOf = (result: SandboxResult): Attributes => ({
  'sandbox.usage.cpu_ms': result.usage.cpuMs,
  'sandbox.usage.memory_peak_bytes': result.usage.memoryPeakBytes,
  'sandbox.queue_ms': result.queueMs,
})

export async function observe(
  backend: string, sandbox: SandboxOptions, options: RunOptions | undefined, run: () => Promise<SandboxResult>,
): Promise<SandboxResult> {
  const span = trace.getTracer(NAME).startSpan('sandbox.run', {
    attributes: {
      'sandbox.backend': backend,
      'sandbox.limits.timeout_ms': options?.timeoutMs ?? sandbox.timeoutMs ?? 5000,
      'sandbox.limits.memory_mb': options?.memoryLimitMb ?? sandbox.memoryLimitMb ?? 128,
    },
  })
  let result: SandboxResult | undefined
  let code: string | undefined
  try {
    result = await run()
    code = result.errorCode
    if (code !== undefined) span.recordException({ name: result.errorDetail?.name ?? code, message: result.error! })
    return result
  } catch (error) {
    const isAbort = options?.signal?.aborted === true && error === options.signal.reason
    code = error instanceof SandboxError ? error.code : isAbort ? 'SANDBOX_ABORTED' : 'SANDBOX_INVALID_OPTIONS'
    if (error instanceof SandboxError) result = error.result
    span.recordException(error instanceof Error ? error : String(error))
    throw error
  } finally {
    const outcome: Attributes = { 'sandbox.backend': backend, 'sandbox.outcome': code ?? 'ok' }
    span.setAttributes(code === undefined ? outcome : { ...outcome, 'sandbox.error_code': code })
    if (result !== undefined) span.setAttributes(usageOf(result))
    span.setStatus(code === undefined ? { code: SpanStatusCode.OK } : { code: SpanStatusCode.ERROR, message: code })
    span.end()
    getInstruments().runs.add(1, outcome)
    if (result !== undefined) getInstruments().duration.record(result.duration, outcome)
  }
}
