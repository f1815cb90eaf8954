import { getErrorCode, getErrorMessage } from '../../base/formats/thrown-errors.ts'
/**
 * The interface to a database: SQL of PostgreSQL, one statement at a time, each in its own transaction; it
 * exposes neither connections nor open transactions, so no other code can depend on them.
 *
 * Values: int8 is `bigint`, timestamptz is `Date`, bytea is `Uint8Array` (a `Buffer` at run time). json and
 * jsonb are parsed, with integers beyond 2^53 as `bigint`. Parameters accept the same types.
 */
export interface Database {
  readonly kind: 'embedded' | 'postgres'
  /** Runs one statement with `$1`… parameters. It is committed and durable when the promise resolves. */
  query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
    options?: QueryOptions,
  ): Promise<StatementResult<Row>>
  /** Runs a script of statements without parameters as one transaction. For migrations. */
  script(sql: string): Promise<void>
  /** Copies the files of a running embedded database consistently into `folder`, which must not exist yet. */
  copyFiles?(folder: string): Promise<void>
  /**
   * Resolves with the reason when a database within this process has stopped permanently. Only a new process
   * can reopen it.
   */
  readonly stopped?: Promise<Error>
  close(): Promise<void>
}

export interface QueryOptions {
  /**
   * `fast`: for short lookups by key and for commits, which never queue behind long reads. `long`: for an
   * operator's bulk reads, without a time limit. All other statements have a time limit.
   */
  readonly connection?: 'fast' | 'long'
}

export interface StatementResult<Row> {
  readonly rows: Row[]
  /** The number of rows changed by INSERT, UPDATE or DELETE. */
  readonly affected: number
}

/** The only row of a statement that always returns exactly one, such as a count. */
export function getOnlyRow<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined || rows.length > 1)
    throw new Error(`the statement returned ${rows.length} rows instead of one`)
  return row
}

/** The SQLSTATE of a database error, or undefined for any other error. */
export function readSqlState(error: unknown): string | undefined {
  const code = getErrorCode(error)
  return code !== undefined && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}

/**
 * True if the database rejected the statement, so that nothing was committed. False after a lost connection
 * or a shutdown.
 */
export function wasRefused(error: unknown): boolean {
  const state = readSqlState(error)
  // EPIPE, a lost connection, looks like a SQLSTATE.
  return state !== undefined && state !== 'EPIPE' && !/^(08|57P)/.test(state)
}

/**
 * The database is unavailable for all statements: there is no connection, or it rejects all writes. Nothing
 * was changed.
 */
export class NoConnection extends Error {}

/**
 * The connection was lost before the response, so the statement may have been executed. A request may be
 * retried safely with the same `Idempotency-Key`.
 */
export class LostConnection extends Error {}

/** The database has run out of disk, memory or connections (SQLSTATE class 53). */
export class DiskFull extends NoConnection {}

/** True if the connection leads to a read-only server, such as a standby or a demoted primary. */
export function isReadOnly(error: unknown): boolean {
  return readSqlState(error) === '25006'
}

/**
 * SQLSTATEs with which PostgreSQL or a pooler rejects a connection. 57P03: the server is starting up,
 * shutting down or in recovery.
 */
const NOT_CONNECTED: ReadonlySet<string | undefined> = new Set(['08001', '08004', '57P03'])
/**
 * PgBouncer's messages for statements it could not forward. Their code, 08P01, also covers a server lost
 * mid-statement, after which the outcome is unknown.
 */
const NO_SERVER_BEHIND_POOLER =
  /server login has been failing|server_login_retry|query_wait_timeout|cannot connect to server|database .* is (?:disabled|paused)|pgbouncer is (?:shutting down|paused)/i

function isNotConnected(error: unknown): boolean {
  const state = readSqlState(error)
  return (
    NOT_CONNECTED.has(state) || (state === '08P01' && NO_SERVER_BEHIND_POOLER.test(getErrorMessage(error)))
  )
}

/** OS error codes of a broken connection. */
const BROKEN_CONNECTION: ReadonlySet<string | undefined> = new Set([
  'ECONNABORTED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
])
/** node-postgres errors without a code. The last one means that the query timed out. */
const CONNECTION_ENDED =
  /^(?:Connection terminated|Client has encountered a connection error|Client was closed|Query read timeout)/

function isLostConnection(error: unknown): boolean {
  const code = getErrorCode(error)
  return (
    BROKEN_CONNECTION.has(code) ||
    (code === undefined ? CONNECTION_ENDED.test(getErrorMessage(error)) : /^(?:08|57P)/.test(code))
  )
}

/**
 * Wraps errors that mean the database is unavailable or the connection was lost. Returns all others
 * unchanged.
 */
export function wrapDatabaseError(error: unknown): unknown {
  if (isNotConnected(error)) return new NoConnection('no connection to the database', { cause: error })
  if (isReadOnly(error)) return new NoConnection('the database is read-only', { cause: error })
  if (readSqlState(error)?.startsWith('53'))
    return new DiskFull(`the database is out of disk, memory or connections: ${getErrorMessage(error)}`, {
      cause: error,
    })
  if (isLostConnection(error))
    return new LostConnection(`the connection to the database was lost: ${getErrorMessage(error)}`, {
      cause: error,
    })
  return error
}
