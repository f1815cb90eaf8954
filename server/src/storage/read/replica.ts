import { setTimeout } from 'node:timers/promises'
import { type Database, onlyRow, sqlState, wasRefused } from '../engine/port.ts'
import { createRead, type Read } from './read.ts'

/** How long a read waits for the standby to come up to it, in steps. */
const WAITS_MS = [0, 2, 4, 8, 16, 32]
/** How long a standby that has failed is left alone. */
const REST_MS = 5_000
/** A long read on a standby that holds up its replay is cancelled there, which says nothing about the standby. */
const CANCELLED = '40001'

const POSITION = `SELECT (pg_current_wal_flush_lsn() - '0/0')::text AS position`
const REPLAYED = `
SELECT CASE WHEN pg_is_in_recovery() THEN (pg_last_wal_replay_lsn() - '0/0')::text END AS position`
/** Of one database of one cluster alone. */
const IDENTITY = 'SELECT min(applied_at)::text AS since FROM migrations'

/** Where reads go. */
export interface Reads {
  readonly db: Database
  readonly read: Read
}

/** What became of a read that may go to the standby: it did, it would have been too old, or the standby does not answer. */
export type ReplicaOutcome = 'replica' | 'late' | 'failed'

interface Watch {
  readonly count: (outcome: ReplicaOutcome) => void
  readonly failed: (error: unknown) => void
}

/** The standby is not of this database. */
export class OtherDatabase extends Error {}

/**
 * A standby of the database, for reads. Each read begins with the position of the primary's log at that moment, so it sees whatever
 * was answered before it began, by whichever server.
 */
export class Replica {
  readonly #primary: Database
  readonly #open: () => Promise<Database>
  readonly #watch: Watch
  #standby: Database | undefined
  #reads: Reads | undefined
  #restUntilMs = Number.NEGATIVE_INFINITY
  /** As far as it has come, when it was last asked. */
  #replayed = -1n
  #asking: Promise<bigint> | undefined
  #askedNext: Promise<bigint> | undefined

  constructor(primary: Database, open: () => Promise<Database>, watch: Watch) {
    this.#primary = primary
    this.#open = open
    this.#watch = watch
  }

  /** Opens the standby, unless it is open. Throws where it cannot be reached, and OtherDatabase where it is of another database. */
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
    const db = this.#falling(standby)
    this.#reads = { db, read: createRead(db) }
  }

  /** Reads that see all that was committed until now; undefined where only the primary has that. */
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
    if (performance.now() >= this.#restUntilMs) this.#watch.failed(error)
    this.#restUntilMs = performance.now() + REST_MS
  }

  async #hasReplayed(standby: Database, wanted: bigint): Promise<boolean> {
    if (this.#replayed >= wanted) return true
    const { rows } = await standby.query<{ position: string | null }>(REPLAYED, [], { isBrief: true })
    const position = rows[0]?.position
    // After a failover it may be the primary, or have been one.
    if (position === undefined || position === null) throw new Error('it is no standby any more')
    this.#replayed = BigInt(position)
    return this.#replayed >= wanted
  }

  /** The primary's position, asked after the call: those who call while somebody asks share the next answer. */
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
    const { rows } = await this.#primary.query<{ position: string }>(POSITION, [], { isBrief: true })
    return BigInt(onlyRow(rows).position)
  }

  /** The standby, and where it fails the primary, which is never older. */
  #falling(standby: Database): Database {
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
        throw new Error('Nothing is changed at a standby')
      },
      close: async () => {},
    }
  }
}

/** Undefined where it has none of our tables. */
async function identityOf(db: Database): Promise<string | undefined> {
  try {
    return (await db.query<{ since: string }>(IDENTITY)).rows[0]?.since
  } catch (error) {
    if (wasRefused(error)) return undefined
    throw error
  }
}
