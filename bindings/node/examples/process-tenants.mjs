import { createProcessSandbox } from '@suaveplan/sandbox/process'

// One sandbox per tenant: a jailed process serves many runs, of this tenant only, and its memory is reset between them.
const tenants = new Map(['north', 'south'].map((name) => [name, createProcessSandbox({ freshness: 'jail', memoryLimitMb: 32 })]))

const code = 'globalThis.visits = (globalThis.visits ?? 0) + 1; return `${tenant}: ${visits}`'
for (const tenant of ['north', 'south', 'north']) {
  const { value } = await tenants.get(tenant).run(code, { tenant })
  console.log(value) // in turn
}
// → north: 1
// → south: 1
// → north: 1

// A run may ask for less memory than its sandbox, and never for more: the jail is built for the sandbox's sizes.
await tenants.get('north').run('return 1', undefined, { memoryLimitMb: 16 })
try {
  await tenants.get('north').run('return 1', undefined, { memoryLimitMb: 64 })
} catch (error) {
  console.log(error.code) // → SANDBOX_INVALID_OPTIONS
}

await Promise.all([...tenants.values()].map((sandbox) => sandbox.dispose()))
