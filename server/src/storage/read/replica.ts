import { setTimeout } from 'node:timers/promises'
import { type Database, getOnlyRow, readSqlState, wasRefused } from '../engine/port.ts'
import { createRead, type Read } from './read.ts'

/** Delays before each check whether the standby has caught up. */
const WAITS_MS = [0, 2, 4, 8, 16, 32]
/** The time for which reads avoid the standby after it failed. */
const PAUSE_MS = 5_000
/**
 * PostgreSQL cancels long reads on a standby if they delay its replay. This does not mean that the standby is
 * unhealthy.
 */
const CANCELLED = '40001'

const POSITION = `SELECT (pg_current_wal_flush_lsn() - '0/0')::text AS position`
const REPLAYED = `
SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text END AS position`
/** Identifies one database in one cluster. */
const IDENTITY = 'SELECT min(applied_at)::text AS since FROM migrations'

/** A database for reads, and the typed reads on it. */
export interface Reads {
  readonly db: Database
  readonly read: Read
}

/**
 * The outcome of a read that may use the standby: it did, the standby was too far behind, or the standby
 * failed.
 */
export type ReplicaOutcome = 'replica' | 'late' | 'failed'

interface Watch {
  readonly count: (outcome: ReplicaOutcome) => void
  readonly onFailure: (error: unknown) => void
}

/** The standby is a copy of another database. */
export class OtherDatabase extends Error {}

/**
 * Reads from a standby of the database. Each read first fetches the primary's current log position, so that
 * it sees every write acknowledged before, by any server.
 */
export class Replica {
  readonly #primary: Database
  readonly #open: () => Promise<Database>
  readonly #watch: Watch
  #standby: Database | undefined
  #reads: Reads | undefined
  #pausedUntilMs = Number.NEGATIVE_INFINITY
  /** The last known replay position of the standby. */
  #replayed = -1n
  #runningQuery: Promise<bigint> | undefined
  #nextQuery: Promise<bigint> | undefined

  constructor(primary: Database, open: () => Promise<Database>, watch: Watch) {
    this.#primary = primary
    this.#open = open
    this.#watch = watch
  }

  /**
   * Opens the standby unless it is open. Throws if it cannot be reached, and `OtherDatabase` if it is a copy
   * of another database.
   */
  async connect(): Promise<void> {
    if (this.#standby) return
    const standby = await this.#open()
    try {
      const [primaryIdentity, standbyIdentity] = await Promise.all([
        readIdentity(this.#primary),
        readIdentity(standby),
      ])
      if (primaryIdentity !== standbyIdentity)
        throw new OtherDatabase('DATABASE_READ_URL leads to another database than DATABASE_URL.')
    } catch (error) {
      await standby.close()
      throw error
    }
    this.#standby = standby
    const db = this.#withFallback(standby)
    this.#reads = { db, read: createRead(db) }
  }

  /**
   * Reads from the standby that see everything committed until now. Undefined if the standby cannot serve
   * them.
   */
  async upToDate(): Promise<Reads | undefined> {
    if (!this.#standby || performance.now() < this.#pausedUntilMs) return this.#note('failed')
    const target = await this.#position()
    try {
      for (const waitMs of WAITS_MS) {
        if (waitMs > 0) await setTimeout(waitMs)
        if (await this.#hasReplayed(this.#standby, target)) {
          this.#watch.count('replica')
          return this.#reads
        }
      }
      return this.#note('late')
    } catch (error) {
      this.#pauseReads(error)
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

  #pauseReads(error: unknown): void {
    if (performance.now() >= this.#pausedUntilMs) this.#watch.onFailure(error)
    this.#pausedUntilMs = performance.now() + PAUSE_MS
  }

  async #hasReplayed(standby: Database, target: bigint): Promise<boolean> {
    if (this.#replayed >= target) return true
    const { rows } = await standby.query<{ position: string | null }>(REPLAYED, [], { connection: 'fast' })
    const position = rows[0]?.position
    // After a failover the former standby may be the primary.
    if (position === undefined || position === null) throw new Error('it is no longer a standby')
    this.#replayed = BigInt(position)
    return this.#replayed >= target
  }

  /**
   * The primary's log position, read after the call. Calls that arrive while a query runs share the next
   * query.
   */
  #position(): Promise<bigint> {
    this.#nextQuery ??= this.#queueQuery()
    return this.#nextQuery
  }

  async #queueQuery(): Promise<bigint> {
    await this.#runningQuery?.catch(() => {})
    const query = this.#queryPosition()
    this.#runningQuery = query
    this.#nextQuery = undefined
    return query
  }

  async #queryPosition(): Promise<bigint> {
    const { rows } = await this.#primary.query<{ position: string }>(POSITION, [], { connection: 'fast' })
    return BigInt(getOnlyRow(rows).position)
  }

  /** Reads from the standby and falls back to the primary, whose data is never older. */
  #withFallback(standby: Database): Database {
    return {
      kind: standby.kind,
      query: async (sql, parameters, options) => {
        try {
          return await standby.query(sql, parameters, options)
        } catch (error) {
          if (readSqlState(error) !== CANCELLED) this.#pauseReads(error)
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

/** Undefined if the database does not have our tables. */
async function readIdentity(db: Database): Promise<string | undefined> {
  try {
    return (await db.query<{ since: string }>(IDENTITY)).rows[0]?.since
  } catch (error) {
    if (wasRefused(error)) return undefined
    throw error
  }
}
