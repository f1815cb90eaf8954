#!/usr/bin/env node
// Starts the command. A package that was installed has it compiled; a clone compiles it before its first use.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

const room = dirname(dirname(fileURLToPath(import.meta.url)))
const program = join(room, 'dist', 'main.js')
const build = join(dirname(room), 'scripts', 'build.mjs')

if (!existsSync(program) && existsSync(build)) {
  // Standard output belongs to the command.
  const { status } = spawnSync(process.execPath, [build, 'server', 'console', 'cli'], {
    stdio: ['ignore', 2, 2],
  })
  if (status !== 0) process.exit(1)
}
await import(pathToFileURL(program).href)
