/** The caller's event loop: never blocked, never kept alive, any number of them. */
import { AsyncLocalStorage } from 'node:async_hooks'

import { afterAll, describe, expect, it } from 'vitest'

import { backends, child } from './harness.js'

/** How late the loop's timers were at most while something went on. */
async function lateness(during: () => Promise<unknown>): Promise<number> {
  let worst = 0
  let due = performance.now() + 5
  const timer = setInterval(() => {
    const now = performance.now()
    worst = Math.max(worst, now - due)
    due = now + 5
  }, 5)
  await during()
  clearInterval(timer)
  return Math.max(worst, performance.now() - due)
}

describe.each(backends)('%s', (backend, create) => {
  const sandbox = create()
  afterAll(() => sandbox.dispose())

  it('timers are on time while a guest spins', async () => {
    // A blocked loop is late every time; a busy machine is not: the best of three counts.
    const worst = []
    for (let i = 0; i < 3; i++)
      worst.push(await lateness(() => sandbox.run('for (;;);', {}, { timeoutMs: 300 }).catch(() => undefined)))
    expect(Math.min(...worst)).toBeLessThan(50)
  })

  it.each(['"x"', '"x".repeat(100_000)'])('timers are on time while a guest prints %s without end, and it can be aborted', async (text) => {
    const worst = []
    for (let i = 0; i < 3; i++) {
      const controller = new AbortController()
      const timer = setTimeout(() => controller.abort('enough'), 200)
      worst.push(await lateness(async () => {
        const run = sandbox.run(`const text = ${text}; for (;;) process.stdout.write(text)`, {}, { timeoutMs: 1000, signal: controller.signal, onStdout() {} })
        expect(await run.catch((error: unknown) => error)).toBe('enough')
      }))
      clearTimeout(timer)
    }
    expect(Math.min(...worst)).toBeLessThan(50)
  })

  it('the store of AsyncLocalStorage is the caller\'s after await', async () => {
    const storage = new AsyncLocalStorage<number>()
    const stores = await Promise.all(Array.from({ length: 20 }, (_, i) =>
      storage.run(i, async () => {
        const { value } = await sandbox.run('await new Promise(r => setTimeout(r, n % 3)); return n', { n: i })
        await sandbox.run('throw 1')
        return [value, storage.getStore()]
      })))
    expect(stores).toEqual(Array.from({ length: 20 }, (_, i) => [i, i]))
  })

  it.each(['esm', 'cjs'])('a process ends at once after its last run, without dispose: %s', async (kind) => {
    const { code, stdout, stderr, ms } = await child(kind === 'esm' ? 'exits.mjs' : 'exits.cjs', backend)
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: '2\n', stderr: '' })
    expect(ms).toBeLessThan(2000)
  })

  it('process.exit in the middle of runs ends the process', async () => {
    const { code, stderr, ms } = await child('exits-busy.mjs', backend)
    expect({ code, stderr }).toEqual({ code: 3, stderr: '' })
    expect(ms).toBeLessThan(2500)
  })

  it('a process waits for its runs and for nothing else', async () => {
    const { code, stdout } = await child('waits.mjs', backend)
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'done\ndisposed\n' })
  })

  it('worker threads load the addon at once; one ends in the middle of a run, the others go on', async () => {
    const { code, stdout, stderr } = await child('threads.mjs', backend)
    expect(stderr).toBe('')
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({ values: [0, 1, 2, 3].map((n) => Array.from({ length: 50 }, (_, i) => n * 1000 + i)), main: 'main', again: 1 })
  })
})

it('subpaths give the same functions', async () => {
  const [{ createWorkerSandbox }, { createProcessSandbox }, all] = await Promise.all([
    import('@suaveplan/sandbox/worker'), import('@suaveplan/sandbox/process'), import('@suaveplan/sandbox'),
  ])
  expect([createWorkerSandbox, createProcessSandbox]).toEqual([all.createWorkerSandbox, all.createProcessSandbox])
  expect(Object.keys(all).sort()).toEqual(
    ['RunOptionsSchema', 'SANDBOX_ERROR_CODES', 'SandboxError', 'SandboxOptionsSchema', 'createProcessSandbox', 'createWorkerSandbox', 'registerSandboxErrorCodes'])
})

it('says what is missing where there is no build', async () => {
  const { stdout } = await child('no-build.mjs')
  expect(JSON.parse(stdout)).toMatchObject({ name: 'Error', message: expect.stringMatching(/no build for \w+-\w+.*not installed/) })
})
