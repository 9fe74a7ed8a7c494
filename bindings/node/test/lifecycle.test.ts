/** Abort and dispose, before, during and after. */
import { afterAll, describe, expect, it } from 'vitest'

import { backends, eventually, later, refusal, refusalOf, rejection } from './harness.js'

describe.each(backends)('%s', (_backend, create) => {
  describe('abort', () => {
    const sandbox = create()
    afterAll(() => sandbox.dispose())

    it('before: nothing runs, the reason is what it rejects with', async () => {
      const { runsTotal } = sandbox.stats()
      const reason = { mine: true }
      expect(await rejection(sandbox.run('return 1', {}, { signal: AbortSignal.abort(reason) }))).toBe(reason)
      expect(await rejection(sandbox.run('return 1', {}, { signal: AbortSignal.abort() }))).toMatchObject({ name: 'AbortError' })
      expect(sandbox.stats().runsTotal).toBe(runsTotal)
    })

    it.each([
      ['spinning', 'for (;;);'],
      ['in a built-in', 'return /^(a+)+$/.test("a".repeat(40) + "!")'],
      ['waiting', 'await new Promise(r => setTimeout(r, 10000))'],
    ])('during: a guest %s ends within 50 ms', async (_name, code) => {
      const controller = new AbortController()
      const reason = new Error('enough')
      const run = rejection(sandbox.run(`console.log(1); ${code}`, {}, { signal: controller.signal }))
      await later(40)
      const start = performance.now()
      controller.abort(reason)
      expect(await run).toBe(reason)
      expect(performance.now() - start).toBeLessThan(150) // 50 for the guest, the rest for a loaded machine
    })

    it('at once after the call', async () => {
      const controller = new AbortController()
      const run = rejection(sandbox.run('for (;;);', {}, { signal: controller.signal }))
      controller.abort('now')
      expect(await run).toBe('now')
    })

    it('after: changes nothing', async () => {
      const controller = new AbortController()
      const result = await sandbox.run('return 1', {}, { signal: controller.signal })
      controller.abort()
      await later(5)
      expect(result).toMatchObject({ ok: true, value: 1 })
      expect((await sandbox.run('return 2')).value).toBe(2)
    })

    it('while queued', async () => {
      const narrow = create({ maxConcurrency: 1 })
      const first = narrow.run('const end = Date.now() + 150; while (Date.now() < end); return 1')
      const controller = new AbortController()
      const second = rejection(narrow.run('return 2', {}, { signal: controller.signal }))
      controller.abort('queued')
      expect(await second).toBe('queued')
      expect((await first).value).toBe(1)
      await narrow.dispose()
    })

    it('of one signal ends all its runs and leaves others', async () => {
      const controller = new AbortController()
      const { signal } = controller
      const script = sandbox.prepare('await new Promise(r => setTimeout(r, 10000))', { signal })
      const runs = [sandbox.run('for (;;);', {}, { signal }), script.run(), script.run()].map(rejection)
      const other = sandbox.run('await new Promise(r => setTimeout(r, 60)); return "other"')
      await later(30)
      controller.abort('all')
      expect(await Promise.all(runs)).toEqual(['all', 'all', 'all'])
      expect((await other).value).toBe('other')
    })

    it('by AbortSignal.timeout', async () => {
      expect(await rejection(sandbox.run('for (;;);', {}, { signal: AbortSignal.timeout(40) }))).toMatchObject({ name: 'TimeoutError' })
    })

    it('leaves no listener on the signal', async () => {
      const { signal } = new AbortController()
      let listeners = 0
      const { addEventListener, removeEventListener } = signal
      signal.addEventListener = (...args: unknown[]) => (listeners++, Reflect.apply(addEventListener, signal, args))
      signal.removeEventListener = (...args: unknown[]) => (listeners--, Reflect.apply(removeEventListener, signal, args))
      await sandbox.run('return 1', {}, { signal })
      await sandbox.run('throw 1', {}, { signal })
      await refusal(sandbox.run('for (;;);', {}, { signal, timeoutMs: 20 }))
      expect(listeners).toBe(0)
    })

    it('comes second to a timeout that was first', async () => {
      const controller = new AbortController()
      const error = await refusal(sandbox.run('for (;;);', {}, { signal: controller.signal, timeoutMs: 20 }))
      controller.abort()
      expect(error.code).toBe('SANDBOX_TIMEOUT')
    })
  })

  describe('dispose', () => {
    it('rejects runs in flight, then resolves', async () => {
      const sandbox = create({ maxConcurrency: 2 })
      const order: string[] = []
      const codes = ['for (;;);', 'console.log("w"); await new Promise(r => setTimeout(r, 10000))', 'return "queued"', 'return "queued"']
      const runs = codes.map((code) => refusal(sandbox.run(code)).then((error) => (order.push('run'), error)))
      await eventually(() => sandbox.stats().active === 2)
      await later(20)
      const start = performance.now()
      await sandbox.dispose().then(() => order.push('disposed'))
      expect(performance.now() - start).toBeLessThan(1000)
      for (const error of await Promise.all(runs)) expect(error).toMatchObject({ name: 'SandboxError', code: 'SANDBOX_DISPOSED' })
      expect(order).toEqual(['run', 'run', 'run', 'run', 'disposed'])
      expect((await runs[1]!).result).toMatchObject({ ok: false, stdout: 'w\n', errorCode: 'SANDBOX_DISPOSED' })
      expect(Object.hasOwn((await runs[1]!).result!, 'exitCode')).toBe(false)
    })

    it('in the same turn as the run', async () => {
      const sandbox = create()
      const run = refusal(sandbox.run('for (;;);'))
      await sandbox.dispose()
      expect((await run).code).toBe('SANDBOX_DISPOSED')
    })

    it('twice, at once or later, is fine', async () => {
      const sandbox = create()
      await Promise.all([sandbox.dispose(), sandbox.dispose()])
      await sandbox.dispose()
      await sandbox[Symbol.asyncDispose]()
    })

    it('refuses what comes after', async () => {
      const sandbox = create()
      const script = sandbox.prepare('return 1')
      const disposal = sandbox.dispose()
      for (let round = 0; round < 2; round++) {
        expect(await refusal(sandbox.run('return 1'))).toMatchObject({ code: 'SANDBOX_DISPOSED', name: 'SandboxError' })
        expect((await refusal(script.run())).code).toBe('SANDBOX_DISPOSED')
        expect(refusalOf(() => sandbox.runSync('return 1')).code).toBe('SANDBOX_DISPOSED')
        expect(refusalOf(() => sandbox.stats()).code).toBe('SANDBOX_DISPOSED')
        await disposal
      }
      expect(sandbox.isolation).toContain('sfi')
    })

    it('is what Symbol.asyncDispose does', async () => {
      const sandbox = create()
      expect((await sandbox.run('return 1')).value).toBe(1)
      await sandbox[Symbol.asyncDispose]()
      expect((await refusal(sandbox.run('return 1'))).code).toBe('SANDBOX_DISPOSED')
    })

    it('from a listener while the guest prints', async () => {
      const sandbox = create()
      let disposal: Promise<void> | undefined
      const run = refusal(sandbox.run('for (;;) console.log("x".repeat(1000))', {}, { onStdout: () => (disposal ??= sandbox.dispose()) as never }))
      expect((await run).code).toBe('SANDBOX_DISPOSED')
      await disposal
    })

    it('leaves other sandboxes alone', async () => {
      const [one, two] = [create(), create()]
      const run = two.run('await new Promise(r => setTimeout(r, 50)); return 2')
      await one.dispose()
      expect((await run).value).toBe(2)
      await two.dispose()
    })

    it('many times over, with runs in flight', async () => {
      for (let i = 0; i < 20; i++) {
        const sandbox = create({ maxConcurrency: 4 })
        const runs = Array.from({ length: 8 }, () => sandbox.run('for (let i = 0; i < 1e5; i++); console.log(1); return 1').catch((error) => error.code))
        if (i % 2) await later(i % 5)
        await sandbox.dispose()
        for (const end of await Promise.all(runs)) expect(end === 'SANDBOX_DISPOSED' || end.value === 1).toBe(true)
      }
    })
  })

  it('tells its logger of both ends of its life', async () => {
    const lines: unknown[][] = []
    const log = (level: string) => (...args: unknown[]) => void lines.push([level, ...args])
    const sandbox = create({ logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') } })
    await sandbox.run('return 1')
    await sandbox.dispose()
    await sandbox.dispose()
    expect(lines).toEqual([
      ['info', 'sandbox created', { backend: _backend, isolation: sandbox.isolation }],
      ['info', 'sandbox disposed', { backend: _backend }],
    ])
  })
})
