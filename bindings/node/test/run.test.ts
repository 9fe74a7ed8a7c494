/** A run and its answer, alike on both backends. */
import { afterAll, describe, expect, it } from 'vitest'

import { backends, eventually, outcome, refusal, refusalOf, rejection, thrown, wrong } from './harness.js'

const okKeys = [
  'duration', 'exitCode', 'isolation', 'ok', 'queueMs', 'started', 'stderr', 'stdout', 'truncated', 'usage', 'value',
]

describe.each(backends)('%s', (backend, create) => {
  const sandbox = create()
  afterAll(() => sandbox.dispose())

  describe('value', () => {
    it.each([
      ['return 1 + 1', 2],
      ['return "text é 😀 \\u0000"', 'text é 😀 \u0000'],
      ['return null', null],
      ['return false', false],
      ['return [1, [2, { a: 3 }]]', [1, [2, { a: 3 }]]],
      ['return { a: undefined, f() {}, n: NaN, i: Infinity, l: [undefined, () => 1] }', { n: null, i: null, l: [null, null] }],
      ['return new Date(0)', '1970-01-01T00:00:00.000Z'],
      ['return { toJSON() { return "by toJSON" } }', 'by toJSON'],
      ['return await new Promise(r => setTimeout(() => r("later"), 5))', 'later'],
      ['return { then(f) { f("thenable") } }', 'thenable'],
      ['export default 7', 7],
      ['export default (c) => c.a', 1],
      ['export const x = 1, y = 2', { x: 1, y: 2 }],
      ['return "\\ud800"', '\ud800'],
    ])('%s', async (code, value) => {
      expect((await sandbox.run(code, { a: 1 })).value).toEqual(value)
    })

    it.each(['', 'return', 'return undefined', 'return () => 1', 'return Symbol()', '// nothing'])(
      'is absent for %j', async (code) => {
        const result = await sandbox.run(code)
        expect(result.ok).toBe(true)
        expect(Object.hasOwn(result, 'value')).toBe(false)
      },
    )

    it.each([
      ['return 1n', 'value'],
      ['const a = {}; a.a = a; return a', 'value.a'],
      ['return { items: [0, Promise.resolve(1)] }', 'value.items[1]'],
    ])('that has no JSON form is an error with its path: %s', async (code, path) => {
      const result = await sandbox.run(code)
      expect(result).toMatchObject({ ok: false, errorCode: 'SANDBOX_EXECUTION_ERROR' })
      expect(result.error).toContain(path)
    })

    it('may be 1 MiB and more', async () => {
      const { value } = await sandbox.run('return "é".repeat(1 << 19) + "x".repeat(1 << 20)')
      expect(value).toBe('é'.repeat(1 << 19) + 'x'.repeat(1 << 20))
    })

    it('is new for every run', async () => {
      const [a, b] = await Promise.all([sandbox.run('return {}'), sandbox.run('return {}')])
      expect(a!.value).not.toBe(b!.value)
      expect(a!.isolation).not.toBe(b!.isolation)
      expect(a!.isolation).toEqual(b!.isolation)
    })
  })

  describe('result', () => {
    it('has every field when all is well', async () => {
      const result = await sandbox.run('console.log("out"); console.error("err"); return { a: 1 }')
      expect(Object.keys(result).sort()).toEqual(okKeys)
      expect(result).toMatchObject({
        ok: true, value: { a: 1 }, stdout: 'out\n', stderr: 'err\n', exitCode: 0, started: true,
        truncated: { stdout: 0, stderr: 0 }, isolation: sandbox.isolation,
      })
      expect(Object.keys(result.usage).sort()).toEqual(['cpuMs', 'hostCalls', 'memoryPeakBytes', 'pending'])
      for (const number of [result.duration, result.usage.cpuMs]) expect(number).toBeGreaterThan(0)
      for (const number of [result.queueMs, result.usage.memoryPeakBytes, result.usage.hostCalls, result.usage.pending])
        expect(number).toBeGreaterThanOrEqual(0)
    })

    it('has the guest\'s error in detail', async () => {
      const result = await sandbox.run('function f() { throw new TypeError("bad", { cause: new Error("root") }) }\nf()')
      expect(Object.keys(result).sort()).toEqual([...okKeys, 'error', 'errorCode', 'errorDetail'].filter((k) => k !== 'value').sort())
      expect(result).toMatchObject({ ok: false, exitCode: 1, errorCode: 'SANDBOX_EXECUTION_ERROR', started: true })
      expect(result.error).toMatch(/^TypeError: bad\n +at f \(main\.js:1:/)
      expect(result.errorDetail).toMatchObject({
        name: 'TypeError', message: 'bad', line: 1, stack: expect.stringContaining('main.js:2:'),
        cause: { name: 'Error', message: 'root' },
      })
    })

    it('has the errors of an AggregateError', async () => {
      const { errorDetail } = await sandbox.run('throw new AggregateError([new RangeError("one"), "two"], "many")')
      expect(errorDetail).toMatchObject({ name: 'AggregateError', message: 'many', errors: [{ name: 'RangeError', message: 'one' }, 'two'] })
    })

    it.each([
      ['throw "a string"', 'a string'],
      ['throw null', 'null'],
      ['await Promise.reject(new Error("rejected"))', 'rejected'],
      ['Promise.reject(new Error("unhandled")); await new Promise(r => setTimeout(r, 5))', 'unhandled'],
      ['setTimeout(() => { throw new Error("in a timer") }); await new Promise(r => setTimeout(r, 50))', 'in a timer'],
      ['await new Promise(() => {})', 'settle'],
    ])('is an answer, not a rejection, for %s', async (code, text) => {
      const result = await sandbox.run(code)
      expect(result).toMatchObject({ ok: false, exitCode: 1, errorCode: 'SANDBOX_EXECUTION_ERROR' })
      expect(result.error).toContain(text)
    })

    it('counts timers that were dropped, or waits for them when told to', async () => {
      const code = 'setTimeout(() => console.log("late"), 20); return 1'
      expect(await sandbox.run(code)).toMatchObject({ value: 1, stdout: '', usage: { pending: 1 } })
      expect(await sandbox.run(code, {}, { drain: true })).toMatchObject({ value: 1, stdout: 'late\n', usage: { pending: 0 } })
    })

    it.each([
      [0, 0], [3, 3], [255, 255],
    ])('reports process.exit(%i)', async (given, exitCode) => {
      const result = await sandbox.run(`console.log("before"); try { process.exit(${given}) } finally { console.log("after") }`)
      expect(result).toMatchObject({ ok: false, exitCode, errorCode: 'SANDBOX_EXECUTION_ERROR', stdout: 'before\n' })
      expect(result.error).toContain('process.exit')
    })
  })

  describe('source', () => {
    it('that does not parse is SANDBOX_INVALID_CODE with its place', async () => {
      const result = await sandbox.run('const a = 1\nreturn a +;')
      expect(result).toMatchObject({ ok: false, exitCode: 1, errorCode: 'SANDBOX_INVALID_CODE', started: false })
      expect(result.errorDetail).toMatchObject({ name: 'SyntaxError', line: 2 })
    })

    it('may have lone surrogates', async () => {
      expect((await sandbox.run('return ["\ud800", "\udc00".length, "😀"]')).value).toEqual(['\ud800', 1, '😀'])
      expect(sandbox.runSync('return "\ud800" + context.a', { a: '\udfff' }, { filename: 'x.js' }).value).toBe('\ud800\udfff')
    })

    it('must be a string', async () => {
      for (const code of [undefined, null, 5, {}, ['return 1'], new String('return 1'), () => 1]) {
        expect(await refusal(sandbox.run(wrong(code)))).toMatchObject({ code: 'SANDBOX_INVALID_OPTIONS', message: expect.stringContaining('code') })
        expect(refusalOf(() => sandbox.runSync(wrong(code)))).toMatchObject({ code: 'SANDBOX_INVALID_OPTIONS' })
        expect(refusalOf(() => sandbox.prepare(wrong(code)))).toMatchObject({ code: 'SANDBOX_INVALID_OPTIONS' })
      }
    })

    it('may be TypeScript', async () => {
      const code = 'enum E { A = 4, B }\ninterface I { n: number }\nconst i: I = { n: E.B }\nreturn i.n as number'
      expect((await sandbox.run(code)).value).toBe(5)
      expect((await sandbox.run(code, {}, { language: 'ts' })).value).toBe(5)
      expect(await sandbox.run(code, {}, { language: 'js' })).toMatchObject({ ok: false, errorCode: 'SANDBOX_INVALID_CODE' })
      expect((await sandbox.run('let a: number = ;', {}, { language: 'ts' })).errorCode).toBe('SANDBOX_INVALID_CODE')
    })

    it('keeps its lines through TypeScript', async () => {
      const { errorDetail } = await sandbox.run('interface A {\n  b: string\n}\nconst a: A | null = null\n;(a as any).b', {}, { language: 'ts' })
      expect(errorDetail).toMatchObject({ name: 'TypeError', line: 5 })
    })

    it('is read as its kind and by its name', async () => {
      expect((await sandbox.run('1 + 1', {}, { kind: 'script' })).value).toBe(2)
      expect((await sandbox.run('(c) => c.a + 1', { a: 1 }, { kind: 'function' })).value).toBe(2)
      expect((await sandbox.run('export default 2', {}, { kind: 'module' })).value).toBe(2)
      expect((await sandbox.run('export default 2', {}, { kind: 'body' })).errorCode).toBe('SANDBOX_INVALID_CODE')
      expect((await sandbox.run('throw new Error("x")', {}, { filename: 'rule.js' })).error).toContain('rule.js:1:')
    })

    it('may ask for the same random numbers and clock', async () => {
      const code = 'return [Math.random(), Date.now()]'
      const options = { deterministic: { seed: 7, now: 1000 } }
      const [a, b, c] = await Promise.all([sandbox.run(code, {}, options), sandbox.run(code, {}, options), sandbox.run(code)])
      expect(a!.value).toEqual(b!.value)
      expect((a!.value as number[])[1]).toBe(1000)
      expect(a!.value).not.toEqual(c!.value)
    })
  })

  describe('console', () => {
    it('goes to stdout and stderr, formatted', async () => {
      const result = await sandbox.run(`
        console.log('a', 1, null, undefined, true); console.info('%s is %d', 'b', 2); console.debug({ c: [3] })
        console.warn('w'); console.error(new Error('e').message); console.trace('t')`)
      expect(result.stdout).toBe("a 1 null undefined true\nb is 2\n{ c: [ 3 ] }\n")
      expect(result.stderr).toMatch(/^w\ne\nTrace: t/)
    })

    it('comes back on every outcome', async () => {
      const code = (end: string) => `console.log("out"); console.error("err"); ${end}`
      for (const [end, options] of [
        ['throw 1', {}], ['process.exit(4)', {}], ['for (;;);', { timeoutMs: 60 }],
        ['const a = []; for (;;) a.push(new Uint8Array(1e6))', { memoryLimitMb: 16 }],
      ] as const)
        expect(await outcome(sandbox.run(code(end), {}, options))).toMatchObject({ stdout: 'out\n', stderr: 'err\n' })
    })

    it('is cut at its limit, at a character, and counted', async () => {
      const result = await sandbox.run('process.stdout.write("€".repeat(1000)); process.stderr.write("é".repeat(1000))', {}, { maxStdoutBytes: 100, maxStderrBytes: 101 })
      expect(result).toMatchObject({ stdout: '€'.repeat(33), stderr: 'é'.repeat(50), truncated: { stdout: 3000 - 99, stderr: 2000 - 100 } })
    })

    it('may be huge: what is over the limit costs nothing', async () => {
      const result = await sandbox.run('const line = "x".repeat(1023); for (let i = 0; i < 16384; i++) console.log(line)', {}, { timeoutMs: 20_000 })
      expect(result.stdout.length).toBe(1 << 20)
      expect(result.truncated).toEqual({ stdout: 15 << 20, stderr: 0 })
    })
  })

  describe('context', () => {
    it('is there whole and as globals, for this run only', async () => {
      const context = { user: { name: 'Ada' }, list: [1, 2] }
      const code = 'user.name = "changed"; list.push(3); return [context.user.name, list.length, typeof left]'
      expect((await sandbox.run(code, context)).value).toEqual(['changed', 3, 'undefined'])
      expect(context).toEqual({ user: { name: 'Ada' }, list: [1, 2] })
      await sandbox.run('globalThis.left = 1')
      expect((await sandbox.run('return [typeof user, typeof left, context]')).value).toEqual(['undefined', 'undefined', {}])
    })
  })

  describe('limits of a run', () => {
    it('timeoutMs', async () => {
      const start = performance.now()
      const error = await refusal(sandbox.run('console.log(1); for (;;);', {}, { timeoutMs: 80 }))
      expect(performance.now() - start).toBeLessThan(1000)
      expect(error).toMatchObject({
        name: 'SandboxError', code: 'SANDBOX_TIMEOUT', message: expect.stringContaining('80'),
        result: { ok: false, stdout: '1\n', exitCode: 124, errorCode: 'SANDBOX_TIMEOUT', started: true },
      })
      expect(error.result!.duration).toBeGreaterThanOrEqual(80)
    })

    it('timeoutMs while it waits', async () => {
      const error = await refusal(sandbox.run('await new Promise(r => setTimeout(r, 10000))', {}, { timeoutMs: 60 }))
      expect(error).toMatchObject({ code: 'SANDBOX_TIMEOUT', result: { exitCode: 124 } })
      expect(error.result!.usage.cpuMs).toBeLessThan(60)
    })

    it('cpuTimeMs', async () => {
      const error = await refusal(sandbox.run('for (;;);', {}, { cpuTimeMs: 60 }))
      expect(error).toMatchObject({ code: 'SANDBOX_TIMEOUT', message: expect.stringContaining('CPU') })
    })

    it('memoryLimitMb', async () => {
      const error = await refusal(sandbox.run('const a = []; for (;;) a.push(new Uint8Array(1e6).fill(1))', {}, { memoryLimitMb: 16 }))
      expect(error).toMatchObject({
        code: 'SANDBOX_MEMORY_EXCEEDED', message: expect.stringContaining('16'), result: { ok: false, exitCode: 137 },
      })
      expect(error.result!.usage.memoryPeakBytes).toBeGreaterThan(8 << 20)
      expect(error.result!.usage.memoryPeakBytes).toBeLessThanOrEqual(16 << 20)
    })

    it('maxResultBytes', async () => {
      const result = await sandbox.run('return "x".repeat(1000)', {}, { maxResultBytes: 100 })
      expect(result).toMatchObject({ ok: false, errorCode: 'SANDBOX_EXECUTION_ERROR', error: expect.stringContaining('maxResultBytes') })
    })

    it('maxSourceBytes and maxContextBytes', async () => {
      for (const [options, context] of [[{ maxSourceBytes: 20 }, {}], [{ maxContextBytes: 20 }, { a: 'x'.repeat(20) }]] as const)
        expect(await refusal(sandbox.run('return "12345678901234567890"', context, options))).toMatchObject({
          code: 'SANDBOX_INVALID_OPTIONS', message: expect.stringContaining(Object.keys(options)[0]!),
        })
    })

    it('maxTimers', async () => {
      const code = 'try { for (let i = 0; i < 9; i++) setTimeout(() => {}, 1000) } catch (e) { return e.code }'
      expect((await sandbox.run(code, {}, { maxTimers: 5 })).value).toBe('ERR_LIMIT')
      expect(Object.hasOwn(await sandbox.run(code), 'value')).toBe(false)
    })

    it('are the sandbox\'s own where a run says nothing', async () => {
      const small = create({ timeoutMs: 60, memoryLimitMb: 16, maxStdoutBytes: 3, language: 'js', kind: 'script', filename: 'mine.js', drain: true, deterministic: { seed: 1 } })
      expect((await refusal(small.run('for (;;);'))).message).toContain('60')
      expect((await refusal(small.run('for (;;);', {}, { timeoutMs: 90 }))).message).toContain('90')
      expect((await refusal(small.run('const a = []; for (;;) a.push(new Uint8Array(1e6))', {}, { timeoutMs: 5000 }))).code).toBe('SANDBOX_MEMORY_EXCEEDED')
      expect(await small.run('console.log("12345"); setTimeout(() => 1, 5); Math.random()')).toMatchObject({
        stdout: '123', value: (await small.run('Math.random()')).value, usage: { pending: 0 },
      })
      expect((await small.run('throw new Error("x")')).error).toContain('mine.js')
      expect((await small.run('let x: number = 1')).errorCode).toBe('SANDBOX_INVALID_CODE')
      await small.dispose()
    })

    it('places: maxConcurrency, maxQueue and queueTimeoutMs', async () => {
      const narrow = create({ maxConcurrency: 1, maxQueue: 1, queueTimeoutMs: 30_000 })
      const spin = 'const end = Date.now() + 200; while (Date.now() < end);'
      const first = narrow.run(spin)
      await eventually(() => narrow.stats().active === 1)
      const second = narrow.run('return 2')
      const third = await refusal(narrow.run('return 3'))
      expect(third.code).toBe('SANDBOX_BUSY')
      expect((await first).ok).toBe(true)
      expect((await second).value).toBe(2)
      expect((await second).queueMs).toBeGreaterThan(50)
      const fourth = narrow.run(spin)
      expect((await refusal(narrow.run('return 5', {}, { queueTimeoutMs: 20 }))).code).toBe('SANDBOX_BUSY')
      await fourth
      await narrow.dispose()
    })
  })

  it('runs 100 at once', async () => {
    const runs = Array.from({ length: 100 }, (_, i) => sandbox.run('await new Promise(r => setTimeout(r, i % 7)); console.log(i); return i * 2', { i }))
    const results = await Promise.all(runs)
    expect(results.map(({ value }) => value)).toEqual(Array.from({ length: 100 }, (_, i) => i * 2))
    expect(results.map(({ stdout }) => stdout)).toEqual(Array.from({ length: 100 }, (_, i) => `${i}\n`))
  })

  describe('runSync', () => {
    it('answers on the spot, as run() does', () => {
      expect(sandbox.runSync('return a + 1', { a: 1 })).toMatchObject({ ok: true, value: 2, exitCode: 0, isolation: sandbox.isolation })
      expect(Object.keys(sandbox.runSync('return 1')).sort()).toEqual(okKeys)
      expect(sandbox.runSync('console.log(1); throw new Error("x")')).toMatchObject({ ok: false, stdout: '1\n', errorCode: 'SANDBOX_EXECUTION_ERROR' })
      expect(sandbox.runSync('return +')).toMatchObject({ ok: false, errorCode: 'SANDBOX_INVALID_CODE' })
      expect(sandbox.runSync('await new Promise(r => setTimeout(r, 5)); return "waited"').value).toBe('waited')
    })

    it('throws where run() rejects', () => {
      expect(refusalOf(() => sandbox.runSync('for (;;);', {}, { timeoutMs: 60 }))).toMatchObject({ code: 'SANDBOX_TIMEOUT', result: { exitCode: 124 } })
      expect(refusalOf(() => sandbox.runSync('', {}, { maxContextBytes: 2 }) && sandbox.runSync('', { a: 1 }, { maxContextBytes: 2 })).code).toBe('SANDBOX_INVALID_OPTIONS')
      for (const [name, value] of [['signal', new AbortController().signal], ['onStdout', () => {}], ['onStderr', () => {}]] as const)
        expect(refusalOf(() => sandbox.runSync('', {}, wrong({ [name]: value })))).toMatchObject({ code: 'SANDBOX_INVALID_OPTIONS', message: expect.stringContaining(name) })
    })
  })

  it('a host that cannot take the value says so, and goes on', async () => {
    const { parse } = JSON
    const failure = new RangeError('no memory for a value')
    JSON.parse = (text, ...rest) => {
      if (text === '"too much"') throw failure
      return Reflect.apply(parse, JSON, [text, ...rest]) as unknown
    }
    try {
      expect(thrown(() => sandbox.runSync('return "too much"'))).toBe(failure)
      expect(await rejection(sandbox.run('return "too much"'))).toBe(failure)
    } finally {
      JSON.parse = parse
    }
    expect((await sandbox.run('return "too much"')).value).toBe('too much')
  })

  it('prepare keeps a source and its options', async () => {
    const script = sandbox.prepare('return [a, typeof before]; var before')
    expect((await script.run({ a: 1 })).value).toEqual([1, 'undefined'])
    expect((await script.run({ a: 2 }, { timeoutMs: 1000 })).value).toEqual([2, 'undefined'])
    const spinning = sandbox.prepare('for (;;);', { timeoutMs: 50 })
    expect((await refusal(spinning.run())).message).toContain('50')
    expect((await refusal(spinning.run({}, { timeoutMs: 70 }))).message).toContain('70')
    expect(refusalOf(() => sandbox.prepare('', wrong({ nope: 1 }))).code).toBe('SANDBOX_INVALID_OPTIONS')
    expect((await refusal(spinning.run({}, wrong({ nope: 1 })))).message).toContain('nope')
  })

  it('stats count', async () => {
    const own = create({ maxConcurrency: 3 })
    const before = own.stats()
    expect(Object.keys(before).sort()).toEqual(
      ['active', 'imageBytes', 'memoryBytes', 'queued', 'runsOk', 'runsTotal', 'slots', 'stops', 'threads', 'traps'])
    for (const number of Object.values(before)) expect(number).toBeGreaterThanOrEqual(0)
    await own.run('return 1')
    await own.run('throw 1')
    await refusal(own.run('for (;;);', {}, { timeoutMs: 30 }))
    own.runSync('')
    await eventually(() => own.stats().active === 0)
    expect(own.stats()).toMatchObject({ runsTotal: 4, runsOk: 2, stops: 1, active: 0, queued: 0 })
    await own.dispose()
  })

  it('says which layers stand', () => {
    if (backend === 'worker') expect(sandbox.isolation).toEqual(['sfi'])
    else expect(sandbox.isolation).toEqual(expect.arrayContaining(['sfi', 'seccomp', 'netns']))
  })
})
