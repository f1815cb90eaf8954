import { setTimeout } from 'node:timers/promises'
import { type Database, onlyRow, sqlState, wasRefused } from '../engine/port.ts'
import { createRead, type Read } from './read.ts'

/** Delays between checks while a read waits for the standby to catch up. */
const WAITS_MS = [0, 2, 4, 8, 16, 32]
/** The time without reads from a standby after it failed. */
const REST_MS = 5_000
/** PostgreSQL cancels long reads on a standby that delay its replay. The standby is healthy. */
const CANCELLED = '40001'

const POSITION = `SELECT (pg_current_wal_flush_lsn() - '0/0')::text AS position`
const REPLAYED = `
SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text END AS position`
/** Unique to one database of one cluster. */
const IDENTITY = 'SELECT min(applied_at)::text AS since FROM migrations'

/** The databases that serve a read. */
export interface Reads {
  readonly db: Database
  readonly read: Read
}

/** Outcome of a read that may use the standby: it did, the standby was too far behind, or it failed. */
export type ReplicaOutcome = 'replica' | 'late' | 'failed'

interface Watch {
  readonly count: (outcome: ReplicaOutcome) => void
  readonly onFailure: (error: unknown) => void
}

/** The standby belongs to another database. */
export class OtherDatabase extends Error {}

/**
 * A standby of the database, for reads. Each read first gets the primary's current log position, so it sees
 * every write that any server acknowledged before.
 */
export class Replica {
  readonly #primary: Database
  readonly #open: () => Promise<Database>
  readonly #watch: Watch
  #standby: Database | undefined
  #reads: Reads | undefined
  #restUntilMs = Number.NEGATIVE_INFINITY
  /** The last known replay position of the standby. */
  #replayed = -1n
  #asking: Promise<bigint> | undefined
  #askedNext: Promise<bigint> | undefined

  constructor(primary: Database, open: () => Promise<Database>, watch: Watch) {
    this.#primary = primary
    this.#open = open
    this.#watch = watch
  }

  /**
   * Opens the standby unless it is open. Throws if it cannot be reached, and OtherDatabase if it belongs to
   * another database.
   */
  async connect(): Promise<void> {
    if (this.#standby) return
    const standby = await this.#open()
    try {
      const [own, other] = await Promise.all([identityOf(this.#primary), identityOf(standby)])
      if (own !== other)
        throw new OtherDatabase('DATABASE_READ_URL leads to another database than DATABASE_URL')
    } catch (error) {
      await standby.close()
      throw error
    }
    this.#standby = standby
    const db = this.#withFallback(standby)
    this.#reads = { db, read: createRead(db) }
  }

  /** Reads that see everything committed until now. Undefined if only the primary has that. */
  async upToDate(): Promise<Reads | undefined> {
    if (!this.#standby || performance.now() < this.#restUntilMs) return this.#note('failed')
    const wanted = await this.#position()
    try {
      for (const waitMs of WAITS_MS) {
        if (waitMs > 0) await setTimeout(waitMs)
        if (await this.#hasReplayed(this.#standby, wanted)) {
          this.#watch.count('replica')
          return this.#reads
        }
      }
      return this.#note('late')
    } catch (error) {
      this.#rest(error)
      return this.#note('failed')
    }
  }

  async close(): Promise<void> {
    await this.#standby?.close()
  }

  #note(outcome: ReplicaOutcome): undefined {
    this.#watch.count(outcome)
    return undefined
  }

  #rest(error: unknown): void {
    if (performance.now() >= this.#restUntilMs) this.#watch.onFailure(error)
    this.#restUntilMs = performance.now() + REST_MS
  }

  async #hasReplayed(standby: Database, wanted: bigint): Promise<boolean> {
    if (this.#replayed >= wanted) return true
    const { rows } = await standby.query<{ position: string | null }>(REPLAYED, [], { connection: 'fast' })
    const position = rows[0]?.position
    // After a failover it may be, or have been, the primary.
    if (position === undefined || position === null) throw new Error('it is not a standby any more')
    this.#replayed = BigInt(position)
    return this.#replayed >= wanted
  }

  /**
   * The primary's log position, read after the call. Callers that arrive during a read share the next one.
   */
  #position(): Promise<bigint> {
    this.#askedNext ??= this.#askNext()
    return this.#askedNext
  }

  async #askNext(): Promise<bigint> {
    await this.#asking?.catch(() => {})
    const asking = this.#ask()
    this.#asking = asking
    this.#askedNext = undefined
    return asking
  }

  async #ask(): Promise<bigint> {
    const { rows } = await this.#primary.query<{ position: string }>(POSITION, [], { connection: 'fast' })
    return BigInt(onlyRow(rows).position)
  }

  /** The standby, with the primary as fallback, which is never older. */
  #withFallback(standby: Database): Database {
    return {
      kind: standby.kind,
      query: async (sql, parameters, options) => {
        try {
          return await standby.query(sql, parameters, options)
        } catch (error) {
          if (sqlState(error) !== CANCELLED) this.#rest(error)
          return this.#primary.query(sql, parameters, options)
        }
      },
      script: async () => {
        throw new Error('A standby accepts no writes')
      },
      close: async () => {},
    }
  }
}

/** Undefined if the database lacks our tables. */
async function identityOf(db: Database): Promise<string | undefined> {
  try {
    return (await db.query<{ since: string }>(IDENTITY)).rows[0]?.since
  } catch (error) {
    if (wasRefused(error)) return undefined
    throw error
  }
}
