import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { runNode, runScript } from './run.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['sim'])
  return await runNode('sim/dist/main.js', [...process.argv.slice(2)])
})
