import sandbox = require('@suaveplan/sandbox')
import worker = require('@suaveplan/sandbox/worker')
import inProcess = require('@suaveplan/sandbox/process')

const options: sandbox.SandboxOptions = { timeoutMs: 1 }
const one: sandbox.Sandbox = worker.createWorkerSandbox(options)
const two: sandbox.Sandbox = inProcess.createProcessSandbox(options)
const results: Promise<sandbox.SandboxResult>[] = [one.run('return 1'), two.run('return 1', { a: 1 })]
const code = (error: unknown) => (error instanceof sandbox.SandboxError ? error.code : undefined)
export = { code, results }
