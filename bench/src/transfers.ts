import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import type { Database } from '@countersign/server/db/engine/port'
import { onPostgres } from './commit-bench.ts'
import { after, type Connection } from './connections.ts'
import { type Figure, measure } from './measure.ts'
import { type Api, bodyOf, transferRequest } from './payments.ts'
import { Pgbench } from './pgbench.ts'
import { type Payer, seedPayers } from './seed.ts'
import type { Cluster } from './server-process.ts'
import { median, quantile, table, whole } from './table.ts'

const CLIENTS = 32
const ACCOUNTS = 10_000
/** More branches than clients, so that pgbench's clients do not wait for each other's. */
const PGBENCH_SCALE = 50
const WARM_UP_SECONDS = 2

export interface TransfersOptions {
  /** How long each part of a round runs. */
  readonly seconds: number
  readonly rounds: number
}

/** The result of one part, with the time until the last of its transfers had settled. */
interface Part extends Figure {
  readonly settledPerSecond: number
  readonly settledMeanwhile: number
  /** Times of requests, in ms. */
  readonly p50: number
  readonly p99: number
}

interface Round {
  readonly pgbench: number
  readonly spread: Part
  readonly hot: Part
}

/** Measures durable `POST /transfer-out` and pgbench on the same cluster, in turn. Prints a table. */
export async function runTransfers({ seconds, rounds }: TransfersOptions): Promise<void> {
  const seed = async (db: Database, cluster: Cluster) => ({
    payers: await seedPayers(db, ACCOUNTS),
    pgbench: await Pgbench.prepare(cluster, PGBENCH_SCALE),
  })
  await onPostgres(CLIENTS, seed, async ({ seeded: { payers, pgbench }, db, server, api, connections }) => {
    const bench = new Bench(api, db, server.pid, connections)
    await bench.transfers(payers, WARM_UP_SECONDS)
    const done: Round[] = []
    for (let n = 0; n < rounds; n++) {
      done.push({
        pgbench: await pgbench.measure(CLIENTS, seconds),
        spread: await bench.transfers(payers, seconds),
        hot: await bench.transfers(payers.slice(0, 1), seconds),
      })
    }
    print(done, seconds)
  })
}

export class Bench {
  readonly #api: Api
  readonly #db: Database
  readonly #pid: number
  readonly #connections: readonly Connection[]
  #sent = 0

  constructor(api: Api, db: Database, pid: number, connections: readonly Connection[]) {
    this.#api = api
    this.#db = db
    this.#pid = pid
    this.#connections = connections
  }

  /** Each client sends one transfer after the other, from random accounts. Then waits for all of them. */
  async transfers(payers: readonly Payer[], seconds: number): Promise<Part> {
    const target = { pid: this.#pid, connections: this.#connections }
    const times: number[] = []
    const begun = performance.now()
    const figure = await measure(target, after(seconds), async (connection) => {
      const sentAt = performance.now()
      await bodyOf(connection.send(this.#request(payers)), 201)
      times.push(performance.now() - sentAt)
      return true
    })
    const left = await this.#unsettled()
    while ((await this.#unsettled()) > 0) await setTimeout(20)
    const elapsed = (performance.now() - begun) / 1000
    return {
      ...figure,
      settledPerSecond: times.length / elapsed,
      settledMeanwhile: (times.length - left) / times.length,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
    }
  }

  #request(payers: readonly Payer[]): string {
    const payer = payers[Math.floor(Math.random() * payers.length)]!
    return transferRequest(this.#api, payer, `transfer-${this.#sent++}`)
  }

  async #unsettled(): Promise<number> {
    const { rows } = await this.#db.query<{ count: bigint }>(
      'SELECT count(*) FROM jobs WHERE due_at <= now()',
    )
    return Number(rows[0]!.count)
  }
}

function print(rounds: readonly Round[], seconds: number): void {
  const ratios = rounds.map(({ spread, pgbench }) => spread.perSecond / pgbench)
  const hotShares = rounds.map(({ hot, spread }) => hot.perSecond / spread.perSecond)
  const of = (part: 'spread' | 'hot', what: keyof Part) => median(rounds.map((round) => round[part][what]))
  const percent = (value: number) => `${Math.round(value * 100)} %`
  process.stdout.write(`
Durable POST /transfer-out over HTTP beside pgbench (TPC-B, scale ${PGBENCH_SCALE}) on the same PostgreSQL, fsync on.
${CLIENTS} clients, ${whole(ACCOUNTS)} accounts, ${rounds.length} rounds of ${seconds} s in turn. All of it shares ${availableParallelism()} cores.

${table([
  ['', 'pgbench', 'transfers', 'ratio', 'settled', 'one hot account', 'of spread', 'settled'],
  ...rounds.map(({ pgbench, spread, hot }, n) => [
    `round ${n + 1}, per second`,
    whole(pgbench),
    whole(spread.perSecond),
    ratios[n]!.toFixed(2),
    whole(spread.settledPerSecond),
    whole(hot.perSecond),
    hotShares[n]!.toFixed(2),
    whole(hot.settledPerSecond),
  ]),
  [
    'median',
    whole(median(rounds.map(({ pgbench }) => pgbench))),
    whole(of('spread', 'perSecond')),
    median(ratios).toFixed(2),
    whole(of('spread', 'settledPerSecond')),
    whole(of('hot', 'perSecond')),
    median(hotShares).toFixed(2),
    whole(of('hot', 'settledPerSecond')),
  ],
])}
Settled is the rate until the last transfer of a part has settled. The settling runs beside the requests.
${table([
  ['', 'p50', 'p99', 'settled meanwhile', 'main thread', 'other threads', 'PostgreSQL'],
  ...(['spread', 'hot'] as const).map((part) => [
    part === 'spread' ? 'spread, per transfer' : 'hot account, per transfer',
    `${of(part, 'p50').toFixed(1)} ms`,
    `${of(part, 'p99').toFixed(1)} ms`,
    percent(of(part, 'settledMeanwhile')),
    `${whole(of(part, 'mainUs'))} µs`,
    `${whole(of(part, 'othersUs'))} µs`,
    `${whole(of(part, 'postgresUs'))} µs`,
  ]),
])}`)
}
