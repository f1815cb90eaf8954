import { codeOf, messageOf } from '../../base/formats/thrown-errors.ts'
/**
 * The port to a database: PostgreSQL's SQL, one statement at a time, each in its own transaction. It never hands
 * out a connection or an open transaction, so no code above depends on one.
 *
 * Values: int8 is `bigint`, timestamptz is `Date`, bytea is `Uint8Array` (a `Buffer` at run time), json and
 * jsonb are parsed, with integers beyond 2^53 as `bigint`; parameters accept the same types.
 */
export interface Database {
  readonly kind: 'embedded' | 'postgres'
  /** One statement with `$1`… parameters. Committed and durable when the promise resolves. */
  query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<QueryAnswer<Row>>
  /** A script of statements without parameters, as one transaction. For migrations. */
  script(sql: string): Promise<void>
  /** Copies a running embedded database's files, consistently, into `folder`, which must not exist. */
  copyFiles?(folder: string): Promise<void>
  /**
   * Resolves with the reason when a database in this process has stopped permanently. Only a new process can
   * reopen it.
   */
  readonly stopped?: Promise<Error>
  close(): Promise<void>
}

export interface QueryOptions {
  /**
   * `fast`: a short key lookup or a commit, which never queues behind long reads. `long`: an operator's bulk
   * read without a time limit. All other statements have a time limit.
   */
  readonly connection?: 'fast' | 'long'
}

export interface QueryAnswer<Row> {
  readonly rows: Row[]
  /** Rows changed by INSERT, UPDATE or DELETE. */
  readonly affected: number
}

/** The only row of a statement that always returns exactly one, such as a count. */
export function onlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined || rows.length > 1)
    throw new Error(`a statement of one row returned ${rows.length} rows`)
  return row
}

/** The SQLSTATE of an error raised by either database, or undefined. */
export function sqlState(error: unknown): string | undefined {
  const code = codeOf(error)
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/**
 * True if the database responded with an error and has not committed. False after a lost connection or a
 * shutdown.
 */
export function wasRefused(error: unknown): boolean {
  const state = sqlState(error)
  // EPIPE (a lost connection) looks like a SQLSTATE.
  return state !== undefined && state !== 'EPIPE' && !/^(08|57P)/.test(state)
}

/**
 * The database is unavailable for every statement: there is no connection, or it refuses all writes. Nothing
 * was changed.
 */
export class NoConnection extends Error {}

/**
 * The connection ended before the response to its statement, so the statement may have been executed. It is
 * safe to retry the request with the same `Idempotency-Key`.
 */
export class LostConnection extends Error {}

/** The database has run out of disk, memory or connections (SQLSTATE class 53). */
export class DiskFull extends NoConnection {}

/** True if the connection leads to a read-only server, such as a standby or a demoted primary. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006'
}

/**
 * SQLSTATEs with which PostgreSQL or a pooler refuses a connection. 57P03: the server is starting up, shutting
 * down or in recovery.
 */
const NOT_CONNECTED: ReadonlySet<string | undefined> = new Set(['08001', '08004', '57P03'])
/**
 * PgBouncer's messages for a statement that it could not forward. Its code, 08P01, also covers a server
 * lost mid-statement, after which the outcome is unknown.
 */
const NO_SERVER_BEHIND_POOLER =
  /server login has been failing|server_login_retry|query_wait_timeout|cannot connect to server|database .* is (?:disabled|paused)|pgbouncer is (?:shutting down|paused)/i

function isNotConnected(error: unknown): boolean {
  const state = sqlState(error)
  return NOT_CONNECTED.has(state) || (state === '08P01' && NO_SERVER_BEHIND_POOLER.test(messageOf(error)))
}

/** OS error codes for a broken connection. */
const BROKEN: ReadonlySet<string | undefined> = new Set(['ECONNABORTED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT'])
/** node-postgres errors that carry no code. The last one means the query timed out. */
const ENDED =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/

function isLostConnection(error: unknown): boolean {
  const code = codeOf(error)
  return BROKEN.has(code) || (code === undefined ? ENDED.test(messageOf(error)) : /^(?:08|57P)/.test(code))
}

/** Wraps an error that means the database is unavailable or was lost; returns others unchanged. */
export function asUnusable(error: unknown): unknown {
  if (isNotConnected(error)) return new NoConnection('no connection to the database', { cause: error })
  if (isReadOnly(error)) return new NoConnection('the database is read-only', { cause: error })
  if (sqlState(error)?.startsWith('53'))
    return new DiskFull(`the database is out of disk, memory or connections: ${messageOf(error)}`, {
      cause: error,
    })
  if (isLostConnection(error))
    return new LostConnection(`the connection to the database was lost: ${messageOf(error)}`, {
      cause: error,
    })
  return error
}
