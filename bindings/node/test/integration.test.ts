/** The whole case corpus: each backend answers as the case says, and both answer alike. */
import { readFileSync } from 'node:fs'

import { afterAll, describe, expect, it } from 'vitest'

import { createProcessSandbox, createWorkerSandbox } from '@suaveplan/sandbox'
import type { Sandbox } from '@suaveplan/sandbox'

import { differences, faults, groups } from './cases.js'
import type { Case } from './cases.js'
import { outcome } from './harness.js'

const worker = createWorkerSandbox()
const jailed = createProcessSandbox()
afterAll(() => Promise.all([worker.dispose(), jailed.dispose()]))

const probe = `return [Object.keys(globalThis).length, typeof leftover, [].leftover, ({}).polluted, JSON.stringify({a: [1]}),
  Promise.resolve() instanceof Promise, [3, 1, 2].sort().map(String).join('-')]`
const clean = [0, 'undefined', null, null, '{"a":[1]}', true, '1-2-3']

async function run(sandbox: Sandbox, { code, context, options, lang }: Case) {
  const start = performance.now()
  const result = await outcome(sandbox.run(code, context ?? {}, { ...options, language: lang }))
  const ms = performance.now() - start
  return { result, ms, after: (await sandbox.run(probe)).value }
}

it('finds the corpus', () => {
  const cases = groups.flatMap(([, list]) => list)
  expect(cases.length).toBeGreaterThan(300)
  expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length)
})

describe.each(groups)('%s', (_group, cases) => {
  it.each(cases.map((one) => [one.id, one] as const))('%s', async (_id, one) => {
    // One after the other: a case has its time on a machine of two cores.
    const first = await run(worker, one)
    const second = await run(jailed, one)
    let different = differences(one, first.result, second.result)
    // What differs from itself on one backend is random; the case says how much of it must hold.
    if (different.length > 0 && differences(one, first.result, (await run(worker, one)).result).length > 0) different = []
    expect({
      worker: faults(one, first.result, first.ms), process: faults(one, second.result, second.ms), different, after: [first.after, second.after],
    }).toEqual({ worker: [], process: [], different: [], after: [clean, clean] })
  })
})

describe('runSync', () => {
  const plain = groups.flatMap(([, list]) => list.filter(({ expect, options }) => expect.ok === true && options === undefined))

  it('answers as run() does', () => {
    expect(plain.length).toBeGreaterThan(100)
    for (const one of plain) {
      const start = performance.now()
      const result = worker.runSync(one.code, one.context ?? {}, { language: one.lang })
      expect([one.id, faults(one, result, performance.now() - start)]).toEqual([one.id, []])
    }
  })
})

it('the version of the package is there to be read', () => {
  const { name, version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Record<string, string>
  expect([name, typeof version]).toEqual(['@suaveplan/sandbox', 'string'])
})
