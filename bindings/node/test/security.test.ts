/** What a guest must not be able to do, and what it can do all the same: each with its control. */
import { readFileSync } from 'node:fs'

import { afterAll, describe, expect, it } from 'vitest'

import { backends, outcome, refusal } from './harness.js'

const prototypes = [Object, Array, Function, String, Number, Boolean, Promise, Error, Map, Set, Uint8Array].map(({ prototype }) => prototype as object)

/** Everything that a polluting value could have changed in this process: a line each, and what stands there. */
function snapshot(): Map<string, unknown> {
  const found = new Map<string, unknown>()
  prototypes.forEach((prototype, i) => {
    found.set(`${i} above`, Object.getPrototypeOf(prototype))
    for (const key of Reflect.ownKeys(prototype)) {
      const { value, get, set, ...flags } = Object.getOwnPropertyDescriptor(prototype, key)!
      found.set(`${i} ${String(key)} ${JSON.stringify(flags)}`, value ?? get)
      found.set(`${i} ${String(key)} set`, set)
    }
  })
  return found
}

function changes(before: Map<string, unknown>): string[] {
  const now = snapshot()
  return [...new Set([...before.keys(), ...now.keys()])].filter((name) => before.get(name) !== now.get(name) || before.has(name) !== now.has(name))
}

const control = /root:/.test(readFileSync('/etc/passwd', 'utf8'))

describe.each(backends)('%s', (_backend, create) => {
  const sandbox = create()
  afterAll(() => sandbox.dispose())

  it('process.exit() is caught and reported', async () => {
    for (const code of ['process.exit(7)', 'try { process.exit(7) } catch {} finally { console.log("no") }', 'setTimeout(() => process.exit(7)); await new Promise(() => setTimeout(() => {}, 1000))'])
      expect(await sandbox.run(code)).toMatchObject({ ok: false, exitCode: 7, errorCode: 'SANDBOX_EXECUTION_ERROR', stdout: '', error: 'process.exit(7)' })
    expect((await sandbox.run('process.exit()'))).toMatchObject({ ok: false, exitCode: 0 })
  })

  it('files of the host cannot be read', async () => {
    expect(control).toBe(true) // this process can
    for (const code of [
      'return require("fs").readFileSync("/etc/passwd", "utf8")',
      'return require("node:fs/promises").readFile("/etc/passwd", "utf8")',
      'return (await import("node:fs")).readFileSync("/etc/passwd", "utf8")',
    ]) {
      const result = await sandbox.run(code)
      expect(result).toMatchObject({ ok: false, errorCode: 'SANDBOX_EXECUTION_ERROR' })
      expect(JSON.stringify(result)).not.toContain('root:')
      expect((await sandbox.run(`try { ${code} } catch (e) { return e.code }`)).value).toBe('ERR_ACCESS_DENIED')
    }
  })

  it('programs cannot be started, sockets and modules not opened', async () => {
    for (const name of ['child_process', 'node:net', 'node:http', 'worker_threads', 'vm', 'os', 'inspector'])
      expect((await sandbox.run(`try { require(${JSON.stringify(name)}) } catch (e) { return e.code }`)).value).toBe('ERR_ACCESS_DENIED')
    expect((await sandbox.run('try { require("./package.json") } catch (e) { return e.code }')).value).toBe('MODULE_NOT_FOUND')
    expect((await sandbox.run('return [typeof WebAssembly, typeof SharedArrayBuffer, Object.keys(process.env).length]')).value).toEqual(['undefined', 'undefined', 0])
  })

  it.each([
    ['a loop', 'for (;;);'],
    ['a loop that catches', 'for (;;) try { for (;;); } catch {} finally { continue }'],
    ['promises without end', 'const f = () => Promise.resolve().then(f); await f()'],
    ['timers without end', 'const f = () => setTimeout(f); f(); await new Promise(() => {})'],
    ['a regular expression', '/^(a+)+$/.test("a".repeat(50) + "!")'],
    ['a getter of the value', 'return { get a() { for (;;); } }'],
  ])('%s is stopped', async (_name, code) => {
    const start = performance.now()
    const error = await refusal(sandbox.run(code, {}, { timeoutMs: 100 }))
    expect(error.code).toBe('SANDBOX_TIMEOUT')
    expect(performance.now() - start).toBeLessThan(500)
    expect((await sandbox.run('return 1')).value).toBe(1)
  })

  it('endless recursion is the guest\'s own error', async () => {
    expect(await sandbox.run('const f = () => f() + 1; return f()')).toMatchObject({ ok: false, errorCode: 'SANDBOX_EXECUTION_ERROR' })
    expect((await sandbox.run('const f = () => f() + 1; try { f() } catch (e) { return e.name }')).value).toBe('RangeError')
  })

  it('thrown strings of 100 MB do not exhaust the runner', async () => {
    const own = create({ memoryLimitMb: 512 })
    const before = process.memoryUsage().rss
    for (const code of [
      'throw "x".repeat(1e8)', 'throw new Error("x".repeat(1e8))', 'await Promise.reject({ message: "x".repeat(1e8), stack: "y".repeat(1e8) })',
      'const e = new Error("a"); e.name = "n".repeat(1e8); e.cause = "c".repeat(1e8); throw e',
    ])
      for (let i = 0; i < 2; i++) {
        const result = await outcome(own.run(code, {}, { timeoutMs: 20_000 }))
        expect(['SANDBOX_EXECUTION_ERROR', 'SANDBOX_MEMORY_EXCEEDED']).toContain(result.errorCode)
        expect(result.error!.length).toBeLessThan(128 << 10)
      }
    expect(process.memoryUsage().rss - before).toBeLessThan(300 << 20)
    expect((await own.run('return 1')).value).toBe(1)
    await own.dispose()
  })

  it('context and results pollute no prototype, on either side', async () => {
    const before = snapshot()
    const hostile = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 2}}, "prototype": {"polluted": 3}, "toString": 4, "list": [{"__proto__": {"polluted": 5}}]}'
    const context = JSON.parse(hostile)
    const inside = `const seen = [({}).polluted, [].polluted, (() => 1).polluted, ''.polluted, Object.prototype.polluted]
      return { seen, own: Object.keys(context).sort(), list: Object.hasOwn(context.list[0], '__proto__'), proto: Object.getPrototypeOf(context) === Object.prototype }`
    for (const result of [await sandbox.run(inside, context), sandbox.runSync(inside, context)])
      expect(result.value).toEqual({
        seen: [null, null, null, null, null], own: ['__proto__', 'constructor', 'list', 'prototype', 'toString'], list: true, proto: true,
      })
    for (const code of [
      `return JSON.parse(${JSON.stringify(hostile)})`, 'return context', `return [${hostile.replace('"__proto__"', '["__proto__"]')}]`,
      `const e = new Error("m", { cause: JSON.parse(${JSON.stringify(hostile)}) }); throw e`,
      `throw new AggregateError([JSON.parse(${JSON.stringify(hostile)})])`,
      `Object.prototype.polluted = 1; Object.prototype.value = 2; Object.prototype.errorCode = 3; Array.prototype.toJSON = () => 4; return {}`,
      `throw { __proto__: null, name: "__proto__", message: "constructor", stack: {} }`,
    ])
      for (const result of [await outcome(sandbox.run(code, context)), sandbox.runSync(code, context)]) {
        expect(Object.getPrototypeOf(result)).toBe(Object.prototype)
        expect(({} as Record<string, unknown>)['polluted']).toBe(undefined)
      }
    const { value } = await sandbox.run('return context', context)
    expect(Object.hasOwn(value as object, '__proto__')).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(Object.getOwnPropertyDescriptor(value, '__proto__')!.value).toEqual({ polluted: 1 })
    expect(Object.keys(value as object).sort()).toEqual(Object.keys(context).sort())
    expect(changes(before)).toEqual([])
  })

  it('a result is made without running setters of the host', async () => {
    const names = ['ok', 'stdout', 'usage', 'a', 'isolation', 'started', 'errorCode']
    const ran: string[] = []
    for (const name of names)
      Object.defineProperty(Object.prototype, name, { configurable: true, get: () => undefined, set: () => void ran.push(name) })
    let results: unknown[]
    try {
      results = [await sandbox.run('return { a: [1] }'), sandbox.runSync('return { a: [1] }'), sandbox.runSync('throw new Error("x")')]
    } finally {
      for (const name of names) Reflect.deleteProperty(Object.prototype, name)
    }
    expect(ran).toEqual([])
    expect(results).toMatchObject([{ ok: true, value: { a: [1] } }, { ok: true }, { ok: false }])
  })

  it('nothing that a run does is seen by a later one', async () => {
    await sandbox.run(`globalThis.left = 1; Object.prototype.left = 1; Array.prototype.map = () => 'patched'; JSON.stringify = () => 'patched'
      Promise.prototype.then = () => 1; console.log = () => {}; process.env.LEFT = 1; require('path').left = 1; setTimeout(() => globalThis.late = 1, 5)`)
    const code = `await new Promise(r => setTimeout(r, 20)); console.log('heard')
      return [typeof left, typeof late, [1].map(x => x + 1), JSON.stringify({}), process.env.LEFT, require('path').left]`
    for (let i = 0; i < 5; i++)
      expect(await sandbox.run(code)).toMatchObject({ value: ['undefined', 'undefined', [2], '{}', null, null], stdout: 'heard\n' })
  })

  it('the host\'s stack, paths and environment do not show', async () => {
    process.env['CLOCHE_TEST_SECRET'] = 'hunter2'
    const code = `const seen = []
      for (let o = globalThis; o; o = Object.getPrototypeOf(o)) for (const k of Reflect.ownKeys(o)) try { seen.push(String(k), String(o[k])) } catch {}
      seen.push(new Error('x').stack, JSON.stringify(process), JSON.stringify(process.env), String(process.argv), String(process.cwd?.()))
      return seen.join('\\n')`
    const { value } = await sandbox.run(code)
    expect(value).toContain('Error')
    for (const secret of ['hunter2', process.cwd(), 'node_modules', 'cloche.node']) expect(value).not.toContain(secret)
    delete process.env['CLOCHE_TEST_SECRET']
  })
})
