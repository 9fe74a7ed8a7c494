import { createWorkerSandbox } from '@suaveplan/sandbox'

const sandbox = createWorkerSandbox({ timeoutMs: 1000 })

export async function evaluate(code, input) {
  const result = await sandbox.run(code, { input })
  if (!result.ok) throw new Error(result.error)
  return result.value
}

console.log(await evaluate('return input.a + input.b', { a: 1, b: 2 })) // → 3
