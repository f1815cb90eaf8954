import { parseArgs } from 'node:util'
import { runAgents } from './agents.ts'
import { serveBareRoute } from './bare-route.ts'
import { runCards } from './cards.ts'
import { runGrowth } from './growth.ts'
import { runHanging } from './hanging.ts'
import { runHostile } from './hostile.ts'
import { runImport } from './import.ts'
import { runLoad } from './load.ts'
import { runMemory } from './memory.ts'
import type { DatabaseKind } from './server-process.ts'
import { runSignIn } from './sign-in.ts'
import { runStart } from './start.ts'
import { runTransfers } from './transfers.ts'

const COMMANDS = [
  'load',
  'sign-in',
  'agents',
  'transfers',
  'cards',
  'hostile',
  'growth',
  'import',
  'start',
  'memory',
]

const USAGE = `usage: npm run bench [-- [COMMAND] [--database embedded|postgres] [--seconds N] [--rounds N] [--events N] [--rows N]]
  load     requests per second beside a bare route and raw signature checks (3 rounds of 3 s)
  sign-in  passkey, OAuth and signed retry beside raw signature checks, on PostgreSQL unless --database says
  agents   quote and execute by an agent beside the platform's own, one decision, a limit under load; PostgreSQL likewise
  transfers  durable POST /transfer-out beside pgbench, spread over 10,000 accounts and on one; PostgreSQL only
  cards    authorizations of cards by 32 clients, spread over 10,000 cards and of one; PostgreSQL only
  hostile  what others see while two connections send bodies that are costly to read, and while webhook endpoints
           of other platforms hang with N events (500) due to them
  growth   pages of transactions and transfers with 10,000 and with 1,000,000 stored; PostgreSQL only, some minutes
  import   a file of N customers (100,000) beside single calls, and the memory of the server; some minutes
  start    npm start to ready, and the demo's payment
  memory   of an idle server, on both databases unless --database names one
  Without a command: all of them but growth and import.`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === 'bare-route') {
    await serveBareRoute(args[1]!)
    return 0
  }
  const options = readOptions(args)
  if (!options) {
    process.stderr.write(`${USAGE}\n`)
    return 2
  }
  const { command, database = 'embedded', seconds, rounds, events, rows } = options
  const isWanted = (name: string) => command === undefined || command === name
  try {
    if (isWanted('load')) await runLoad({ database, seconds, rounds })
    if (isWanted('sign-in')) await runSignIn({ database: options.database ?? 'postgres', seconds, rounds })
    if (isWanted('agents')) await runAgents({ database: options.database ?? 'postgres', seconds, rounds })
    if (isWanted('transfers')) await runTransfers({ seconds, rounds })
    if (isWanted('cards')) await runCards({ seconds, rounds })
    if (isWanted('hostile')) {
      await runHostile({ database, seconds, rounds })
      await runHanging({ database, seconds, rounds, events })
    }
    if (command === 'growth') await runGrowth({ rounds })
    if (command === 'import') await runImport({ database: options.database ?? 'postgres', seconds, rows })
    if (isWanted('start')) await runStart(database)
    if (isWanted('memory')) await runMemory(options.database ? [options.database] : ['embedded', 'postgres'])
    return 0
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`)
    return 1
  }
}

interface Options {
  readonly command: string | undefined
  readonly database: DatabaseKind | undefined
  readonly seconds: number
  readonly rounds: number
  readonly events: number
  readonly rows: number
}

/** Undefined for wrong usage. */
function readOptions(args: readonly string[]): Options | undefined {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options: {
        database: { type: 'string' },
        seconds: { type: 'string', default: '3' },
        rounds: { type: 'string', default: '3' },
        events: { type: 'string', default: '500' },
        rows: { type: 'string', default: '100000' },
      },
      allowPositionals: true,
    })
    const [command, ...rest] = positionals
    const { database } = values
    const seconds = Number(values.seconds)
    const [rounds, events, rows] = [values.rounds, values.events, values.rows].map(Number) as [
      number,
      number,
      number,
    ]
    const isKnown = command === undefined || COMMANDS.includes(command)
    const isDatabase = database === undefined || database === 'embedded' || database === 'postgres'
    const isCount = seconds > 0 && seconds <= 60 && [rounds, events, rows].every(isPositive)
    if (!isKnown || rest.length > 0 || !isDatabase || !isCount) return undefined
    return { command, database, seconds, rounds, events, rows }
  } catch {
    return undefined
  }
}

function isPositive(count: number): boolean {
  return Number.isInteger(count) && count > 0
}
