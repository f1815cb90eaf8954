import type { Database } from '@countersign/server/db/engine/port'
import { type CommitBench, onPostgres } from './commit-bench.ts'
import { after, drive } from './connections.ts'
import { anyOf } from './measure.ts'
import { measurePart, type Part, postgresBooks } from './part.ts'
import { makePayers, type Payer } from './payers.ts'
import { bodyOf, createQuote, type Payment, preparePayment, transferRequest } from './payments.ts'
import { Pgbench, type TpcB } from './pgbench.ts'
import { seedPayers, type Payer as TransferPayer } from './seed.ts'
import type { Cluster } from './server-process.ts'

export const CLIENTS = 32
export const ACCOUNTS = 10_000
/** Each signs for its own payments. */
export const WALLETS = 32
/** More branches than clients, so that pgbench's clients do not wait for each other's. */
export const PGBENCH_SCALE = 50
const WARM_UP_SECONDS = 2
/** Signed payments before anything is measured; their rate says how many to prepare. */
const WARM_UP_PAYMENTS = 2_000

/** A build's server on its own cluster, whose payments are measured part by part, as the caller asks. */
export interface Side {
  readonly parts: readonly string[]
  measure(part: string, seconds: number): Promise<Part>
  /** pgbench on the same cluster. */
  pgbench(seconds: number): Promise<TpcB>
}

export type Kind = 'transfers' | 'signed'

/** What is measured of each kind, by name. `hasPgbench`: whether pgbench's database is made. */
export const SIDES: Readonly<
  Record<Kind, (hasPgbench: boolean, run: (side: Side) => Promise<void>) => Promise<void>>
> = { transfers: onTransfers, signed: onSigned }

/** `POST /transfer-out` of 10,000 accounts in turn, and of one. */
async function onTransfers(hasPgbench: boolean, run: (side: Side) => Promise<void>): Promise<void> {
  const seed = async (db: Database, cluster: Cluster) => ({
    payers: await seedPayers(db, ACCOUNTS),
    pgbench: hasPgbench ? await Pgbench.prepare(cluster, PGBENCH_SCALE) : undefined,
  })
  await onPostgres(CLIENTS, seed, async (bench) => {
    const { payers, pgbench } = bench.seeded
    const side = new TransfersSide(bench, payers, pgbench)
    await side.measure('spread', WARM_UP_SECONDS)
    await run(side)
  })
}

/** The second call of the execution of a quote, with the wallet's signature. All that comes before it is prepared. */
async function onSigned(hasPgbench: boolean, run: (side: Side) => Promise<void>): Promise<void> {
  const seed = async (_db: Database, cluster: Cluster) => ({
    pgbench: hasPgbench ? await Pgbench.prepare(cluster, PGBENCH_SCALE) : undefined,
  })
  await onPostgres(CLIENTS, seed, async (bench) => {
    const side = new SignedSide(bench, await makePayers(bench.credentials, WALLETS), bench.seeded.pgbench)
    await side.warmUp()
    await run(side)
  })
}

type Bench = Omit<CommitBench<unknown>, 'seeded'>

abstract class PostgresSide implements Side {
  abstract readonly parts: readonly string[]
  protected readonly bench: Bench
  readonly #pgbench: Pgbench | undefined

  constructor(bench: Bench, pgbench: Pgbench | undefined) {
    this.bench = bench
    this.#pgbench = pgbench
  }

  abstract measure(part: string, seconds: number): Promise<Part>

  async pgbench(seconds: number): Promise<TpcB> {
    if (!this.#pgbench) throw new Error('pgbench has no database here.')
    return this.#pgbench.measure(CLIENTS, seconds)
  }

  /** Begins without the log of earlier parts, so that no checkpoint falls into this one. */
  protected async measured(
    isOver: () => boolean,
    request: () => { readonly bytes: string; readonly wanted: number } | undefined,
  ): Promise<Part> {
    const { db, log, server, connections } = this.bench
    await log.checkpointIfNear()
    const target = { pid: server.pid, connections }
    return measurePart(target, postgresBooks(db, log), isOver, async (connection) => {
      const next = request()
      if (next) await bodyOf(connection.send(next.bytes), next.wanted)
      return next !== undefined
    })
  }
}

class TransfersSide extends PostgresSide {
  readonly parts = ['spread', 'hot']
  readonly #payers: readonly TransferPayer[]
  #sent = 0

  constructor(bench: Bench, payers: readonly TransferPayer[], pgbench: Pgbench | undefined) {
    super(bench, pgbench)
    this.#payers = payers
  }

  /** Each client sends one transfer after the other, from random accounts or all from the first. */
  async measure(part: string, seconds: number): Promise<Part> {
    const payers = part === 'hot' ? this.#payers.slice(0, 1) : this.#payers
    return this.measured(after(seconds), () => {
      const payer = anyOf(payers)
      return { bytes: transferRequest(this.bench.api, payer, `transfer-${this.#sent++}`), wanted: 201 }
    })
  }
}

class SignedSide extends PostgresSide {
  readonly parts = ['signed']
  readonly #payers: readonly Payer[]
  #perSecond = 0

  constructor(bench: Bench, payers: readonly Payer[], pgbench: Pgbench | undefined) {
    super(bench, pgbench)
    this.#payers = payers
  }

  async warmUp(): Promise<void> {
    this.#perSecond = (await this.#pay(WARM_UP_PAYMENTS)).perSecond
  }

  /** As many payments as the last part would have made in the time. */
  async measure(_part: string, seconds: number): Promise<Part> {
    const part = await this.#pay(Math.ceil(this.#perSecond * seconds))
    this.#perSecond = part.perSecond
    return part
  }

  async #pay(count: number): Promise<Part> {
    const left = await this.#prepare(count)
    return this.measured(
      () => false,
      () => {
        const payment = left.pop()
        return payment && { bytes: payment.signed, wanted: 200 }
      },
    )
  }

  /** Quotes that only wait for the signature: their first call was answered with what has to be signed. */
  async #prepare(count: number): Promise<Payment[]> {
    const { api, connections } = this.bench
    const payments: Payment[] = []
    let begun = 0
    await drive(
      connections,
      () => begun >= count,
      async (connection) => {
        const payer = this.#payers[begun++ % this.#payers.length]!
        const payment = await preparePayment(api, payer, await createQuote(api, connection, payer))
        await bodyOf(connection.send(payment.challenge), 202)
        payments.push(payment)
        return true
      },
    )
    return payments
  }
}
