/** What is refused before anything runs, and how a context is read. */
import { afterAll, describe, expect, it } from 'vitest'

import { RunOptionsSchema, SandboxOptionsSchema } from '@suaveplan/sandbox'

import { backends, refusal, refusalOf, rejection, wrong } from './harness.js'

/** Wrong for a sandbox and for a run. */
const wrongOptions: [unknown, string][] = [
  [{ timeout: 5 }, '"timeout"'],
  [JSON.parse('{"__proto__": {"timeoutMs": 1}}'), '"__proto__"'],
  [{ timeoutMs: '5' }, 'options.timeoutMs'],
  [{ timeoutMs: 0 }, 'options.timeoutMs'],
  [{ timeoutMs: 1.5 }, 'options.timeoutMs'],
  [{ timeoutMs: NaN }, 'options.timeoutMs'],
  [{ timeoutMs: 3_600_001 }, 'options.timeoutMs'],
  [{ timeoutMs: null }, 'options.timeoutMs'],
  [{ memoryLimitMb: 7 }, 'options.memoryLimitMb'],
  [{ memoryLimitMb: 4001 }, 'options.memoryLimitMb'],
  [{ maxStdoutBytes: -1 }, 'options.maxStdoutBytes'],
  [{ maxTimers: 10n }, 'options.maxTimers'],
  [{ language: 'python' }, 'options.language'],
  [{ kind: 'program' }, 'options.kind'],
  [{ filename: '' }, 'options.filename'],
  [{ drain: 1 }, 'options.drain'],
  [{ deterministic: true }, 'options.deterministic'],
  [{ deterministic: { seed: -1 } }, 'options.deterministic.seed'],
  [{ deterministic: { now: '0' } }, 'options.deterministic.now'],
  [{ deterministic: { sed: 1 } }, 'options.deterministic'],
  [{ onStdout: 'log' }, 'options.onStdout'],
  [{ onStderr: {} }, 'options.onStderr'],
  [{ functions: {} }, '"functions"'],
  [5, 'options'],
  ['timeoutMs', 'options'],
  [[], 'options'],
  [() => 1, 'options'],
]

const wrongForSandbox: [unknown, string][] = [
  ...wrongOptions,
  [{ allowFs: true }, 'options.allowFs'],
  [{ allowNetwork: ['example.com'] }, 'options.allowNetwork'],
  [{ logger: {} }, 'options.logger'],
  [{ logger: null }, 'options.logger'],
  [{ logger: { debug() {}, info() {}, warn() {}, error: 1 } }, 'options.logger'],
  [{ maxConcurrency: 0 }, 'options.maxConcurrency'],
  [{ maxQueue: '1' }, 'options.maxQueue'],
  [{ maxTotalMemoryMb: 1 }, 'options.maxTotalMemoryMb'],
  [{ requireIsolation: 'seccomp' }, 'options.requireIsolation'],
  [{ requireIsolation: ['sfi', 'walls'] }, 'options.requireIsolation.1'],
  [{ freshness: 'new' }, 'options.freshness'],
  [{ signal: new AbortController().signal }, '"signal"'],
]

const wrongForRun: [unknown, string][] = [
  ...wrongOptions,
  [null, 'options'],
  [{ signal: {} }, 'options.signal'],
  [{ signal: new AbortController() }, 'options.signal'],
  [{ allowFs: false }, '"allowFs"'],
  [{ maxConcurrency: 1 }, '"maxConcurrency"'],
  [{ freshness: 'jail' }, '"freshness"'],
  [{ logger: console }, '"logger"'],
]

const cycle: Record<string, unknown> = { list: [1] }
;(cycle['list'] as unknown[]).push({ up: cycle })

function nested(levels: number): Record<string, unknown> {
  let value: Record<string, unknown> = {}
  for (let i = 1; i < levels; i++) value = { a: value }
  return value
}

const wrongContexts: [unknown, string][] = [
  [null, 'context'],
  [5, 'context'],
  ['text', 'context'],
  [[1], 'context'],
  [() => 1, 'context'],
  [{ f() {} }, 'context.f'],
  [{ a: { b: [0, { 'c d': Symbol('s') }] } }, 'context.a.b[1]["c d"]'],
  [{ n: 10n }, 'context.n'],
  [{ m: new Map() }, 'context.m: a Map'],
  [{ list: [new Set()] }, 'context.list[0]: a Set'],
  [{ n: NaN }, 'context.n: NaN'],
  [{ n: [-Infinity] }, 'context.n[0]: -Infinity'],
  [cycle, 'context.list[1].up'],
  [nested(1001), 'context.a.a.a'],
  [{ toJSON: () => [1] }, 'context'],
  [{ toJSON: () => 1 }, 'context'],
  [{ a: { toJSON: () => () => 1 } }, 'context.a'],
]

describe.each(backends)('%s', (backend, create) => {
  const sandbox = create()
  afterAll(() => sandbox.dispose())

  it('refuses wrong options of a sandbox at once, with their path', () => {
    for (const [options, path] of wrongForSandbox) {
      const error = refusalOf(() => create(wrong(options)))
      expect(error.code).toBe('SANDBOX_INVALID_OPTIONS')
      expect(error.message).toContain(path)
      expect(Object.hasOwn(error, 'result') && error.result !== undefined).toBe(false)
    }
  })

  it('refuses wrong options of a run before it runs, with their path', async () => {
    const { runsTotal } = sandbox.stats()
    for (const [options, path] of wrongForRun) {
      const error = await refusal(sandbox.run('return 1', {}, wrong(options)))
      expect(error.code).toBe('SANDBOX_INVALID_OPTIONS')
      expect(error.message).toContain(path)
      expect(refusalOf(() => sandbox.runSync('return 1', {}, wrong(options))).code).toBe('SANDBOX_INVALID_OPTIONS')
      expect(refusalOf(() => sandbox.prepare('return 1', wrong(options))).code).toBe('SANDBOX_INVALID_OPTIONS')
    }
    expect(sandbox.stats().runsTotal).toBe(runsTotal)
  })

  it('takes every option that the contract has, at its bounds', async () => {
    for (const options of [
      {}, undefined,
      { timeoutMs: 1, cpuTimeMs: 1, queueTimeoutMs: 1, memoryLimitMb: 8, maxStdoutBytes: 1, maxStderrBytes: 1, maxResultBytes: 1, maxContextBytes: 2, maxSourceBytes: 1, maxTimers: 1, maxConcurrency: 1, maxQueue: 1 },
      { timeoutMs: 3_600_000, memoryLimitMb: 4000, allowFs: false, allowNetwork: false, requireIsolation: ['sfi'], logger: console, onStdout() {}, onStderr() {} },
      { timeoutMs: undefined, allowFs: undefined, logger: undefined, deterministic: undefined },
    ] as const) {
      const made = create(options === undefined ? undefined : { ...options, logger: undefined } as never)
      await made.dispose()
    }
  })

  it('reads each option once', async () => {
    const reads: Record<string, number> = {}
    const counted = (values: Record<string, unknown>) =>
      Object.defineProperties({}, Object.fromEntries(Object.entries(values).map(([name, value]) => [name, {
        enumerable: true, get: () => ((reads[name] = (reads[name] ?? 0) + 1), value),
      }])))
    const own = create(counted({ timeoutMs: 5000, language: 'js', drain: false }))
    expect(reads).toEqual({ timeoutMs: 1, language: 1, drain: 1 })
    for (const run of [
      (options: never) => own.run('return 1', {}, options), (options: never) => own.prepare('return 1').run({}, options),
      (options: never) => own.prepare('return 1', options).run(), async (options: never) => own.runSync('return 1', {}, options),
    ]) {
      for (const name of Object.keys(reads)) delete reads[name]
      expect((await run(counted({ timeoutMs: 1000, kind: 'body', maxTimers: 3 }) as never)).value).toBe(1)
      expect(reads).toEqual({ timeoutMs: 1, kind: 1, maxTimers: 1 })
    }
    await own.dispose()
  })

  it('refuses a layer that does not stand', async () => {
    if (backend === 'worker') {
      const error = refusalOf(() => create({ requireIsolation: ['sfi', 'seccomp'] }))
      expect(error).toMatchObject({ name: 'SandboxError', code: 'SANDBOX_INVALID_OPTIONS', message: expect.stringContaining('seccomp') })
    } else {
      const strict = create({ requireIsolation: ['sfi', 'seccomp', 'userns', 'pidns', 'netns', 'mountns'] })
      expect((await strict.run('return 1')).isolation).toEqual(strict.isolation)
      await strict.dispose()
    }
  })

  it('has freshness where there are processes', async () => {
    if (backend === 'worker') {
      for (const freshness of ['process', 'jail'] as const)
        expect(refusalOf(() => create({ freshness }))).toMatchObject({ code: 'SANDBOX_INVALID_OPTIONS', message: expect.stringContaining('options.freshness') })
      return
    }
    for (const freshness of ['process', 'jail'] as const) {
      const own = create({ freshness, maxConcurrency: 1 })
      await own.run('globalThis.left = 1; Object.prototype.left = 1')
      expect((await own.run('return typeof left + typeof ({}).left')).value).toBe('undefinedundefined')
      await own.dispose()
    }
  })

  it('refuses a context that JSON would change, with its path', async () => {
    for (const [context, path] of wrongContexts) {
      const error = await refusal(sandbox.run('return 1', wrong(context)))
      expect(error.code).toBe('SANDBOX_INVALID_OPTIONS')
      expect(error.message).toContain(path)
      expect(refusalOf(() => sandbox.runSync('return 1', wrong(context))).message).toBe(error.message)
    }
  })

  it('takes what JSON can say', async () => {
    const context = {
      text: 'é😀\u0000\ud800', n: [0, -1.5, 1e300, 5e-324, 2 ** 53], yes: true, nothing: null, empty: {}, list: [],
      'a b': 1, '': 2, ünïcode: 3, toString: 4, hasOwnProperty: 5, constructor: { prototype: 6 }, undefined: 7,
    }
    expect((await sandbox.run('return context', context)).value).toEqual(context)
    expect((await sandbox.run('return [yes, list, toString]', context)).value).toEqual([true, [], 4])
  })

  it('makes strings of dates, drops undefined, honours toJSON', async () => {
    const context = {
      date: new Date(86_400_000), never: new Date(NaN), gone: undefined, list: [undefined, 1, , 2], nested: { gone: undefined },
      own: { toJSON: () => ({ by: 'toJSON' }) }, none: { toJSON: () => undefined }, notOne: { toJSON: 5 },
    }
    expect((await sandbox.run('return context', context)).value).toEqual({
      date: '1970-01-02T00:00:00.000Z', never: null, list: [null, 1, null, 2], nested: {}, own: { by: 'toJSON' }, notOne: { toJSON: 5 },
    })
  })

  it('takes String, Number and Boolean objects as what they hold, as JSON does', async () => {
    const context = { s: new String('ab'), n: new Number(5), b: new Boolean(false) }
    expect((await sandbox.run('return context', context)).value).toEqual({ s: 'ab', n: 5, b: false })
    expect((await refusal(sandbox.run('return 1', { n: new Number(NaN) }))).message).toContain('context.n')
  })

  it('sees the same object twice, which is no cycle', async () => {
    const shared = { n: 1 }
    expect((await sandbox.run('return context', { a: shared, b: [shared, shared] })).value).toEqual({ a: { n: 1 }, b: [{ n: 1 }, { n: 1 }] })
  })

  it('takes own members of any object, as JSON does', async () => {
    class Point { x = 1; get y() { return 2 } }
    const bare = Object.assign(Object.create(null), { z: 3 })
    const inherited = Object.create({ not: 'own' }, { hidden: { value: 1 }, seen: { value: 2, enumerable: true } })
    expect((await sandbox.run('return context', { point: new Point(), bare, inherited, [Symbol('s')]: 1 })).value)
      .toEqual({ point: { x: 1 }, bare: { z: 3 }, inherited: { seen: 2 } })
  })

  it('goes 1000 deep', async () => {
    const code = 'let n = 1; for (let c = context; c.a; c = c.a) n++; return n'
    expect((await sandbox.run(code, nested(1000))).value).toBe(1000)
  })

  it('reads each member of a context once', async () => {
    let reads = 0
    const context = { a: { get b() { return ++reads } }, get c() { return [++reads] } }
    expect((await sandbox.run('return [context.a.b, c]', context)).value).toEqual([1, [2]])
    let toJsonReads = 0
    const converted = { get toJSON() { toJsonReads++; return () => 'converted' } }
    expect((await sandbox.run('return a', { a: converted })).value).toBe('converted')
    expect(toJsonReads).toBe(1)
  })

  it('rejects with what a getter throws', async () => {
    const mine = new RangeError('mine')
    expect(await rejection(sandbox.run('return 1', { get a() { throw mine } }))).toBe(mine)
  })

  it('takes the context as it is at the call', async () => {
    const context = { list: [1] }
    const run = sandbox.run('return list', context)
    context.list.push(2)
    expect((await run).value).toEqual([1])
  })

  it('has __proto__ as data in a context', async () => {
    const context = JSON.parse('{"__proto__": {"polluted": 1}, "a": {"__proto__": {"polluted": 2}, "b": 3}}')
    const code = `return [Object.hasOwn(context, '__proto__'), context.a.b, ({}).polluted, context.a.polluted,
      Object.getOwnPropertyDescriptor(context.a, '__proto__').value.polluted]`
    expect((await sandbox.run(code, context)).value).toEqual([true, 3, null, null, 2])
  })
})

it('the schemas are exported', () => {
  expect(SandboxOptionsSchema.parse({ timeoutMs: 10, allowFs: false })).toEqual({ timeoutMs: 10, allowFs: false })
  expect(SandboxOptionsSchema.safeParse({ nope: 1 }).success).toBe(false)
  const { signal } = new AbortController()
  expect(RunOptionsSchema.parse({ signal })).toEqual({ signal })
  expect(RunOptionsSchema.safeParse({ allowFs: false }).success).toBe(false)
})
