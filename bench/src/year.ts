import type { Database } from '@countersign/server/db/engine/port'
import { openPostgres } from '@countersign/server/db/engine/postgres'
import { MONTHLY, type MonthlyTable } from '@countersign/server/db/schema/monthly'
import { addMonth, addMonths } from '@countersign/server/db/schema/months'
import { drive, openConnections } from './connections.ts'
import { COPY_SETTINGS, copyTransfer, TEMPLATE_KEY } from './copies.ts'
import { anyOf } from './measure.ts'
import { Api, bodyOf, settleAll, transferRequest } from './payments.ts'
import { type Payer, seedPayers } from './seed.ts'
import { newPlace, operate, type Place, readCredentials, startServer } from './server-process.ts'
import { quantile, table, whole } from './table.ts'

const ACCOUNTS = 10_000
/** Few, so that the times do not include requests waiting for each other. */
const CLIENTS = 2
const REQUESTS = 1_000
const YEAR_SECONDS = 365 * 24 * 3600
/** Filling and vacuuming are statements of minutes. */
const FILL_TIMEOUT_MS = 3_600_000
const CLUSTER_SETTINGS = { shared_buffers: '1GB', max_wal_size: '4GB', ...COPY_SETTINGS }
const GIB = 1024 ** 3

/** The time of a request, in ms. */
interface Times {
  readonly p50: number
  readonly p99: number
}

interface Calls {
  readonly transfers: Times
  readonly pages: Times
}

/**
 * Stores a year of `rows` transfers, month by month, and measures what they take and what calls take with them; then archives all but
 * the last three months, and measures again. Prints tables.
 */
export async function runYear({ rows }: { readonly rows: number }): Promise<void> {
  const place = await newPlace('postgres', CLUSTER_SETTINGS)
  const { server, baseUrl } = await startServer(place)
  const db = await openPostgres(place.env.DATABASE_URL!, { poolMax: 1, answerTimeoutMs: FILL_TIMEOUT_MS })
  try {
    const { tokenId, clientSecret } = readCredentials(place, baseUrl)
    const { port, pathname } = new URL(baseUrl)
    const api = new Api(pathname, `${tokenId}:${clientSecret}`)
    const caller = new Caller(Number(port), api, await seedPayers(db, ACCOUNTS))
    await caller.payFirst()
    await beginAYearAgo(db)
    await copyTransfer(db, caller.payers, rows, YEAR_SECONDS / rows)
    await forgetKeys(db)
    const sizes = await sizesOf(db)
    await caller.call()
    const full = await caller.call()
    const archived = await archiveMeanwhile(place, caller)
    await caller.call()
    const after = await caller.call()
    print(
      rows,
      { sizes, sizesAfter: await sizesOf(db) },
      { 'a year stored': full, 'while archiving': archived.calls, 'once archived': after },
      archived,
    )
  } finally {
    await db.close()
    await server.stop()
    await place.remove()
  }
}

/** Months of the past take the place of the first part, which is for all that was before. */
async function beginAYearAgo(db: Database): Promise<void> {
  const now = new Date()
  const begin = new Date(Date.UTC(now.getUTCFullYear() - 1, now.getUTCMonth() - 1))
  for (const name of Object.keys(MONTHLY) as MonthlyTable[]) {
    await db.script(`ALTER TABLE ${name} DETACH PARTITION ${name}_first`)
    await addMonth(db, name, begin)
  }
  await addMonths(db, now)
  for (const name of Object.keys(MONTHLY))
    await db.script(`INSERT INTO ${name} SELECT * FROM ${name}_first; DROP TABLE ${name}_first`)
}

/** The server has removed keys month by month, while the year went by. */
async function forgetKeys(db: Database): Promise<void> {
  await db.query('DELETE FROM idempotency_keys WHERE expires_at <= now()')
  await db.query('VACUUM (FULL, ANALYZE) idempotency_keys')
  await db.query('CHECKPOINT')
}

class Caller {
  readonly payers: readonly Payer[]
  readonly #port: number
  readonly #api: Api
  #sent = 0

  constructor(port: number, api: Api, payers: readonly Payer[]) {
    this.#port = port
    this.#api = api
    this.payers = payers
  }

  /** The transfer that all others are copies of. */
  async payFirst(): Promise<void> {
    const [connection] = await openConnections(this.#port, 1)
    await bodyOf(connection!.send(transferRequest(this.#api, this.payers[0]!, TEMPLATE_KEY)), 201)
    await settleAll(this.#api, connection!)
    connection!.close()
  }

  async call(): Promise<Calls> {
    return {
      transfers: await this.#times(() => this.#transfer(), 201),
      pages: await this.#times(() => this.#api.get('/transactions?limit=20'), 200),
    }
  }

  #transfer(): string {
    return transferRequest(this.#api, anyOf(this.payers), `transfer-${this.#sent++}`)
  }

  async #times(request: () => string, status: number): Promise<Times> {
    const connections = await openConnections(this.#port, CLIENTS)
    const times: number[] = []
    let left = REQUESTS
    await drive(
      connections,
      () => left-- <= 0,
      async (connection) => {
        const sentAt = performance.now()
        await bodyOf(connection.send(request()), status)
        times.push(performance.now() - sentAt)
        return true
      },
    )
    for (const connection of connections) connection.close()
    return { p50: quantile(times, 0.5), p99: quantile(times, 0.99) }
  }
}

interface Archived {
  readonly seconds: number
  readonly rows: number
  readonly calls: Calls
}

/** Calls go on while all but the last three months are archived. */
async function archiveMeanwhile(place: Place, caller: Caller): Promise<Archived> {
  const now = new Date()
  const before = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3)).toISOString().slice(0, 7)
  const begun = performance.now()
  const work = operate(place, ['archive', 'make', '--before', before, '--to', `${place.dataDir}/archives`])
  const calls = await caller.call()
  const { archived } = (await work) as { archived: readonly { rows: number }[] }
  const seconds = (performance.now() - begun) / 1_000
  return { seconds, calls, rows: archived.reduce((sum, { rows }) => sum + rows, 0) }
}

/** Bytes on the disk by table, a divided one with all its parts; the largest first. */
async function sizesOf(db: Database): Promise<ReadonlyMap<string, number>> {
  await db.query('CHECKPOINT')
  const { rows } = await db.query<{ name: string; bytes: bigint }>(
    `SELECT coalesce(i.inhparent, c.oid)::regclass::text AS name, sum(pg_total_relation_size(c.oid))::bigint AS bytes
     FROM pg_class c LEFT JOIN pg_inherits i ON i.inhrelid = c.oid
     WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace GROUP BY 1 ORDER BY 2 DESC`,
  )
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]))
}

interface Sizes {
  readonly sizes: ReadonlyMap<string, number>
  readonly sizesAfter: ReadonlyMap<string, number>
}

function print(
  count: number,
  { sizes, sizesAfter }: Sizes,
  calls: Record<string, Calls>,
  archived: Archived,
): void {
  const gib = (bytes: number) => (bytes / GIB).toFixed(2)
  const total = (of: ReadonlyMap<string, number>) => [...of.values()].reduce((sum, bytes) => sum + bytes, 0)
  const line = (name: string, of: number, after: number) => [name, gib(of), whole(of / count), gib(after)]
  const largest = [...sizes].slice(0, 6).map(([name, bytes]) => line(name, bytes, sizesAfter.get(name) ?? 0))
  const ms = ({ p50, p99 }: Times) => [`${p50.toFixed(1)} ms`, `${p99.toFixed(1)} ms`]
  const called = Object.entries(calls).map(([when, { transfers, pages }]) => [
    when,
    ...ms(transfers),
    ...ms(pages),
  ])
  process.stdout.write(`
A year of ${whole(count)} transfers on one PostgreSQL, fsync on, in parts of a month.

${table([['', 'GiB', 'bytes a transfer', 'GiB once archived'], ...largest, line('all tables', total(sizes), total(sizesAfter))])}
Archiving all but the last three months: ${whole(archived.rows)} rows in ${archived.seconds.toFixed(0)} s.

${table([['', 'POST /transfer-out p50', 'p99', 'GET /transactions p50', 'p99'], ...called])}
${CLIENTS} clients, ${whole(REQUESTS)} requests of each kind. Audit trail, deliveries and the request log of the year are left out.
`)
}
