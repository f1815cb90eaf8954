import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { type Connection, openConnections } from './connections.ts'
import { makeBankPayers } from './payers.ts'
import { Api, bodyOf, transferRequest } from './payments.ts'
import type { Payer } from './seed.ts'
import {
  createPlatform,
  type DatabaseKind,
  newPlace,
  readCredentials,
  startServer,
} from './server-process.ts'
import { median, table, whole } from './table.ts'

/** What a token may do in a minute where it is limited. */
const LIMIT = 6_000
/** The platform that is measured: about 80 requests in a second. */
const CONNECTIONS = 8
const PAUSE_MS = 100
/** The one beside it asks as often as it is answered. */
const FLOOD_CONNECTIONS = 64

interface SharesOptions {
  readonly database: DatabaseKind
  readonly seconds: number
  readonly rounds: number
}

/** Measures `POST /transfer-out` of one platform alone and beside another that does too much. Prints a table. */
export async function runShares({ database, seconds, rounds }: SharesOptions): Promise<void> {
  const rows: string[][] = []
  for (const limit of [LIMIT, 0]) {
    const done = await measureBeside(database, limit, seconds, rounds)
    const of = (pick: (round: Round) => number) => median(done.map(pick))
    rows.push([
      limit === 0 ? 'without a limit' : `${limit} requests in a minute`,
      whole(of(({ answered }) => answered)),
      whole(of(({ refused }) => refused)),
      ...[50, 99].flatMap((share) => [
        ms(of(({ alone }) => percentile(alone, share))),
        ms(of(({ beside }) => percentile(beside, share))),
        of(({ alone, beside }) => percentile(beside, share) / percentile(alone, share)).toFixed(2),
      ]),
    ])
  }
  process.stdout.write(`
POST /transfer-out of a platform with about ${(CONNECTIONS * 1000) / PAUSE_MS} requests in a second, alone and beside another platform that reads its settings
by ${FLOOD_CONNECTIONS} connections as often as it is answered. ${rounds} rounds of ${seconds} s, medians; the callers share ${availableParallelism()} cores with the server.

${table([
  ['the other platform', 'answered/s', 'refused/s', 'p50 ms', 'beside', 'ratio', 'p99 ms', 'beside', 'ratio'],
  ...rows,
])}`)
}

interface Round {
  /** Milliseconds of each call. */
  readonly alone: readonly number[]
  readonly beside: readonly number[]
  /** Of the other platform, in a second. */
  readonly answered: number
  readonly refused: number
}

async function measureBeside(
  database: DatabaseKind,
  limit: number,
  seconds: number,
  rounds: number,
): Promise<Round[]> {
  const place = await newPlace(database)
  const env = { ...place.env, REQUESTS_PER_TOKEN: String(limit) }
  const { server, baseUrl } = await startServer({ ...place, env })
  try {
    const { port, pathname } = new URL(baseUrl)
    const credentials = readCredentials(place, baseUrl)
    const other = await createPlatform({ ...place, env }, 'Other')
    const api = new Api(pathname, `${credentials.tokenId}:${credentials.clientSecret}`)
    const otherApi = new Api(pathname, `${other.tokenId}:${other.clientSecret}`)
    const payers = await makeBankPayers(credentials, CONNECTIONS)
    const own = await openConnections(Number(port), CONNECTIONS)
    const others = await openConnections(Number(port), FLOOD_CONNECTIONS)
    const ask = otherApi.get('/config')
    // What a platform that was silent may do at once is over before anything is measured.
    await flood(others, ask, limit === 0 ? 0.5 : Number.POSITIVE_INFINITY)
    await time(own, api, payers, 1)
    const done: Round[] = []
    for (let n = 0; n < rounds; n++) {
      // Alternates which one goes first.
      const first = n % 2 === 0 ? await time(own, api, payers, seconds) : undefined
      const [beside, { answered, refused }] = await Promise.all([
        time(own, api, payers, seconds),
        flood(others, ask, seconds, true),
      ])
      const alone = first ?? (await time(own, api, payers, seconds))
      done.push({ alone, beside, answered: answered / seconds, refused: refused / seconds })
    }
    for (const connection of [...own, ...others]) connection.close()
    return done
  } finally {
    await server.stop()
    await place.remove()
  }
}

let sent = 0

/** The time of each call. */
async function time(connections: readonly Connection[], api: Api, payers: readonly Payer[], seconds: number) {
  const times: number[] = []
  const endMs = performance.now() + seconds * 1000
  await Promise.all(
    connections.map(async (connection, n) => {
      await setTimeout((PAUSE_MS / connections.length) * n)
      while (performance.now() < endMs) {
        const beginMs = performance.now()
        sent += 1
        await bodyOf(connection.send(transferRequest(api, payers[n]!, `shares-${sent}`)), 201)
        times.push(performance.now() - beginMs)
        await setTimeout(PAUSE_MS)
      }
    }),
  )
  return times
}

/** Asks as often as it is answered; until the first refusal, unless it goes on. */
async function flood(connections: readonly Connection[], ask: string, seconds: number, goesOn = false) {
  const endMs = performance.now() + seconds * 1000
  let answered = 0
  let refused = 0
  await Promise.all(
    connections.map(async (connection) => {
      while (performance.now() < endMs && (goesOn || refused === 0)) {
        const { status } = await connection.send(ask)
        if (status === 429) refused += 1
        else answered += 1
      }
    }),
  )
  return { answered, refused }
}

function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other)
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))]!
}

const ms = (value: number) => value.toFixed(1)
