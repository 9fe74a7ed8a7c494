// native.cjs - finds the addon: in this package, or in one for another platform
'use strict'
const { existsSync } = require('node:fs')
const { join } = require('node:path')

let native

function libc() {
  const report = process.report?.getReport?.()
  const header = typeof report === 'string' ? JSON.parse(report).header : report?.header
  return header?.glibcVersionRuntime || existsSync('/lib64/ld-linux-x86-64.so.2') ? 'glibc' : 'musl'
}

module.exports = function load() {
  if (native !== undefined) return native
  const platform = `${process.platform}-${process.arch}${process.platform === 'linux' ? `-${libc()}` : ''}`
  const own = join(__dirname, '..', '..', 'prebuilds', platform, 'cloche.node')
  if (existsSync(own)) return (native = require(own))
  const other = `@suaveplan/sandbox-${platform}`
  try {
    return (native = require(other))
  } catch (error) {
    if (error.code !== 'MODULE_NOT_FOUND') throw error
  }
  throw new Error(`@suaveplan/sandbox has no build for ${platform}: this package brings linux-x64-glibc, and ${other} is not installed`)
}
