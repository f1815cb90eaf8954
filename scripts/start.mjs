import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runScript, ScriptError } from './run.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['server', 'console'])
  const server = join(ROOT, 'server', 'dist', 'main.js')
  if (!existsSync(server))
    throw new ScriptError('No server to start: server/src/edge/process/main.ts is missing.')
  // Runs in this process, so that Ctrl-C and SIGTERM reach the server itself and no process is left behind.
  process.setSourceMapsEnabled(true)
  await import(pathToFileURL(server).href)
})
