// Preloaded into a program and its threads. Logs the file of each fsync to FSYNC_LOG, and after FSYNC_FAIL_AFTER fsyncs
// of the write-ahead log lets every further one fail as a broken disk does.

import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const log = fs.openSync(process.env.FSYNC_LOG ?? '', 'a')
const failAfter = Number(process.env.FSYNC_FAIL_AFTER ?? Infinity)
const { openSync, fsyncSync } = fs
/** @type {Map<number, string>} */
const files = new Map()
let walSyncs = 0

fs.openSync = (file, ...rest) => {
  const descriptor = openSync(file, ...rest)
  files.set(descriptor, String(file))
  return descriptor
}

fs.fsyncSync = (descriptor) => {
  const file = files.get(descriptor) ?? ''
  const isWal = /[/\\]pg_wal[/\\][0-9A-F]{24}$/.test(file)
  if (isWal) walSyncs += 1
  if (isWal && walSyncs > failAfter) throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  fsyncSync(descriptor)
  fs.writeSync(log, `${isWal ? 'wal' : 'other'} ${file}\n`)
}

syncBuiltinESMExports()
