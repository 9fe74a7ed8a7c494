// extract.mjs - takes the WebAssembly module out of the package's JavaScript, where it is written as base64
//
//   node extract.mjs wasm.js OUT.wasm
import { readFileSync, writeFileSync } from 'node:fs'

const [, , from, to] = process.argv
const text = readFileSync(from, 'utf8')
const found = [...text.matchAll(/Buffer\.from\('([A-Za-z0-9+/=]+)', 'base64'\)/g)]
if (found.length !== 1) throw new Error(`${from}: expected one module written as base64, found ${found.length}`)

const bytes = Buffer.from(found[0][1], 'base64')
if (!WebAssembly.validate(bytes)) throw new Error(`${from}: what it carries is not a WebAssembly module`)
writeFileSync(to, bytes)
