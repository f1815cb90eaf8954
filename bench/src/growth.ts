import { mkdir } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '@countersign/server/db/engine/postgres'
import { type Connection, drive, openConnections } from './connections.ts'
import { BUSY_TRANSFERS, COPY_SETTINGS, copyTransfer, TEMPLATE_KEY } from './copies.ts'
import { anyOf } from './measure.ts'
import { multiplyFee, multiplyTransfers, planOf } from './more-copies.ts'
import { makePayers } from './payers.ts'
import { Api, bodyOf, createQuote, execute, preparePayment, settleAll, transferRequest } from './payments.ts'
import { type Payer, seedPayers } from './seed.ts'
import { newPlace, type Place, type RunningProcess, readCredentials, startServer } from './server-process.ts'
import { median, quantile, table, whole } from './table.ts'

const SMALL = 10_000
const ACCOUNTS = 10_000
/** Few, so that the times do not include requests waiting for each other. */
const CLIENTS = 2
/**
 * Each part of a round is split into slices, which the two databases take in turn, so that other load of the machine
 * affects both.
 */
const SLICES = 10
const WARM_UP_SLICES = 2
/** The number of pages of a hundred before a page deep in the list. */
const DEEP_PAGES = 30
/** Vacuuming what was filled is one statement. */
const FILL_TIMEOUT_MS = 3_600_000
const CLUSTER_SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', ...COPY_SETTINGS }

type Part = 'list' | 'transfer' | 'fees' | 'customer' | 'account' | 'dates' | 'deep' | 'status'

const PARTS: readonly { readonly part: Part; readonly name: string; readonly requests: number }[] = [
  { part: 'list', name: 'GET /transactions?limit=20', requests: 1_000 },
  { part: 'transfer', name: 'POST /transfer-out', requests: 500 },
  { part: 'fees', name: 'GET /platform/fees?limit=20, one account with an entry of each', requests: 200 },
  { part: 'customer', name: `GET …?limit=20&customerId=…, of one with ${BUSY_TRANSFERS}`, requests: 200 },
  { part: 'dates', name: 'GET …?limit=20&startDate=…&endDate=…, an hour', requests: 200 },
  { part: 'deep', name: `GET …?limit=100&cursor=…, ${whole(DEEP_PAGES * 100)} rows deep`, requests: 200 },
  { part: 'account', name: 'GET …?limit=20&accountIdentifier=…, of that customer', requests: 200 },
  { part: 'status', name: 'GET …?limit=20&status=FAILED, of which there are none', requests: 10 },
]

/** The times of the requests of a part on one of the databases, in ms. */
interface Latency {
  readonly p50: number
  readonly p99: number
}

type Round = ReadonlyMap<Part, readonly Latency[]>

export interface GrowthOptions {
  readonly rounds: number
  readonly rows: number
}

/**
 * Measures requests with ten thousand and with `rows` stored transactions: two databases of one cluster, a server for each,
 * and the same requests to both in turn. Prints tables.
 */
export async function runGrowth({ rounds, rows }: GrowthOptions): Promise<void> {
  const place = await newPlace('postgres', CLUSTER_SETTINGS)
  const stores: Store[] = []
  try {
    for (const size of [SMALL, rows]) stores.push(await Store.open(place, size))
    for (const store of stores) await store.connect()
    await measureRound(stores, WARM_UP_SLICES)
    const done: Round[] = []
    for (let n = 0; n < rounds; n++) done.push(await measureRound(stores, SLICES))
    print(done, stores)
  } finally {
    for (const store of stores) await store.close()
    await place.remove()
  }
}

/** All parts, each as a number of slices. */
async function measureRound(stores: readonly Store[], slices: number): Promise<Round> {
  const round = new Map<Part, readonly Latency[]>()
  for (const { part, requests } of PARTS) {
    const times = stores.map((): number[] => [])
    for (let slice = 0; slice < slices; slice++)
      for (const [n, store] of stores.entries())
        times[n]!.push(...(await store.send(part, requests / SLICES)))
    round.set(
      part,
      times.map((values) => ({ p50: quantile(values, 0.5), p99: quantile(values, 0.99) })),
    )
  }
  return round
}

/** A database with so many transactions, and a server in front of it. */
class Store {
  readonly size: number
  readonly seedSeconds: number
  readonly #server: RunningProcess
  readonly #port: number
  readonly #api: Api
  readonly #payers: readonly Payer[]
  #connections: readonly Connection[] = []
  #gets: ReadonlyMap<Part, string> = new Map()
  #sent = 0

  private constructor(
    size: number,
    seedSeconds: number,
    server: RunningProcess,
    port: number,
    api: Api,
    payers: readonly Payer[],
  ) {
    this.size = size
    this.seedSeconds = seedSeconds
    this.#server = server
    this.#port = port
    this.#api = api
    this.#payers = payers
  }

  static async open(place: Place, size: number): Promise<Store> {
    const own = await databaseOf(place, `transactions_${size}`)
    const { server, baseUrl } = await startServer(own)
    const credentials = readCredentials(own, baseUrl)
    const { tokenId, clientSecret } = credentials
    const { port, pathname } = new URL(baseUrl)
    const api = new Api(pathname, `${tokenId}:${clientSecret}`)
    const db = await openPostgres(own.env.DATABASE_URL!, { poolMax: 1, answerTimeoutMs: FILL_TIMEOUT_MS })
    try {
      const payers = await seedPayers(db, ACCOUNTS)
      await alone(Number(port), async (connection) => {
        await bodyOf(connection.send(transferRequest(api, payers[0]!, TEMPLATE_KEY)), 201)
        await settleAll(api, connection)
      })
      const begun = performance.now()
      const { whole, times } = planOf(size)
      await copyTransfer(db, payers, whole)
      if (times > 1) await multiplyTransfers(db, times)
      const [feePayer] = await makePayers(credentials, 1)
      await alone(Number(port), async (connection) => {
        const quote = await createQuote(api, connection, feePayer!)
        await execute(connection, await preparePayment(api, feePayer!, quote))
        await settleAll(api, connection)
      })
      await multiplyFee(db, size)
      const seedSeconds = (performance.now() - begun) / 1000
      return new Store(size, seedSeconds, server, Number(port), api, payers)
    } finally {
      await db.close()
    }
  }

  /** Connects after all are filled, because a connection that is idle for a minute is closed. */
  async connect(): Promise<void> {
    this.#connections = await openConnections(this.#port, CLIENTS)
    this.#gets = await requestsOf(this.#api, this.#connections[0]!, this.#payers)
  }

  /** Sends a number of requests, in sequence on each connection. Returns their times in ms. */
  async send(part: Part, requests: number): Promise<number[]> {
    const times: number[] = []
    let left = requests
    await drive(
      this.#connections,
      () => left-- <= 0,
      async (connection) => {
        const get = this.#gets.get(part)
        const request = get ?? this.#transfer()
        const sentAt = performance.now()
        const { status, body } = await connection.send(request)
        // What reads all rows may take longer than the server lets a query take.
        if (status === (get === undefined ? 201 : 200)) times.push(performance.now() - sentAt)
        else if (get !== undefined && status >= 500) times.push(Number.POSITIVE_INFINITY)
        else throw new Error(`The server answered ${status}: ${body}`)
        return true
      },
    )
    return times
  }

  #transfer(): string {
    const payer = anyOf(this.#payers)
    return transferRequest(this.#api, payer, `transfer-${this.#sent++}`)
  }

  async close(): Promise<void> {
    for (const connection of this.#connections) connection.close()
    await this.#server.stop()
  }
}

/** Uses a connection for a moment. */
async function alone(port: number, use: (connection: Connection) => Promise<void>): Promise<void> {
  const [connection] = await openConnections(port, 1)
  await use(connection!)
  connection!.close()
}

/** Its own database in the cluster of a place, and its own data directory below that of the place. */
async function databaseOf(place: Place, name: string): Promise<Place> {
  const cluster = await openPostgres(place.cluster!.url, { poolMax: 1 })
  await cluster.query(`CREATE DATABASE ${name}`)
  await cluster.close()
  const url = new URL(place.cluster!.url)
  url.pathname = `/${name}`
  const dataDir = join(place.dataDir, name)
  await mkdir(dataDir)
  return { ...place, dataDir, env: { COUNTERSIGN_DATA_DIR: dataDir, DATABASE_URL: url.href } }
}

/** The requests of the parts that read. */
async function requestsOf(
  api: Api,
  connection: Connection,
  payers: readonly Payer[],
): Promise<Map<Part, string>> {
  const read = async (query: string) =>
    JSON.parse(await bodyOf(connection.send(api.get(`/transactions?${query}`)), 200)) as {
      data: { createdAt: string; customerId: string }[]
      nextCursor?: string
    }
  let cursor = ''
  for (let n = 0; n < DEEP_PAGES; n++) cursor = `&cursor=${(await read(`limit=100${cursor}`)).nextCursor!}`
  const { data } = await read(`limit=100${cursor}`)
  const end = new Date(data[0]!.createdAt)
  const start = new Date(end.getTime() - 3_600_000)
  const busy = JSON.parse(
    await bodyOf(connection.send(api.get('/customers?platformCustomerId=payer-2')), 200),
  ) as { data: { id: string }[] }
  return new Map<Part, string>([
    ['list', api.get('/transactions?limit=20')],
    ['deep', api.get(`/transactions?limit=100${cursor}`)],
    ['fees', api.get('/platform/fees?limit=20')],
    ['account', api.get(`/transactions?limit=20&accountIdentifier=${payers[1]!.accountId}`)],
    ['status', api.get('/transactions?limit=20&status=FAILED')],
    ['customer', api.get(`/transactions?limit=20&customerId=${busy.data[0]!.id}`)],
    [
      'dates',
      api.get(`/transactions?limit=20&startDate=${start.toISOString()}&endDate=${end.toISOString()}`),
    ],
  ])
}

/** What the larger database has. */
function copied(size: number): string {
  const { whole: all, times } = planOf(size)
  return times === 1
    ? 'All tables that a transfer writes to have its rows.'
    : `${whole(all)} transfers have all their rows; events and keys of the ${whole(size - all)} before those are left out.`
}

function print(rounds: readonly Round[], stores: readonly Store[]): void {
  const of = (round: Round, part: Part, store: number, what: keyof Latency) => round.get(part)![store]![what]
  const growth = (round: Round, part: Part, what: keyof Latency) =>
    of(round, part, 1, what) / of(round, part, 0, what)
  const ms = (value: number) => (value === Number.POSITIVE_INFINITY ? 'no answer' : `${value.toFixed(1)} ms`)
  const cells = ({ part, name }: (typeof PARTS)[number]): string[] => [
    name,
    ...(['p50', 'p99'] as const).flatMap((what) => {
      const growths = rounds.map((round) => growth(round, part, what))
      return [
        ...stores.map((_, store) => ms(median(rounds.map((round) => of(round, part, store, what))))),
        median(growths).toFixed(2),
        `${Math.min(...growths).toFixed(2)}-${Math.max(...growths).toFixed(2)}`,
      ]
    }),
  ]
  const sizes = stores.map(({ size }) => whole(size))
  const head = (what: string) => [`${what}, ${sizes[0]}`, sizes[1]!, 'growth', 'lowest-highest']
  process.stdout.write(`
What requests take with ${sizes.join(' and with ')} transactions stored, on one PostgreSQL, fsync on.
${CLIENTS} clients, ${whole(ACCOUNTS)} accounts; ${rounds.length} rounds, medians. Both databases in turn, ${availableParallelism()} cores for all of it.

${table([['', ...head('p50'), ...head('p99')], ...PARTS.map(cells)])}
A first page also counts its list, up to 10,000. ${copied(stores[1]!.size)}
Storing the transactions took ${stores.map(({ seedSeconds }) => `${whole(seedSeconds)} s`).join(' and ')}.
`)
}
