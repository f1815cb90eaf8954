import { ensureBuilt } from './build.mjs'
import { ensureInstalled } from './install.mjs'
import { runNode, runScript } from './run.mjs'

await runScript(async () => {
  await ensureInstalled()
  await ensureBuilt(['connectors'])
  return await runNode('connectors/dist/check/main.js', process.argv.slice(2))
})
