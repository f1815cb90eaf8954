import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runNode, runScript, ScriptError } from './run.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt()
  if (!existsSync(join(ROOT, 'cli/dist/main.js')))
    throw new ScriptError('No demo to run: cli/src/main.ts is missing.')
  return await runNode('cli/dist/main.js', ['demo', ...process.argv.slice(2)])
})
