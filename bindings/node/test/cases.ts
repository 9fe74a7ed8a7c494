/** The corpus of tests/cases, and what its README says of a case. */
import { readFileSync, readdirSync } from 'node:fs'

import type { RunOptions, SandboxResult } from '@suaveplan/sandbox'

export interface Case {
  id: string
  group: string
  lang: 'js' | 'ts'
  code: string
  context?: Record<string, unknown>
  options?: RunOptions
  expect: {
    ok?: boolean; value?: unknown; valueContains?: string; stdout?: string; stderrContains?: string; errorCode?: string
    errorCodeIn?: (string | null)[]; errorContains?: string; maxDurationMs?: number
  }
}

const folder = new URL('../../../tests/cases/', import.meta.url)

export const groups: [string, Case[]][] = readdirSync(folder)
  .filter((name) => name.endsWith('.jsonl'))
  .sort()
  .map((name) => [
    name.replace('.jsonl', ''),
    readFileSync(new URL(name, folder), 'utf8').split('\n').filter((line) => line.trim() !== '').map((line) => JSON.parse(line) as Case),
  ])

/** Deep JSON equality: own keys in any order, `-0` equals `0`. */
export function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  return keys.length === Object.keys(b).length &&
    keys.every((key) => Object.hasOwn(b, key) && isSame((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key]))
}

const text = (value: unknown) => JSON.stringify(value)?.slice(0, 300)

/** What is wrong with a result; nothing: []. */
export function faults({ expect }: Case, result: SandboxResult, ms: number): string[] {
  const out: string[] = []
  const claim = (holds: boolean, what: string) => void (holds || out.push(what))
  const value = result.value ?? null
  const code = result.errorCode ?? null
  const error = result.error ?? ''
  claim(result.ok === (code === null), `ok ${result.ok} goes with errorCode ${code}`)
  if (expect.ok !== undefined) claim(result.ok === expect.ok, `ok is ${result.ok}: ${error}`)
  if ('value' in expect && (result.ok || !expect.errorCodeIn?.includes(null))) claim(isSame(value, expect.value), `value is ${text(value)}`)
  if (expect.valueContains !== undefined)
    claim((typeof value === 'string' ? value : JSON.stringify(value)).includes(expect.valueContains), `value is ${text(value)}`)
  if (expect.stdout !== undefined) claim(result.stdout === expect.stdout, `stdout is ${text(result.stdout)}`)
  if (expect.stderrContains !== undefined) claim(result.stderr.includes(expect.stderrContains), `stderr is ${text(result.stderr)}`)
  if (expect.errorCode !== undefined) claim(code === expect.errorCode, `errorCode is ${code}: ${error}`)
  if (expect.errorCodeIn !== undefined) claim(expect.errorCodeIn.includes(code), `errorCode is ${code}: ${error}`)
  if (expect.errorContains !== undefined) claim(error.includes(expect.errorContains), `error is ${text(error)}`)
  if (expect.maxDurationMs !== undefined) claim(ms <= expect.maxDurationMs, `took ${ms.toFixed(0)} ms`)
  return out
}

/** Where two answers differ. Output that was cut off in the middle of a run is compared only where the case pins it down. */
export function differences(one: Case, a: SandboxResult, b: SandboxResult): string[] {
  const isStopped = a.errorCode === 'SANDBOX_TIMEOUT' || a.errorCode === 'SANDBOX_MEMORY_EXCEEDED'
  // Where a case leaves the end open, which of its limits comes first is a race.
  const isOpen = a.errorCode !== b.errorCode && one.expect.errorCodeIn?.includes(a.errorCode ?? null) && one.expect.errorCodeIn.includes(b.errorCode ?? null)
  const ends = isOpen === true ? [] : (['ok', 'errorCode', 'value'] as const)
  const names = [...ends, ...(isStopped && one.expect.stdout === undefined ? [] : (['stdout', 'stderr'] as const))]
  return names.filter((name) => !isSame(a[name as 'ok'], b[name as 'ok'])).map((name) => `${name}: ${text(a[name as 'ok'])} and ${text(b[name as 'ok'])}`)
}
