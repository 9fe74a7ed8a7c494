/** Spans and metrics, as an SDK hears them. The other files run without one. */
import { SpanStatusCode, context, metrics, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

import { backends, refusal, rejection } from './harness.js'

const spans = new InMemorySpanExporter()
const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA)
const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] })
const meters = new MeterProvider({ readers: [reader] })
context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
trace.setGlobalTracerProvider(tracers)
metrics.setGlobalMeterProvider(meters)

afterAll(async () => {
  await Promise.all([tracers.shutdown(), meters.shutdown()])
  trace.disable()
  metrics.disable()
  context.disable()
})

async function points(): Promise<Record<string, [attributes: unknown, value: unknown][]>> {
  await reader.forceFlush()
  const found: Record<string, [unknown, unknown][]> = {}
  for (const { scopeMetrics } of measured.getMetrics())
    for (const { metrics: list } of scopeMetrics)
      for (const { descriptor, dataPoints } of list)
        (found[descriptor.name] ??= []).push(...dataPoints.map(({ attributes, value }) => [attributes, value] as [unknown, unknown]))
  measured.reset()
  return found
}

beforeEach(async () => {
  spans.reset()
  await points()
})

function only() {
  const list = spans.getFinishedSpans()
  expect(list.length).toBe(1)
  return list[0]!
}

describe.each(backends)('%s', (backend, create) => {
  const sandbox = create({ memoryLimitMb: 64 })
  afterAll(() => sandbox.dispose())

  it('a run that is ok', async () => {
    const result = await sandbox.run('return 1', {}, { timeoutMs: 1234 })
    const span = only()
    expect(span.name).toBe('sandbox.run')
    expect(span.instrumentationScope.name).toBe('@suaveplan/sandbox')
    expect(span.attributes).toEqual({
      'sandbox.backend': backend, 'sandbox.outcome': 'ok', 'sandbox.limits.timeout_ms': 1234, 'sandbox.limits.memory_mb': 64,
      'sandbox.usage.cpu_ms': result.usage.cpuMs, 'sandbox.usage.memory_peak_bytes': result.usage.memoryPeakBytes, 'sandbox.queue_ms': result.queueMs,
    })
    expect(span.status).toEqual({ code: SpanStatusCode.OK })
    expect(span.events).toEqual([])
    const outcome = { 'sandbox.backend': backend, 'sandbox.outcome': 'ok' }
    const { 'sandbox.runs_total': runs, 'sandbox.duration_ms': durations } = await points()
    expect(runs).toEqual([[outcome, 1]])
    expect(durations).toEqual([[outcome, expect.objectContaining({ count: 1, sum: result.duration })]])
  })

  it('has defaults and a run\'s own limits as attributes', async () => {
    const plain = create()
    await plain.run('return 1')
    await plain.run('return 1', {}, { memoryLimitMb: 32 })
    await plain.dispose()
    expect(spans.getFinishedSpans().map(({ attributes }) => [attributes['sandbox.limits.timeout_ms'], attributes['sandbox.limits.memory_mb']]))
      .toEqual([[5000, 128], [5000, 32]])
  })

  it.each([
    ['throw new TypeError("bad")', 'SANDBOX_EXECUTION_ERROR', 'TypeError'],
    ['process.exit(2)', 'SANDBOX_EXECUTION_ERROR', 'SANDBOX_EXECUTION_ERROR'],
    ['return +', 'SANDBOX_INVALID_CODE', 'SyntaxError'],
  ])('a guest that fails: %s', async (code, errorCode, type) => {
    await sandbox.run(code)
    const span = only()
    expect(span.attributes).toMatchObject({ 'sandbox.outcome': errorCode, 'sandbox.error_code': errorCode, 'sandbox.usage.cpu_ms': expect.any(Number) })
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: errorCode })
    expect(span.events).toMatchObject([{ name: 'exception', attributes: { 'exception.type': type } }])
    expect((await points())['sandbox.runs_total']).toEqual([[{ 'sandbox.backend': backend, 'sandbox.outcome': errorCode }, 1]])
  })

  it('a run that leaves its bounds', async () => {
    const error = await refusal(sandbox.run('for (;;);', {}, { timeoutMs: 30 }))
    const span = only()
    expect(span.attributes).toMatchObject({ 'sandbox.error_code': 'SANDBOX_TIMEOUT', 'sandbox.usage.cpu_ms': error.result!.usage.cpuMs })
    expect(span.status).toEqual({ code: SpanStatusCode.ERROR, message: 'SANDBOX_TIMEOUT' })
    expect(span.events[0]!.attributes).toMatchObject({ 'exception.message': error.message })
    const { 'sandbox.duration_ms': durations } = await points()
    expect(durations).toEqual([[expect.anything(), expect.objectContaining({ count: 1 })]])
  })

  it.each([['an Error', new Error('enough')], ['a string', 'enough'], ['a plain object', { why: 'enough' }], ['null', null]])('an abort by %s', async (_name, reason) => {
    expect(await rejection(sandbox.run('return 1', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
    expect(only().attributes).toMatchObject({ 'sandbox.error_code': 'SANDBOX_ABORTED' })
    const { 'sandbox.runs_total': runs, 'sandbox.duration_ms': durations } = await points()
    expect(runs).toEqual([[{ 'sandbox.backend': backend, 'sandbox.outcome': 'SANDBOX_ABORTED' }, 1]])
    expect(durations ?? []).toEqual([])
  })

  it('a context that is refused, or that throws when it is read, is not an abort', async () => {
    await refusal(sandbox.run('return 1', { f() {} }))
    expect(only().attributes).toMatchObject({ 'sandbox.error_code': 'SANDBOX_INVALID_OPTIONS' })
    spans.reset()
    await rejection(sandbox.run('return 1', { get a() { throw new RangeError('mine') } }))
    expect(only().attributes['sandbox.error_code']).not.toBe('SANDBOX_ABORTED')
  })

  it('is a child of the caller\'s span', async () => {
    const tracer = trace.getTracer('caller')
    const parents = await Promise.all(['a', 'b'].map((name) => tracer.startActiveSpan(name, async (span) => {
      await sandbox.run('await new Promise(r => setTimeout(r, 5)); return 1')
      await sandbox.prepare('return 2').run()
      span.end()
      return span.spanContext()
    })))
    for (const parent of parents) {
      const children = spans.getFinishedSpans().filter((span) => span.name === 'sandbox.run' && span.parentSpanContext?.spanId === parent.spanId)
      expect(children.length).toBe(2)
      for (const span of children) expect(span.spanContext().traceId).toBe(parent.traceId)
    }
  })

  it('is the active span inside no guest, and listeners have the caller\'s', async () => {
    const tracer = trace.getTracer('caller')
    await tracer.startActiveSpan('caller', async (span) => {
      let heard: unknown
      await sandbox.run('console.log(1)', {}, { onStdout: () => (heard = trace.getActiveSpan()) as never })
      expect(heard).toBe(span)
      span.end()
    })
  })
})
