import { availableParallelism } from 'node:os'
import type { Database } from '@countersign/server/db/engine/port'
import { type CommitBench, onPostgres } from './commit-bench.ts'
import { after, openConnections } from './connections.ts'
import { OPEN_PAYOUTS } from './layout.ts'
import { anyOf } from './measure.ts'
import { measurePart, type Part, postgresBooks } from './part.ts'
import { CPU_FIGURES, figureRows, LOG_FIGURES, POSTGRES_FIGURES, tablesOf } from './part-report.ts'
import { ACCOUNTS, CLIENTS } from './payment-sides.ts'
import { bodyOf, transferRequest } from './payments.ts'
import { ACCEPTED, type Answering, Banks, DELIVERED } from './payouts-bank.ts'
import { type Payer, seedPayers } from './seed.ts'
import { median, table, whole } from './table.ts'

const WARM_UP_SECONDS = 2
/** How many payouts of a platform wait for their rail at once. */
const UNDER_WAY_MAX = 256
/** How often the slow rail is full in a part. */
const WAVES = 10
const [FAST_MS, SLOW_MS] = [50, 2000]
const RATIO_MIN = 0.7
/** Of the accounts that are paid to, in turn. */
const NUMBERS = [DELIVERED.number, ACCEPTED.number]

export interface PayoutsOptions {
  /** How long each part of a round sends requests, but for that of the slow rail, which has a number of payouts. */
  readonly seconds: number
  readonly rounds: number
}

/** A part, with the processor time in µs of a payout that the connector and this program took beside the server. */
interface Paid extends Part {
  readonly connectorUs: number
  readonly clientUs: number
}

/** Each part of a round, by its name. */
interface Round {
  readonly sandbox: Paid
  readonly fast: Paid
  /** As `fast`, where the answer says ACCEPTED, and an event follows. */
  readonly byEvent: Paid
  readonly slow: Paid
}

/**
 * Measures payouts until they have settled: of a sandbox, and of a server in production whose rail is the example bank, a process
 * of its own that answers late. In turn, each on its own PostgreSQL. Prints tables.
 */
export async function runPayouts({ seconds, rounds }: PayoutsOptions): Promise<void> {
  const seed = async (db: Database) => seedPayers(db, ACCOUNTS)
  const seedProduction = async (db: Database) =>
    seedPayers(db, ACCOUNTS, { rail: DELIVERED.rail, numbers: NUMBERS })
  await onPostgres(1, seed, async (sandbox) => {
    const banks = await Banks.start()
    const run = async (production: CommitBench<Payer[]>) => {
      const bench = new Bench(sandbox, production, banks)
      await bench.round(WARM_UP_SECONDS, 1)
      const done: Round[] = []
      for (let n = 0; n < rounds; n++) done.push(await bench.round(seconds, WAVES))
      print(done, seconds)
    }
    try {
      await onPostgres(1, seedProduction, run, banks.setUp)
    } finally {
      await banks.stop()
    }
  })
}

class Bench {
  readonly #sandbox: CommitBench<Payer[]>
  readonly #production: CommitBench<Payer[]>
  readonly #banks: Banks
  #sent = 0

  constructor(sandbox: CommitBench<Payer[]>, production: CommitBench<Payer[]>, banks: Banks) {
    this.#sandbox = sandbox
    this.#production = production
    this.#banks = banks
  }

  async round(seconds: number, waves: number): Promise<Round> {
    return {
      sandbox: await this.#pay(this.#sandbox, this.#sandbox.seeded, undefined, after(seconds)),
      fast: await this.#payBy(DELIVERED, FAST_MS, after(seconds)),
      byEvent: await this.#payBy(ACCEPTED, FAST_MS, after(seconds)),
      slow: await this.#payBy(DELIVERED, SLOW_MS, this.#count(UNDER_WAY_MAX * waves)),
    }
  }

  /** True once as many more payouts have been sent. */
  #count(payouts: number): () => boolean {
    const end = this.#sent + payouts
    return () => this.#sent >= end
  }

  async #payBy(answering: Answering, answerDelayMs: number, isOver: () => boolean): Promise<Paid> {
    await this.#banks.behave(answering, answerDelayMs)
    const { seeded } = this.#production
    const payers = seeded.filter((_, n) => NUMBERS[n % NUMBERS.length] === answering.number)
    return this.#pay(this.#production, payers, answering.network, isOver)
  }

  /** Each client sends one payout after the other, from random accounts. */
  async #pay(
    { db, log, server, api, origin }: CommitBench<Payer[]>,
    payers: readonly Payer[],
    network: string | undefined,
    isOver: () => boolean,
  ): Promise<Paid> {
    await log.checkpointIfNear()
    // New ones each time, because a server closes an idle connection after a while.
    const connections = await openConnections(Number(new URL(origin).port), CLIENTS)
    const [connector, client] = [this.#banks.spentUs(), spentHere()]
    const part = await measurePart(
      { pid: server.pid, connections },
      postgresBooks(db, log, OPEN_PAYOUTS),
      isOver,
      async (connection) => {
        const request = transferRequest(api, anyOf(payers), `payout-${this.#sent++}`, network)
        await bodyOf(connection.send(request), 201)
        return true
      },
    )
    for (const connection of connections) connection.close()
    return {
      ...part,
      connectorUs: (this.#banks.spentUs() - connector) / part.payments,
      clientUs: (spentHere() - client) / part.payments,
    }
  }
}

/** Processor time of this program so far, in µs: its clients. */
function spentHere(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}

/** Processor time of a payout in µs, in the medians of the rounds: of the server and PostgreSQL. */
function ownUs(rounds: readonly Paid[]): number {
  return median(rounds.map(({ settled: { mainUs, othersUs, postgresUs } }) => mainUs + othersUs + postgresUs))
}

/** The same with that of the connector and the clients, which share the machine. */
function totalUs(rounds: readonly Paid[]): number {
  return ownUs(rounds) + median(rounds.map(({ connectorUs, clientUs }) => connectorUs + clientUs))
}

const COLUMNS = ['sandbox', 'fast', 'byEvent', 'slow'] as const
const NAMES = ['sandbox', `${FAST_MS} ms`, `${FAST_MS} ms, event`, `${SLOW_MS / 1000} s`]

function print(rounds: readonly Round[], seconds: number): void {
  const rate = (name: (typeof COLUMNS)[number]) => (round: Round) => round[name].settledPerSecond
  const ratio = (name: 'fast' | 'byEvent') => (round: Round) => rate(name)(round) / rate('sandbox')(round)
  const underWay = (name: 'fast' | 'slow', ms: number) => (round: Round) => (rate(name)(round) * ms) / 1000
  const row = (name: string, pick: (value: (round: Round) => number) => number) => [
    name,
    whole(pick(rate('sandbox'))),
    whole(pick(rate('fast'))),
    pick(ratio('fast')).toFixed(2),
    whole(pick(underWay('fast', FAST_MS))),
    whole(pick(rate('byEvent'))),
    pick(ratio('byEvent')).toFixed(2),
    whole(pick(rate('slow'))),
    whole(pick(underWay('slow', SLOW_MS))),
  ]
  const parts = COLUMNS.map((name) => rounds.map((round) => round[name]))
  const beside = (name: string, of: (part: Paid) => number) => [
    name,
    ...parts.map((paid) => `${whole(median(paid.map(of)))} µs`),
  ]
  process.stdout.write(`
Payouts per second until they have settled, POST /transfer-out over HTTP, on PostgreSQL, fsync on: by the sandbox's rail, and in
production by the example bank, a process of its own, which answers DELIVERED after ${FAST_MS} ms; or ACCEPTED, and an event follows ${FAST_MS} ms later;
or DELIVERED after ${SLOW_MS / 1000} s. ${CLIENTS} clients, ${whole(ACCOUNTS)} accounts, ${rounds.length} rounds of ${seconds} s in turn, but ${whole(UNDER_WAY_MAX * WAVES)} payouts by the slow one.
All of it shares ${availableParallelism()} cores.

${table([
  [
    'settled per second',
    'sandbox',
    ...[`${FAST_MS} ms`, 'ratio', 'under way'],
    'by event',
    'ratio',
    NAMES[3]!,
    'under way',
  ],
  ...rounds.map((round, n) => row(`round ${n + 1}`, (value) => value(round))),
  row('median', (value) => median(rounds.map(value))),
])}
The ratio, to the sandbox, is to be ${RATIO_MIN} at least. Under way is the mean, rate times latency, with beginning and end of a part. Up to
${UNDER_WAY_MAX} payouts of a platform are: so the latency allows ${whole((UNDER_WAY_MAX * 1000) / FAST_MS)} a second at ${FAST_MS} ms, ${whole((UNDER_WAY_MAX * 1000) / SLOW_MS)} at ${SLOW_MS / 1000} s.

${table([
  ['per payout', ...NAMES],
  ...figureRows([...CPU_FIGURES, ...POSTGRES_FIGURES.slice(1)], parts),
  beside('connector', ({ connectorUs }) => connectorUs),
  beside('clients', ({ clientUs }) => clientUs),
  ['of the sandbox, all of these', ...parts.map((paid) => (totalUs(paid) / totalUs(parts[0]!)).toFixed(2))],
  ['without connector and clients', ...parts.map((paid) => (ownUs(paid) / ownUs(parts[0]!)).toFixed(2))],
  ...figureRows(LOG_FIGURES, parts),
])}
What a payout by the connector writes, table by table:
${tablesOf(parts[1]!)}`)
}
