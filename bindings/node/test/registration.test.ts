/** The error codes, and the package that may want to know them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { SANDBOX_ERROR_CODES, SandboxError, createWorkerSandbox, registerSandboxErrorCodes } from '@suaveplan/sandbox'

type Errors = typeof import('../lib/errors.js')

/** A copy of the module that has registered nothing yet, in a host whose @suaveplan/error is this text. */
async function register(name: string, registry: string | undefined): Promise<unknown[]> {
  const folder = mkdtempSync(join(tmpdir(), 'cloche-'))
  const own = join(folder, 'node_modules/@suaveplan/error')
  if (registry !== undefined) {
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'index.js'), registry)
  }
  const heard: unknown[] = []
  const before = process.cwd()
  Object.assign(globalThis, { hear: (codes: unknown) => heard.push(codes) })
  try {
    process.chdir(folder)
    const errors = (await import(/* @vite-ignore */ new URL(`../lib/errors.ts?${name}`, import.meta.url).href)) as Errors
    expect(heard).toEqual([]) // importing has no effect
    errors.registerSandboxErrorCodes()
    errors.registerSandboxErrorCodes()
  } finally {
    process.chdir(before)
    rmSync(folder, { recursive: true })
    Reflect.deleteProperty(globalThis, 'hear')
  }
  return heard
}

it('registers once where the host has @suaveplan/error', async () => {
  expect(await register('there', 'exports.registerErrorCodes = globalThis.hear')).toEqual([SANDBOX_ERROR_CODES])
})

it('does without it, or with one that registers nothing', async () => {
  expect(await register('absent', undefined)).toEqual([])
  expect(await register('other', 'exports.other = 1')).toEqual([])
  expect(await register('broken', 'throw new Error("broken")')).toEqual([])
})

it('is done by the first sandbox, and may be done again', async () => {
  await createWorkerSandbox().dispose()
  registerSandboxErrorCodes()
  registerSandboxErrorCodes()
})

it('names the five codes and the host\'s four', () => {
  expect(Object.keys(SANDBOX_ERROR_CODES).sort()).toEqual([
    'SANDBOX_ABORTED', 'SANDBOX_BUSY', 'SANDBOX_DISPOSED', 'SANDBOX_EXECUTION_ERROR', 'SANDBOX_INTERNAL', 'SANDBOX_INVALID_CODE',
    'SANDBOX_INVALID_OPTIONS', 'SANDBOX_MEMORY_EXCEEDED', 'SANDBOX_TIMEOUT',
  ])
  expect(Object.isFrozen(SANDBOX_ERROR_CODES)).toBe(true)
})

it('an error is an Error with a code', () => {
  const error = new SandboxError('SANDBOX_BUSY', 'full')
  expect(error).toBeInstanceOf(Error)
  expect(`${error}`).toBe('SandboxError: full')
  expect(error.code).toBe('SANDBOX_BUSY')
  expect(error.result).toBe(undefined)
})
