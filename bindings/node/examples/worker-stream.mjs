import { createWorkerSandbox } from '@suaveplan/sandbox/worker'

const sandbox = createWorkerSandbox()

// Output is heard while the guest makes it, and comes back whole in the result.
const result = await sandbox.run(
  'for (const step of ["read", "sort"]) { console.log(step); await new Promise((go) => setTimeout(go, 5)) }',
  undefined,
  { onStdout: (text) => console.log('heard', text.trim()) },
)
// → heard read
// → heard sort
console.log(JSON.stringify(result.stdout)) // → "read\nsort\n"

// An abort ends any code, and the promise is rejected with the signal's reason.
const controller = new AbortController()
setTimeout(() => controller.abort(new Error('the user has left')), 20)
try {
  await sandbox.run('for (;;) {}', undefined, { signal: controller.signal })
} catch (error) {
  console.log(error.message) // → the user has left
}

await sandbox.dispose()
