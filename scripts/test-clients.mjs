import { ensureInstalled } from './install.mjs'
import { runScript } from './run.mjs'
import { ensureTools, runToolTests } from './tools.mjs'

/** Runs the tests of clients that others generate from the OpenAPI document. Needs npm's registry, once. */
await runScript(async () => {
  await ensureInstalled()
  process.env.CLIENT_TOOLS = await ensureTools('generated-clients')
  return runToolTests('clients')
})
