import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { ROOT, runNode, runScript, ScriptError } from './run.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['server', 'console', 'cli', 'connectors', 'bench'])
  if (!existsSync(join(ROOT, 'bench/dist/main.js')))
    throw new ScriptError('No bench to run: bench/src/main.ts is missing.')
  return await runNode('bench/dist/main.js', [...process.argv.slice(2)])
})
