import { parseArgs } from 'node:util'
import { runAgents } from './agents.ts'
import { runCards } from './cards.ts'
import { runCells } from './cells.ts'
import { runConsole } from './console.ts'
import { runCounts } from './counts.ts'
import { runMatches } from './matches.ts'
import type { Options } from './on-server.ts'
import { runPayouts } from './payouts.ts'
import type { DatabaseKind } from './server-process.ts'
import { runSigned } from './signed.ts'
import { runStart } from './start.ts'
import { runTransfers } from './transfers.ts'
import { runWebhooks } from './webhooks.ts'

/** The bench commands and the databases that each supports. The first database is the default. */
const COMMANDS: Readonly<
  Record<
    string,
    { run(options: Options & { lower: boolean }): Promise<void>; databases: readonly DatabaseKind[] }
  >
> = {
  counts: { run: runCounts, databases: ['postgres'] },
  transfers: { run: runTransfers, databases: ['postgres', 'embedded'] },
  signed: { run: runSigned, databases: ['postgres', 'embedded'] },
  cards: { run: runCards, databases: ['postgres', 'embedded'] },
  payouts: { run: runPayouts, databases: ['postgres'] },
  agents: { run: runAgents, databases: ['postgres', 'embedded'] },
  webhooks: { run: runWebhooks, databases: ['postgres'] },
  cells: { run: runCells, databases: ['postgres'] },
  console: { run: runConsole, databases: ['postgres', 'embedded'] },
  matches: { run: runMatches, databases: ['postgres', 'embedded'] },
  start: { run: runStart, databases: ['embedded', 'postgres'] },
}

const USAGE = `usage: npm run bench [-- [COMMAND] [--database embedded|postgres] [--seconds N] [--rounds N] [--short] [--lower]]
  counts     rows, index entries, log and statements of a payment, compared with ratchets.json; --lower writes it
  transfers  durable POST /transfer-out from 10,000 accounts and from one, alongside pgbench
  signed     the signed call of the execution of quotes, alongside pgbench
  cards      authorizations of 10,000 cards, at half that rate, and of one card
  payouts    POST /transfer-out in production through a connector that responds in 50 ms and in 2 s; PostgreSQL only
  agents     quote and execute by an agent next to the platform
  webhooks   payments with and without a webhook endpoint, and how fast webhooks follow; PostgreSQL only
  cells      POST /transfer-out of cells on plain PostgreSQL and on Citus, and of one while another stops; PostgreSQL only
  console    transfers alone and with one open page of the console
  matches    lines of a statement compared and matched with as many payments, next to reading the statement
  start      npm start to ready, and the demo's payment
  Without a command: all of them. On PostgreSQL unless --database says otherwise, and start on the embedded database.
  --short shows in seconds that a command works; its figures mean little.`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  const options = readOptions(args)
  if (!options) {
    process.stderr.write(`${USAGE}\n`)
    return 2
  }
  const { command, database, ...rest } = options
  try {
    for (const [name, { run, databases }] of Object.entries(COMMANDS)) {
      if (command !== undefined && command !== name) continue
      const chosen = databases.find((supported) => supported === database) ?? databases[0]
      if (chosen !== undefined) await run({ database: chosen, ...rest })
    }
    return 0
  } catch (error) {
    process.stderr.write(`bench: ${error instanceof Error ? error.message : error}\n`)
    return 1
  }
}

/** Parses the arguments. Undefined if they are invalid. */
function readOptions(args: readonly string[]) {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        database: { type: 'string' },
        seconds: { type: 'string' },
        rounds: { type: 'string' },
        short: { type: 'boolean', default: false },
        lower: { type: 'boolean', default: false },
      },
      allowPositionals: true,
    })
    const [command, ...more] = positionals
    const { database, short: isShort, lower } = values
    const seconds = Number(values.seconds ?? (isShort ? 2 : 3))
    const rounds = Number(values.rounds ?? (isShort ? 1 : 3))
    const isKnown = command === undefined || Object.hasOwn(COMMANDS, command)
    const isDatabase = database === undefined || ['embedded', 'postgres'].includes(database)
    const isCount = seconds >= 1 && seconds <= 60 && Number.isInteger(rounds) && rounds > 0
    return isKnown && more.length === 0 && isDatabase && isCount
      ? { command, database, seconds, rounds, isShort, lower }
      : undefined
  } catch {
    return undefined
  }
}
