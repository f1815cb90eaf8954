// Runs two cells on this machine behind HAProxy. Each has a server, and a schema on its own PostgreSQL server.
//   node scripts/cells.mjs               checks the cells, prints the addresses, and runs until Ctrl-C
//   node scripts/cells.mjs --check       checks the cells and exits
//   node scripts/cells.mjs --move        moves a cell under load, in each way that docs/scale.md describes, and exits
//   node scripts/cells.mjs -- command…   runs the command with BASE, NORTH_TOKEN, NORTH_SECRET, SOUTH_TOKEN, SOUTH_SECRET
// With --citus, the schemas are on two Citus workers, and the servers use the coordinator.
// HAProxy finds the cell by host name (north.localhost) or by the API token's id.
import { parseArgs } from 'node:util'
import { ensureBuilt } from './build.mjs'
import { Cells } from './cluster/cells.mjs'
import { hasCitus } from './cluster/citus.mjs'
import { moveUnderLoad } from './drill/moves.mjs'
import { ensureInstalled } from './install.mjs'
import { run, runScript, ScriptError, say } from './run.mjs'

await runScript(async () => {
  const { positionals, values } = parseArgs({
    options: { citus: { type: 'boolean' }, check: { type: 'boolean' }, move: { type: 'boolean' } },
    allowPositionals: true,
  })
  if (values.citus && !hasCitus())
    throw new ScriptError(
      'Citus is not installed for the newest PostgreSQL here: CONTRIBUTING.md says how to build it.',
    )
  await ensureInstalled()
  await ensureBuilt(['server', 'sdk'])
  const interrupted = new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, resolve)
  })
  const cells = await Cells.start(say, { onCitus: values.citus ?? false })
  try {
    await cells.check(say)
    await cells.checkCitus(say)
    if (values.move) return await move(cells)
    if (values.check) return 0
    const [command, ...args] = positionals
    if (command !== undefined)
      return await run(command, args, { env: { ...process.env, ...environment(cells) } })
    process.stdout.write(formatInstructions(cells))
    const alive = setInterval(() => {}, 1 << 30)
    await interrupted
    clearInterval(alive)
    return 0
  } finally {
    await cells.stop()
  }
})

/** @param {Cells} cells @returns {Promise<number>} the exit code */
async function move(cells) {
  const wrong = await moveUnderLoad(cells)
  for (const line of wrong) say(`WRONG: ${line}`)
  if (wrong.length > 0) return 1
  await cells.check(say)
  return 0
}

/** @param {Cells} cells @returns {Record<string, string>} */
function environment(cells) {
  const cellVariables = cells.cells.flatMap(({ name, credentials }) => [
    [`${name.toUpperCase()}_TOKEN`, credentials.tokenId],
    [`${name.toUpperCase()}_SECRET`, credentials.clientSecret],
  ])
  return Object.fromEntries([['BASE', cells.baseUrl], ...cellVariables])
}

/** @param {Cells} cells */
function formatInstructions(cells) {
  const lines = cells.cells.map(
    ({ name, port, databaseUrl, program }) =>
      `  ${name}       http://${name}.localhost:${cells.port}, its server on port ${port} (process ${program.pid}), DATABASE_URL=${databaseUrl} DATABASE_SCHEMA=${name}`,
  )
  return `
The cells are ready, behind one address:

${Object.entries(environment(cells))
  .map(([name, value]) => `  export ${name}=${value}`)
  .join('\n')}

${lines.join('\n')}
  maps and logs   ${cells.folder}

To stop everything: Ctrl-C
`
}
