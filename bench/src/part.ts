import { setTimeout } from 'node:timers/promises'
import type { Database } from '@countersign/server/db/engine/port'
import { type Connection, drive } from './connections.ts'
import { DUE_WORK, SETTLED } from './layout.ts'
import { type Log, type LogFigures, perPiece } from './log.ts'
import type { Target } from './measure.ts'
import { type Api, settleAll } from './payments.ts'
import { postgresTime, processorTime } from './server-process.ts'
import { quantile } from './table.ts'

/** Processor time of one payment, in µs: the server's main thread and its others, and PostgreSQL. */
export interface Spent {
  readonly mainUs: number
  readonly othersUs: number
  readonly postgresUs: number
}

/** The result of one part of one round, as it also goes from process to process. All but rates and times are of one payment. */
export interface Part {
  readonly payments: number
  /** Until the last answer, and until the last payment had settled. */
  readonly perSecond: number
  readonly settledPerSecond: number
  /** Times of requests, in ms. */
  readonly p50: number
  readonly p99: number
  /** Until the last answer, and until the last payment had settled, which is part of a payment. */
  readonly answered: Spent
  readonly settled: Spent
  /** Null on the embedded database: what had settled by the last answer, and what was written in all. */
  readonly settledMeanwhile: number | null
  readonly log: LogFigures | null
}

/** How a bench sees that its payments have settled, and what they wrote. */
export interface Books {
  readonly log: Log | undefined
  /** Resolves once nothing is due any more. */
  settle(): Promise<void>
  /** How many payments have settled in the meantime. */
  settledBetween(begun: Date, ended: Date): Promise<number | null>
}

const POLL_MS = 20

/** `open` is a statement that finds what has not settled. */
export function postgresBooks(db: Database, log: Log, open: string = DUE_WORK): Books {
  return {
    log,
    async settle() {
      while ((await db.query(open)).rows.length > 0) await setTimeout(POLL_MS)
    },
    async settledBetween(begun, ended) {
      const { rows } = await db.query<{ count: number }>(SETTLED, [begun, ended])
      return rows[0]!.count
    },
  }
}

/** The embedded database has one user, the server, which is asked to do what is due. */
export function embeddedBooks(api: Api, connection: Connection): Books {
  return {
    log: undefined,
    settle: () => settleAll(api, connection),
    settledBetween: async () => null,
  }
}

/** Every connection pays, one payment after the other, until `isOver` or `pay` has no more. Then waits for all to settle. */
export async function measurePart(
  { pid, connections }: Target,
  books: Books,
  isOver: () => boolean,
  pay: (connection: Connection) => Promise<boolean>,
): Promise<Part> {
  const times: number[] = []
  const start = await books.log?.position()
  const [begunAt, begun, before] = [new Date(), performance.now(), spentBy(pid)]
  const { done, seconds } = await drive(connections, isOver, async (connection) => {
    const sentAt = performance.now()
    const hasPaid = await pay(connection)
    if (hasPaid) times.push(performance.now() - sentAt)
    return hasPaid
  })
  const [answeredAt, answered] = [new Date(), spentBy(pid)]
  await books.settle()
  const [settledSeconds, settled] = [(performance.now() - begun) / 1000, spentBy(pid)]
  const log = start === undefined ? undefined : await books.log!.between(start, await books.log!.position())
  const settledCount = await books.settledBetween(begunAt, answeredAt)
  return {
    payments: done,
    perSecond: done / seconds,
    settledPerSecond: done / settledSeconds,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    answered: since(before, answered, done),
    settled: since(before, settled, done),
    settledMeanwhile: settledCount === null ? null : settledCount / done,
    log: log ? perPiece(log, done) : null,
  }
}

function spentBy(pid: number): Spent {
  const { main, others } = processorTime(pid)
  return { mainUs: main, othersUs: others, postgresUs: postgresTime() }
}

function since(before: Spent, after: Spent, pieces: number): Spent {
  const of = (what: keyof Spent) => (after[what] - before[what]) / pieces
  return { mainUs: of('mainUs'), othersUs: of('othersUs'), postgresUs: of('postgresUs') }
}
