/** Output as it comes. */
import { AsyncLocalStorage } from 'node:async_hooks'

import { afterAll, describe, expect, it } from 'vitest'

import { backends, child, later, refusal } from './harness.js'

describe.each(backends)('%s', (backend, create) => {
  const sandbox = create()
  afterAll(() => sandbox.dispose())

  it('is heard while the guest runs, in order', async () => {
    const heard: [string, string, number][] = []
    const start = performance.now()
    const hear = (stream: string) => (text: string) => void heard.push([stream, text, performance.now() - start])
    const code = 'console.log("a"); console.error("b"); await new Promise(r => setTimeout(r, 200)); console.log("c")'
    const result = await sandbox.run(code, {}, { onStdout: hear('out'), onStderr: hear('err') })
    expect(heard.map(([stream, text]) => [stream, text])).toEqual([['out', 'a\n'], ['err', 'b\n'], ['out', 'c\n']])
    expect(heard[0]![2]).toBeLessThan(heard[2]![2] - 100)
    expect(result).toMatchObject({ stdout: 'a\nc\n', stderr: 'b\n' })
  })

  it('may be heard on one stream only', async () => {
    const heard: string[] = []
    const code = 'console.log("out"); console.error("err"); console.log("more")'
    await sandbox.run(code, {}, { onStdout: (text) => heard.push(text) })
    await sandbox.run(code, {}, { onStderr: (text) => heard.push(text) })
    expect(heard).toEqual(['out\n', 'more\n', 'err\n'])
  })

  it('goes to the sandbox\'s listeners, or to the run\'s own', async () => {
    const heard: string[] = []
    const own = create({ onStdout: (text) => heard.push(`s ${text}`), onStderr: (text) => heard.push(`e ${text}`) })
    await own.run('console.log(1); console.error(2)')
    await own.run('console.log(3); console.error(4)', {}, { onStdout: (text) => heard.push(`r ${text}`) })
    expect(heard).toEqual(['s 1\n', 'e 2\n', 'r 3\n', 'e 4\n'])
    await own.dispose()
  })

  it('never splits a character', async () => {
    const pieces: string[] = []
    const own = create({ maxStdoutBytes: 4 << 20 })
    const result = await own.run('for (const c of ["é", "€", "😀"]) process.stdout.write("x" + c.repeat(100_000) + "\\n")', {}, {
      onStdout: (text) => pieces.push(text),
    })
    await own.dispose()
    expect(pieces.some((text) => text.includes('\ufffd') || /\p{Surrogate}/u.test(text))).toBe(false)
    expect(pieces.join('')).toBe(result.stdout)
    expect(result.stdout.length).toBe(3 * 2 + 100_000 + 100_000 + 200_000)
  })

  it('is heard as the result has it, byte order marks and NULs too', async () => {
    let heard = ''
    const result = await sandbox.run('console.log("\\ufeffmark \\u0000"); console.log("\\ud800")', {}, { onStdout: (text) => (heard += text) })
    expect(result.stdout).toBe('\ufeffmark \u0000\n\ufffd\n')
    expect(heard).toBe(result.stdout)
  })

  it('is heard whole where the result keeps a part, by a slow listener too', async () => {
    let heard = 0
    const code = 'const line = "x".repeat(1023); for (let i = 0; i < 12288; i++) console.log(line)'
    const result = await sandbox.run(code, {}, { timeoutMs: 30_000, onStdout: (text) => {
      heard += text.length
      if (heard % (1 << 20) < 1024) for (const end = performance.now() + 5; performance.now() < end;);
    } })
    expect(heard).toBe(12 << 20)
    expect(result.truncated.stdout).toBe(11 << 20)
  })

  it('is heard before the run ends as it does', async () => {
    const heard: string[] = []
    const error = await refusal(sandbox.run('console.log("before"); for (;;);', {}, { timeoutMs: 50, onStdout: (text) => heard.push(text) }))
    expect(error.result!.stdout).toBe('before\n')
    expect(heard).toEqual(['before\n'])
  })

  it('is heard in the async context of whoever asked for the run', async () => {
    const storage = new AsyncLocalStorage<string>()
    const seen: unknown[] = []
    const one = (name: string) => storage.run(name, async () => {
      await sandbox.run('console.log(1); await new Promise(r => setTimeout(r, 10)); console.error(2)', {}, {
        onStdout: () => seen.push(`${name} ${storage.getStore()}`),
        onStderr: async () => { await later(1); seen.push(`${name} ${storage.getStore()}`) },
      })
      seen.push(`${name} ${storage.getStore()}`)
    })
    await Promise.all([one('a'), one('b')])
    await later(20)
    expect(seen.sort()).toEqual(['a a', 'a a', 'a a', 'b b', 'b b', 'b b'])
    expect(storage.getStore()).toBe(undefined)
  })

  it('a listener that throws is an uncaught exception; the run goes on', async () => {
    const { code, stdout, stderr } = await child('throwing-listener.mjs', backend)
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual({ caught: ['from onStdout', 'from onStdout'], value: 'done', after: 2 })
    expect(code).toBe(0)
  })

  it('a listener that throws ends a process that catches nothing, as any callback does', async () => {
    const { code, stderr } = await child('throwing-listener.mjs', backend, 'uncaught')
    expect(code).not.toBe(0)
    expect(stderr).toContain('from onStdout')
  })
})
