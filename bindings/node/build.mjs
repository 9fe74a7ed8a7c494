// build.mjs - lib/*.ts to dist/esm and dist/cjs; the addon is the CMake target cloche_node
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const folder = dirname(fileURLToPath(import.meta.url))
const dist = join(folder, 'dist')
const tsc = (...rest) => execFileSync(process.execPath, [join(folder, 'node_modules/typescript/bin/tsc'), '-p', folder, ...rest], { stdio: 'inherit' })

rmSync(dist, { recursive: true, force: true })
for (const [name, type, ...options] of [
  ['esm', 'module'],
  ['cjs', 'commonjs', '--module', 'CommonJS', '--moduleResolution', 'Node10'],
]) {
  const out = join(dist, name)
  mkdirSync(out, { recursive: true })
  // Written first: the compiler reads from it which kind of module the folder holds.
  writeFileSync(join(out, 'package.json'), `{ "type": "${type}" }\n`)
  tsc('--outDir', out, ...options)
  for (const file of ['native.cjs', 'native.d.cts']) copyFileSync(join(folder, 'lib', file), join(out, file))
}
