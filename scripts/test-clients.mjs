import { ensureInstalled } from './install.mjs'
import { runScript } from './run.mjs'
import { ensureTools, runToolTests } from './tools.mjs'

/**
 * Runs the tests of clients generated from the OpenAPI document by other tools. Needs npm's registry once.
 */
await runScript(async () => {
  await ensureInstalled()
  process.env.CLIENT_TOOLS = await ensureTools('generated-clients')
  return runToolTests('clients')
})
