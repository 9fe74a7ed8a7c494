// pack-test.mjs - the package as its users get it: packed, installed where nothing can be compiled, imported every way
//
//   node pack-test.mjs [FOLDER]     FOLDER: a package to pack in place of this one
import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = dirname(fileURLToPath(import.meta.url))
const folder = resolve(process.argv[2] ?? here)
const bun = process.env.BUN ?? join(here, 'node_modules/@oven/bun-linux-x64/bin/bun')
const module = (path) => join(here, 'node_modules', path)
const work = mkdtempSync(join(tmpdir(), 'sandbox-pack-'))

let passed = 0
let failed = 0
function check(isGood, what, detail = '') {
  if (isGood) return passed++
  failed++
  console.error(`FAIL  ${what}${detail === '' ? '' : `\n${String(detail).trim().replace(/^/gm, '      ')}`}`)
}

/** What was printed, or the failure. */
function run(command, args, options = {}) {
  try {
    const text = execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000, ...options })
    return { isGood: true, text }
  } catch (error) {
    return { isGood: false, text: `${error.stdout ?? ''}${error.stderr ?? ''}${error.stdout || error.stderr ? '' : error.message}` }
  }
}

function find(name) {
  const place = process.env.PATH.split(delimiter).find((path) => existsSync(join(path, name)))
  if (place === undefined) throw new Error(`${name} is not on PATH`)
  return join(place, name)
}

// ---- the tarball ----

function pack() {
  const { isGood, text } = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: folder })
  if (!isGood) throw new Error(text)
  const [{ filename, files, size, unpackedSize }] = JSON.parse(text)
  const mib = (bytes) => `${(bytes / 1048576).toFixed(1)} MiB`
  console.log(`tarball: ${files.length} files, ${mib(size)}, unpacked ${mib(unpackedSize)}`)
  const names = files.map(({ path }) => path)
  for (const needed of ['package.json', 'README.md', 'prebuilds/linux-x64-glibc/cloche.node', 'dist/esm/index.js', 'dist/cjs/index.js', 'dist/esm/native.cjs', 'dist/cjs/native.cjs'])
    check(names.includes(needed), `the tarball has ${needed}`)
  const meant = /^(package\.json|README\.md|LICENSE|docs\/[\w.-]+\.md|dist\/(esm|cjs)\/([\w-]+\.(js|d\.ts|cjs|d\.cts)|package\.json)|prebuilds\/[\w-]+\/cloche\.node)$/
  for (const name of names) check(meant.test(name), `the tarball has nothing but what is meant: ${name}`)
  for (const [, target] of readFileSync(join(folder, 'README.md'), 'utf8').matchAll(/\]\(([^)#\s]+)/g))
    if (!/^\w+:/.test(target)) check(names.includes(target), `the tarball has what its README links to: ${target}`)
  return join(work, filename)
}

function checkManifest() {
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  for (const name of ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'])
    check(manifest.scripts?.[name] === undefined, `package.json has no script ${name}`)
  check(!existsSync(join(folder, 'binding.gyp')), 'there is no binding.gyp, for which npm would call a compiler')
  check(manifest.sideEffects === false, 'package.json says that there are no side effects')
  const targets = (value) => (typeof value === 'string' ? [value] : Object.values(value).flatMap(targets))
  for (const target of targets([manifest.exports, manifest.main, manifest.types, manifest.module ?? []]))
    check(existsSync(join(folder, target)), `package.json leads to a file: ${target}`)
}

// ---- installed where there is no compiler ----

/** A PATH with node, npm and a shell, and compilers that leave a trace. */
function makePath() {
  const bin = join(work, 'bin')
  mkdirSync(bin)
  for (const name of ['node', 'npm', 'sh']) symlinkSync(name === 'node' ? process.execPath : find(name), join(bin, name))
  for (const name of ['cc', 'gcc', 'c++', 'g++', 'clang', 'make', 'cmake', 'python3', 'node-gyp']) {
    writeFileSync(join(bin, name), `#!${find('sh')}\necho ${name} >> ${work}/compiled\nexit 1\n`)
    chmodSync(join(bin, name), 0o755)
  }
  return bin
}

const listing = (path) => readdirSync(path, { recursive: true }).filter((name) => statSync(join(path, name)).isFile()).sort()

function install(tarball, name, path, ...options) {
  const place = join(work, name)
  mkdirSync(place)
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n')
  const env = { ...process.env, PATH: path, npm_config_audit: 'false', npm_config_fund: 'false', npm_config_foreground_scripts: 'true' }
  const { isGood, text } = run(join(path, 'npm'), ['install', ...options, tarball], { cwd: place, env })
  check(isGood, `npm install ${options.join(' ')} works`, text)
  check(!/^> /m.test(text), `npm install ${options.join(' ')} runs no script`, text)
  check(!existsSync(join(work, 'compiled')), 'nothing was compiled')
  return place
}

// ---- used ----

const body = `
  const tell = async (make) => {
    const sandbox = make({ timeoutMs: 5000 })
    const { value } = await sandbox.run('const n: number = a; return n + 1', { a: 41 })
    const looped = await sandbox.run('for (;;) {}', {}, { timeoutMs: 50 }).catch((error) => error.code)
    await sandbox.dispose()
    return [value, looped, typeof sandbox.runSync].join(' ')
  }
`
const said = '42 SANDBOX_TIMEOUT function'
const ways = [
  ['main.mjs', `import { createWorkerSandbox, createProcessSandbox } from '@suaveplan/sandbox'`],
  ['parts.mjs', `import { createWorkerSandbox } from '@suaveplan/sandbox/worker'; import { createProcessSandbox } from '@suaveplan/sandbox/process'`],
  ['main.cjs', `const { createWorkerSandbox, createProcessSandbox } = require('@suaveplan/sandbox')`],
  ['parts.cjs', `const { createWorkerSandbox } = require('@suaveplan/sandbox/worker'); const { createProcessSandbox } = require('@suaveplan/sandbox/process')`],
  ['both.mjs', `import { createRequire } from 'node:module'; import { createWorkerSandbox } from '@suaveplan/sandbox';
    const { createProcessSandbox } = createRequire(import.meta.url)('@suaveplan/sandbox')`],
]

function use(place) {
  const runtimes = [['Node', process.execPath]]
  if (existsSync(bun)) runtimes.push(['Bun', bun])
  else console.error('SKIP  Bun: it is not installed')
  for (const [file, head] of ways) {
    const tail = `Promise.all([tell(createWorkerSandbox), tell(createProcessSandbox)]).then((all) => console.log(all.join('\\n')))`
    writeFileSync(join(place, file), `${head}\n${body}\n${tail}\n`)
    for (const [runtime, command] of runtimes) {
      const { isGood, text } = run(command, [file], { cwd: place, timeout: 60_000 })
      check(isGood && text === `${said}\n${said}\n`, `${file} under ${runtime}`, text)
    }
  }
}

/** Each folder of types-test is a project of its kind; the package is the installed one. */
function typecheck(place) {
  const tsc = module('typescript/bin/tsc')
  for (const name of readdirSync(join(here, 'types-test'))) {
    const project = join(place, 'types', name)
    mkdirSync(project, { recursive: true })
    for (const file of readdirSync(join(here, 'types-test', name)))
      writeFileSync(join(project, file), readFileSync(join(here, 'types-test', name, file)))
    const { isGood, text } = run(process.execPath, [tsc, '-p', project])
    check(isGood, `types: tsc --strict, ${name}`, text)
  }
}

function attw(tarball) {
  const cli = JSON.parse(readFileSync(module('@arethetypeswrong/cli/package.json'), 'utf8'))
  const { isGood, text } = run(process.execPath, [module(join('@arethetypeswrong/cli', cli.bin.attw)), tarball, '--profile', 'node16', '--format', 'ascii', '--no-emoji'])
  check(isGood, 'types resolve in node16 and bundler', text)
}

try {
  checkManifest()
  const tarball = pack()
  const path = makePath()
  const place = install(tarball, 'plain', path)
  const unscripted = install(tarball, 'unscripted', path, '--ignore-scripts')
  const inside = (where) => listing(join(where, 'node_modules/@suaveplan/sandbox')).join('\n')
  check(inside(place) === inside(unscripted), 'both installations have the same files')
  use(place)
  use(unscripted)
  typecheck(place)
  attw(tarball)
} finally {
  rmSync(work, { recursive: true, force: true })
}
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
