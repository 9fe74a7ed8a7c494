// smoke.mjs - both backends of the built package in a few lines, for runtimes other than the tests' own: node smoke.mjs
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'

import { SandboxError, createProcessSandbox, createWorkerSandbox } from '@suaveplan/sandbox'

const rejection = (promise) => promise.then(() => assert.fail('resolved'), (error) => error)

for (const create of [createWorkerSandbox, createProcessSandbox]) {
  const sandbox = create()
  const heard = []
  const result = await sandbox.run('console.log("é", n); return { n: n + 1, date: when }', { n: 1, when: new Date(0) }, { onStdout: (text) => heard.push(text) })
  assert.deepEqual([result.ok, result.value, result.stdout, result.exitCode, heard], [true, { n: 2, date: '1970-01-01T00:00:00.000Z' }, 'é 1\n', 0, ['é 1\n']])
  assert.equal((await sandbox.run('const n: number = 4; return n')).value, 4)
  assert.equal((await sandbox.run('throw new TypeError("bad")')).errorCode, 'SANDBOX_EXECUTION_ERROR')
  assert.equal((await sandbox.run('process.exit(7)')).exitCode, 7)
  assert.equal((await sandbox.run('return +')).errorCode, 'SANDBOX_INVALID_CODE')
  assert.equal(sandbox.runSync('return "\ud800".length + n', { n: 1 }).value, 2)

  const timeout = await rejection(sandbox.run('for (;;);', {}, { timeoutMs: 50 }))
  assert.ok(timeout instanceof SandboxError)
  assert.equal(timeout.code, 'SANDBOX_TIMEOUT')
  assert.equal((await rejection(sandbox.run('const a = []; for (;;) a.push(new Uint8Array(1e6))', {}, { memoryLimitMb: 16 }))).code, 'SANDBOX_MEMORY_EXCEEDED')
  assert.equal((await rejection(sandbox.run('return 1', { f() {} }))).code, 'SANDBOX_INVALID_OPTIONS')

  const controller = new AbortController()
  const aborted = rejection(sandbox.run('for (;;);', {}, { signal: controller.signal }))
  setTimeout(() => controller.abort('enough'), 20)
  assert.equal(await aborted, 'enough')

  const values = await Promise.all(Array.from({ length: 50 }, (_, i) => sandbox.run('return i', { i })))
  assert.deepEqual(values.map(({ value }) => value), Array.from({ length: 50 }, (_, i) => i))

  const disposed = rejection(sandbox.run('for (;;);'))
  await sandbox.dispose()
  assert.equal((await disposed).code, 'SANDBOX_DISPOSED')
  assert.equal((await rejection(sandbox.run('return 1'))).code, 'SANDBOX_DISPOSED')
}

const common = createRequire(import.meta.url)('@suaveplan/sandbox')
const sandbox = common.createWorkerSandbox()
assert.equal((await sandbox.run('return 1')).value, 1)
// No dispose: nothing of it may keep the process alive.
console.log(`smoke passed on ${process.versions.bun ? `Bun ${process.versions.bun}` : `Node ${process.versions.node}`}`)
