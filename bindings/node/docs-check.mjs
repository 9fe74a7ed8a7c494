// docs-check.mjs - what README.md and docs/ say is so: examples run and print what they promise, tables match the code
//
// A block that begins with ```js examples/NAME quotes that file. It is run under Node, and under Bun where it is
// installed; its output is what the comments "// → …" say, a line each.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, extname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'

const folder = dirname(fileURLToPath(import.meta.url))
const bun = process.env.BUN ?? join(folder, 'node_modules/@oven/bun-linux-x64/bin/bun')
const pages = ['README.md', ...readdirSync(join(folder, 'docs')).map((name) => `docs/${name}`)]
const read = (path) => readFileSync(join(folder, path), 'utf8')

let passed = 0
let failed = 0
function check(isGood, what, detail = '') {
  if (isGood) return passed++
  failed++
  console.error(`FAIL  ${what}${detail === '' ? '' : `\n${detail.replace(/^/gm, '      ')}`}`)
}

/** Fenced blocks, with the line behind the fence's ticks. */
const blocksOf = (text) => [...text.matchAll(/^```(\w*) ?(.*)\n([\s\S]*?)^```$/gm)].map(([, language, info, body]) => ({ language, info, body }))

const isRunnable = ({ language, info }) => ['js', 'ts', 'cjs'].includes(language) && info.startsWith('examples/')

// ---- examples ----

function promised(source) {
  return [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, line]) => `${line}\n`).join('')
}

function run(command, path) {
  try {
    return execFileSync(command, [path], { encoding: 'utf8', cwd: folder, timeout: 60_000, stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    return `${error.stdout}${error.stderr}\n${error.message.split('\n')[0]}`
  }
}

/** Node reads no TypeScript before version 23: it gets what the compiler makes of it. */
function runInNode(path, source) {
  if (extname(path) !== '.ts') return run(process.execPath, path)
  const made = path.replace(/\.ts$/, '.tmp.mjs')
  writeFileSync(join(folder, made), ts.transpile(source, { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 }))
  try {
    return run(process.execPath, made)
  } finally {
    rmSync(join(folder, made))
  }
}

function checkExamples(quoted) {
  for (const name of readdirSync(join(folder, 'examples'))) {
    const path = `examples/${name}`
    const source = read(path)
    check(quoted.has(path), `${path} is quoted by a page`)
    check(promised(source) !== '', `${path} says what it prints`)
    const runtimes = [['Node', () => runInNode(path, source)]]
    if (existsSync(bun)) runtimes.push(['Bun', () => run(bun, path)])
    else console.error(`SKIP  ${path} under Bun: it is not installed`)
    for (const [runtime, start] of runtimes) {
      const printed = start()
      check(printed === promised(source), `${path} under ${runtime} prints what it promises`, `expected:\n${promised(source)}got:\n${printed}`)
    }
  }
}

// ---- pages ----

const anchor = (heading) => heading.toLowerCase().replace(/[^\w\- ]/g, '').replaceAll(' ', '-')
const headings = (text) => [...text.replace(/^```[\s\S]*?^```$/gm, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading)

function checkLinks(page, text) {
  for (const [, target] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
    if (/^\w+:/.test(target)) continue
    const [path, fragment] = target.split('#')
    const file = path === '' ? page : relative(folder, join(folder, dirname(page), path))
    check(existsSync(join(folder, file)), `${page}: the link ${target} leads somewhere`)
    if (fragment === undefined || !existsSync(join(folder, file))) continue
    check(headings(read(file)).map(anchor).includes(fragment), `${page}: the section of ${target} exists`)
  }
}

function checkPage(page, quoted) {
  const text = read(page)
  const examples = blocksOf(text).filter(isRunnable)
  for (const { info, body } of examples) {
    quoted.add(info)
    check(existsSync(join(folder, info)) && read(info) === body, `${page}: the block is ${info} to the letter`)
  }
  checkLinks(page, text)
  if (page === 'README.md') return
  const words = text.replace(/^```[\s\S]*?^```$/gm, '').match(/[A-Za-z][\w'-]*/g) ?? []
  check(words.length >= 200, `${page}: at least 200 words`, `it has ${words.length}`)
  check(examples.length >= 2, `${page}: at least two examples`)
  check(headings(text).includes('API reference'), `${page}: a section "API reference"`)
}

// ---- tables ----

const rowOf = (text, name) => text.split('\n').find((line) => line.startsWith(`| \`${name}\``))
const toNumber = (text) => Number(text.replaceAll(/\s/g, ''))

async function checkTables(text) {
  const sandbox = await import('@suaveplan/sandbox')
  for (const name of Object.keys(sandbox)) check(text.includes(`\`${name}`), `README.md names the export ${name}`)
  for (const code of Object.keys(sandbox.SANDBOX_ERROR_CODES)) check(rowOf(text, code) !== undefined, `README.md has a row for ${code}`)
  const { shape } = sandbox.SandboxOptionsSchema
  for (const name of new Set([...Object.keys(shape), ...Object.keys(sandbox.RunOptionsSchema.shape)])) {
    const row = rowOf(text, name)
    check(row !== undefined, `README.md has a row for the option ${name}`)
    const bounds = row?.match(/\| (\d[\d ]*) to (\d[\d ]*) \|/)
    if (!bounds) continue
    const [least, most] = bounds.slice(1).map(toNumber)
    const accepts = (value) => shape[name].safeParse(value).success
    check(accepts(least) && accepts(most) && !accepts(least - 1) && !accepts(most + 1), `README.md has the bounds of ${name}`)
    const perRun = row.split('|').at(-2).trim().startsWith('both')
    check(perRun === name in sandbox.RunOptionsSchema.shape, `README.md says where ${name} may be given`)
  }
}

/** Members of exported types, as the compiler sees them in the declarations. */
function checkTypes(text) {
  const path = join(folder, 'dist/esm/types.d.ts')
  const file = ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.ES2022)
  const visit = (node) => {
    if (ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node)) check(text.includes(`\`${node.name.text}\``), `sandbox.types.md names ${node.name.text}`)
    if ((ts.isPropertySignature(node) || ts.isMethodSignature(node)) && ts.isIdentifier(node.name))
      check(new RegExp(`\\b${node.name.text}\\b`).test(text), `sandbox.types.md names the member ${node.name.text}`)
    ts.forEachChild(node, visit)
  }
  visit(file)
}

const quoted = new Set()
for (const page of pages) checkPage(page, quoted)
await checkTables(read('README.md'))
checkTypes(read('docs/sandbox.types.md'))
checkExamples(quoted)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
