#!/usr/bin/env node
// Starts the command. A package that was installed has it compiled; a clone compiles it once, before its first use.
import { existsSync } from 'node:fs'

const program = new URL('../dist/main.js', import.meta.url)
const build = new URL('../../scripts/build.mjs', import.meta.url)

if (!existsSync(program) && existsSync(build)) {
  const { ensureBuilt } = await import(build.href)
  await ensureBuilt()
}
// Anything that the command prints about itself shows sources, not the compiled file.
process.setSourceMapsEnabled(true)
await import(program.href)
