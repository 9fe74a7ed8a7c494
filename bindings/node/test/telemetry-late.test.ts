/** Without an SDK, and with one that is set up after the first run. */
import { metrics, trace } from '@opentelemetry/api'
import { AggregationTemporality, InMemoryMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { afterAll, expect, it } from 'vitest'

import { createWorkerSandbox } from '@suaveplan/sandbox'

const sandbox = createWorkerSandbox()
afterAll(async () => {
  await sandbox.dispose()
  trace.disable()
  metrics.disable()
})

it('works without an SDK', async () => {
  expect(await sandbox.run('return "no SDK"')).toMatchObject({ ok: true, value: 'no SDK' })
})

it('an SDK that is set up after the first run is heard all the same', async () => {
  const spans = new InMemorySpanExporter()
  const measured = new InMemoryMetricExporter(AggregationTemporality.DELTA)
  const reader = new PeriodicExportingMetricReader({ exporter: measured, exportIntervalMillis: 3_600_000 })
  const meters = new MeterProvider({ readers: [reader] })
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] }))
  metrics.setGlobalMeterProvider(meters)
  await sandbox.run('return 1')
  await reader.forceFlush()
  expect(spans.getFinishedSpans().length).toBe(1)
  const names = measured.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics: list }) => list.map(({ descriptor }) => descriptor.name)))
  expect(names.sort()).toEqual(['sandbox.duration_ms', 'sandbox.runs_total'])
  await meters.shutdown()
})
