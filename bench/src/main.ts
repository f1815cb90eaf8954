import { parseArgs } from 'node:util'
import { runAgents } from './agents.ts'
import { runBankFiles } from './bank-files.ts'
import { serveBareRoute } from './bare-route.ts'
import { NoTurns, runBeside } from './beside.ts'
import { runCards } from './cards.ts'
import { runChain } from './chain.ts'
import { runConsoles } from './consoles.ts'
import { runGrowth } from './growth.ts'
import { runHanging } from './hanging.ts'
import { runHostile } from './hostile.ts'
import { runImport } from './import.ts'
import { runLoad } from './load.ts'
import { runMemory } from './memory.ts'
import type { Kind } from './payment-sides.ts'
import { runPayouts } from './payouts.ts'
import type { DatabaseKind } from './server-process.ts'
import { runShares } from './shares.ts'
import { runSignIn } from './sign-in.ts'
import { runSigned } from './signed.ts'
import { runStart } from './start.ts'
import { runTransfers } from './transfers.ts'
import { PGBENCH, serveTurns } from './turns.ts'
import { runYear } from './year.ts'

const COMMANDS = [
  'load',
  'sign-in',
  'agents',
  'transfers',
  'signed',
  'payouts',
  'cards',
  'consoles',
  'hostile',
  'shares',
  'growth',
  'year',
  'import',
  'bank-files',
  'chain',
  'start',
  'memory',
]

const GROWTH_ROWS = 1_000_000
const IMPORT_ROWS = 100_000
const BANK_FILE_ROWS = 100_000
const CHAIN_BLOCKS = 100_000

const USAGE = `usage: npm run bench [-- [COMMAND] [--database embedded|postgres] [--seconds N] [--rounds N] [--events N] [--rows N]
                     [--beside FOLDER]]
  load     requests per second beside a bare route and raw signature checks (3 rounds of 3 s)
  sign-in  passkey, OAuth and signed retry beside raw signature checks, on PostgreSQL unless --database says
  agents   quote and execute by an agent beside the platform's own, one decision, a limit under load; PostgreSQL likewise
  transfers  durable POST /transfer-out beside pgbench, spread over 10,000 accounts and on one, and what each writes;
           on PostgreSQL, and shorter on the embedded database, unless --database names one
  signed   the signed call of the execution of quotes beside pgbench, and what each writes; PostgreSQL only
           Both with --beside FOLDER: this build and that of another checkout, in turn
  payouts  settled POST /transfer-out in production, through a connector that answers in 50 ms and in 2 s, beside the sandbox's
           rail; PostgreSQL only
  cards    authorizations of cards by 32 clients, spread over 10,000 cards and of one; PostgreSQL only
  consoles  transfers while ten consoles are open beside transfers while none is
  hostile  what others see while two connections send bodies that are costly to read, and while webhook endpoints
           of other platforms hang with N events (500) due to them
  shares   what one platform sees while another is at its limit of requests, and while one without a limit floods the server
  growth   pages of transactions, transfers and the history of accounts with 10,000 and with N rows (1,000,000) stored;
           PostgreSQL only, some minutes
  year     a year of N transfers (1,000,000) in parts of a month: their size, and calls before, while and after nine of the months are
           archived; PostgreSQL only, some minutes
  import   a file of N customers (100,000) beside single calls, and the memory of the server; some minutes
  bank-files  files of N payments (100,000) for a bank, written and read, and their memory
  chain    payouts and deposits on a chain of this machine, the lag from a confirmed block to its credit, and N blocks (100,000)
           followed
  start    npm start to ready, and the demo's payment
  memory   of an idle server, on both databases unless --database names one
  Without a command: all of them but growth, year and import.`

process.exitCode = await main(process.argv.slice(2))

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === 'bare-route') {
    await serveBareRoute(args[1]!)
    return 0
  }
  if (args[0] === 'turns' && isKind(args[1])) {
    await serveTurns(args[1], args[2] === PGBENCH)
    return 0
  }
  const options = readOptions(args)
  if (!options) {
    process.stderr.write(`${USAGE}\n`)
    return 2
  }
  const { command, database = 'embedded', seconds, rounds, events, rows, beside } = options
  const isWanted = (name: string) => command === undefined || command === name
  try {
    if (isWanted('load')) await runLoad({ database, seconds, rounds })
    if (isWanted('sign-in')) await runSignIn({ database: options.database ?? 'postgres', seconds, rounds })
    if (isWanted('agents')) await runAgents({ database: options.database ?? 'postgres', seconds, rounds })
    if (beside) {
      await runBeside(beside.kind, beside.folder, { seconds, rounds })
      return 0
    }
    if (isWanted('transfers')) await runTransfers({ database: options.database, seconds, rounds })
    if (isWanted('signed')) await runSigned({ seconds, rounds })
    if (isWanted('payouts')) await runPayouts({ seconds, rounds })
    if (isWanted('cards')) await runCards({ seconds, rounds })
    if (isWanted('consoles')) await runConsoles({ database, seconds, rounds })
    if (isWanted('hostile')) {
      await runHostile({ database, seconds, rounds })
      await runHanging({ database, seconds, rounds, events })
    }
    if (isWanted('shares')) await runShares({ database, seconds, rounds })
    if (command === 'growth') await runGrowth({ rounds, rows: rows ?? GROWTH_ROWS })
    if (command === 'year') await runYear({ rows: rows ?? GROWTH_ROWS })
    if (command === 'import')
      await runImport({ database: options.database ?? 'postgres', seconds, rows: rows ?? IMPORT_ROWS })
    if (isWanted('bank-files')) await runBankFiles(rows ?? BANK_FILE_ROWS)
    if (isWanted('chain')) await runChain(database, rows ?? CHAIN_BLOCKS)
    if (isWanted('start')) await runStart(database)
    if (isWanted('memory')) await runMemory(options.database ? [options.database] : ['embedded', 'postgres'])
    return 0
  } catch (error) {
    process.stderr.write(`bench: ${(error as Error).message}\n`)
    return error instanceof NoTurns ? 2 : 1
  }
}

interface Options {
  readonly command: string | undefined
  readonly database: DatabaseKind | undefined
  readonly seconds: number
  readonly rounds: number
  readonly events: number
  readonly rows: number | undefined
  readonly beside: { readonly kind: Kind; readonly folder: string } | undefined
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
        rows: { type: 'string' },
        beside: { type: 'string' },
      },
      allowPositionals: true,
    })
    const [command, ...rest] = positionals
    const { database, beside: folder } = values
    const [seconds, rounds, events] = [values.seconds, values.rounds, values.events].map(Number) as Counts
    const rows = values.rows === undefined ? undefined : Number(values.rows)
    const isKnown = command === undefined || COMMANDS.includes(command)
    const isCount = seconds > 0 && seconds <= 60 && [rounds, events, rows ?? 1].every(isPositive)
    if (!isKnown || rest.length > 0 || !isDatabase(database) || !isCount) return undefined
    const options = { command, database, seconds, rounds, events, rows }
    if (folder === undefined) return { ...options, beside: undefined }
    if (!isKind(command) || database === 'embedded') return undefined
    return { ...options, beside: { kind: command, folder } }
  } catch {
    return undefined
  }
}

function isDatabase(name: string | undefined): name is DatabaseKind | undefined {
  return name === undefined || name === 'embedded' || name === 'postgres'
}

type Counts = [number, number, number]

function isKind(name: string | undefined): name is Kind {
  return name === 'transfers' || name === 'signed'
}

function isPositive(count: number): boolean {
  return Number.isInteger(count) && count > 0
}
