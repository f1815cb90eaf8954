import { availableParallelism } from 'node:os'
import { Countersign } from '@countersign/sdk'
import { after, openConnections } from './connections.ts'
import { measure, type Target } from './measure.ts'
import { makeBankPayers } from './payers.ts'
import { Api, bodyOf, settleAll, transferRequest } from './payments.ts'
import type { Payer } from './seed.ts'
import {
  type Credentials,
  type DatabaseKind,
  newPlace,
  readCredentials,
  startServer,
} from './server-process.ts'
import { median, table, whole } from './table.ts'

const CONSOLES = 10
const CONNECTIONS = 32
const WARM_UP_SECONDS = 1
/** As the pages wait between two readings of what events have changed: `console/src/data/live.ts`. */
const PAUSE_MS = 5_000
const ROWS = 100
/** What the charts of the overview show. */
const CHART_MS = 14 * 86_400_000

export interface ConsolesOptions {
  readonly database: DatabaseKind
  readonly seconds: number
  readonly rounds: number
}

/** Measures `POST /transfer-out` with ten consoles open and with none, in turns. Prints a table. */
export async function runConsoles({ database, seconds, rounds }: ConsolesOptions): Promise<void> {
  const place = await newPlace(database)
  const { server, baseUrl } = await startServer(place)
  try {
    const credentials = readCredentials(place, baseUrl)
    const { port, pathname } = new URL(baseUrl)
    const api = new Api(pathname, `${credentials.tokenId}:${credentials.clientSecret}`)
    const payers = await makeBankPayers(credentials, CONNECTIONS)
    const connections = await openConnections(Number(port), CONNECTIONS)
    const target = { pid: server.pid, connections }
    let sent = 0
    const transfers = async (duration: number) => {
      const figure = await load(target, duration, api, payers, () => `consoles-${sent++}`)
      await settleAll(api, connections[0]!)
      return { perSecond: figure.perSecond, us: figure.mainUs + figure.othersUs + figure.postgresUs }
    }
    const withConsoles = async (duration: number) => {
      const consoles = openConsoles(credentials)
      try {
        return await transfers(duration)
      } finally {
        await consoles.close()
      }
    }
    await transfers(WARM_UP_SECONDS)
    const done: Round[] = []
    for (let n = 0; n < rounds; n++) {
      // Alternates which one goes first.
      const first = n % 2 === 0 ? await transfers(seconds) : await withConsoles(seconds)
      const second = n % 2 === 0 ? await withConsoles(seconds) : await transfers(seconds)
      done.push(n % 2 === 0 ? { without: first, beside: second } : { without: second, beside: first })
    }
    for (const connection of connections) connection.close()
    print(done, seconds)
  } finally {
    await server.stop()
    await place.remove()
  }
}

/** Transfers per second, and the processor time of the server and its database for each. */
interface Rate {
  readonly perSecond: number
  readonly us: number
}

interface Round {
  readonly without: Rate
  readonly beside: Rate
}

function load(target: Target, seconds: number, api: Api, payers: readonly Payer[], nextKey: () => string) {
  let begun = 0
  return measure(target, after(seconds), async (connection) => {
    const payer = payers[begun++ % payers.length]!
    await bodyOf(connection.send(transferRequest(api, payer, nextKey())), 201)
    return true
  })
}

/** What ten consoles ask of the server: each follows the events, and reads again what they have changed. */
function openConsoles(credentials: Credentials) {
  const closed = new AbortController()
  const { signal } = closed
  const open = Array.from({ length: CONSOLES }, (_, n) => {
    const countersign = new Countersign(credentials)
    return runConsole(countersign, n % 2 === 0 ? readOverview : readTransactions, signal)
  })
  return {
    async close() {
      closed.abort()
      await Promise.all(open)
    },
  }
}

/** A console with one page open. */
async function runConsole(
  countersign: Countersign,
  readPage: (countersign: Countersign) => Promise<unknown>,
  signal: AbortSignal,
): Promise<void> {
  let readAtMs = Number.NEGATIVE_INFINITY
  for await (const _ of countersign.followEvents({ latestOnly: true, signal })) {
    if (performance.now() - readAtMs < PAUSE_MS) continue
    readAtMs = performance.now()
    await readPage(countersign)
  }
}

async function readTransactions(countersign: Countersign): Promise<unknown> {
  return await countersign.transactions.list({ limit: ROWS })
}

function readOverview(countersign: Countersign): Promise<unknown> {
  const startDate = new Date(Date.now() - CHART_MS).toISOString()
  return Promise.all([
    countersign.overview.get(),
    countersign.transactions.statistics({ interval: 'DAY', startDate }),
  ])
}

function print(rounds: readonly Round[], seconds: number): void {
  const row = (name: string, of: (of: (round: Round) => number) => number) => [
    name,
    whole(of(({ without }) => without.perSecond)),
    whole(of(({ beside }) => beside.perSecond)),
    of(({ without, beside }) => beside.perSecond / without.perSecond).toFixed(2),
    whole(of(({ without }) => without.us)),
    whole(of(({ beside }) => beside.us)),
    of(({ without, beside }) => without.us / beside.us).toFixed(2),
  ]
  process.stdout.write(`
POST /transfer-out per second by ${CONNECTIONS} clients, with no console open and with ${CONSOLES}, each of which follows the events and reads
its page again every ${PAUSE_MS / 1000} s: half of them the overview with its charts, half ${ROWS} transactions. ${rounds.length} rounds of ${seconds} s in turn; all of it, the consoles too,
shares ${availableParallelism()} cores. Beside it the processor time of the server and its database in µs per transfer, the consoles' requests included.

${table([
  ['', 'per second', `${CONSOLES} consoles`, 'ratio', 'µs', `${CONSOLES} consoles`, 'ratio'],
  ...rounds.map((round, n) => row(`round ${n + 1}`, (of) => of(round))),
  row('median', (of) => median(rounds.map(of))),
])}`)
}
