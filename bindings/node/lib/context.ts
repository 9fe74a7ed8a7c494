/** A context as JSON text. Each member is read once; what JSON would drop or change is refused with its path. */
import { types } from 'node:util'

import { SandboxError } from './errors.js'

const DEPTH_MOST = 1000

function refuse(path: string, what: string): never {
  const shown = path.length > 200 ? `${path.slice(0, 100)}...${path.slice(-60)}` : path
  throw new SandboxError('SANDBOX_INVALID_OPTIONS', `${shown}: ${what}`)
}

const member = (path: string, key: string) => (/^[A-Za-z_$][\w$]*$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`)

const names: Partial<Record<string, string>> = {
  function: 'a function is not data',
  symbol: 'a symbol is not data',
  bigint: 'a BigInt has no JSON form',
}

/** What JSON.stringify would look at: what toJSON gives, and the primitive in a String, Number or Boolean object. */
function unwrap(given: unknown, key: string): unknown {
  if (typeof given !== 'object' || given === null) return given
  const { toJSON } = given as { toJSON?: unknown }
  const value: unknown = typeof toJSON === 'function' ? toJSON.call(given, key) : given
  return types.isBoxedPrimitive(value) ? value.valueOf() : value
}

function copy(given: unknown, key: string, path: string, above: Set<object>): unknown {
  const value = unwrap(given, key)
  const wrong = names[typeof value]
  if (wrong !== undefined) refuse(path, wrong)
  if (typeof value === 'number' && !Number.isFinite(value)) refuse(path, `${value} has no JSON form`)
  if (typeof value !== 'object' || value === null) return value
  if (above.has(value)) refuse(path, 'a cycle has no JSON form')
  if (above.size >= DEPTH_MOST) refuse(path, `nested more than ${DEPTH_MOST} deep`)
  if (types.isMap(value) || types.isSet(value)) refuse(path, `a ${types.isMap(value) ? 'Map' : 'Set'} has no JSON form`)
  above.add(value)
  let plain: unknown
  if (Array.isArray(value)) {
    plain = Array.from(value, (item, i) => copy(item, String(i), `${path}[${i}]`, above) ?? null)
  } else {
    const object = Object.create(null) as Record<string, unknown> // so that __proto__ is a key like any other
    for (const key of Object.keys(value)) {
      const item = copy((value as Record<string, unknown>)[key], key, member(path, key), above)
      if (item !== undefined) object[key] = item
    }
    plain = object
  }
  above.delete(value)
  return plain
}

export function toContextJson(context: unknown): string | undefined {
  if (context === undefined) return undefined
  if (typeof context !== 'object' || context === null || Array.isArray(context)) refuse('context', 'must be an object')
  return JSON.stringify(copy(context, '', 'context', new Set()))
}
