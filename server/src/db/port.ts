/**
 * What the service asks of a database: PostgreSQL's SQL, one statement at a time, each its own transaction. Nothing
 * here hands out a connection or an open transaction, so that nothing above can come to depend on one.
 *
 * Values: int8 is `bigint`, timestamptz is `Date`, bytea is `Uint8Array` (a `Buffer` at run time), json and jsonb are
 * parsed with integers beyond 2^53 as `bigint`; the same types are taken as parameters.
 */
export interface Database {
  readonly kind: 'embedded' | 'postgres'
  /** One statement with `$1`… parameters. Committed and durable when the promise resolves. */
  query<Row = Record<string, unknown>>(
    sql: string,
    parameters?: readonly unknown[],
  ): Promise<QueryAnswer<Row>>
  /** A script of statements without parameters, as one transaction. For migrations. */
  script(sql: string): Promise<void>
  close(): Promise<void>
}

export interface QueryAnswer<Row> {
  readonly rows: Row[]
  /** Rows changed by INSERT, UPDATE or DELETE. */
  readonly affected: number
}

/** The SQLSTATE of an error raised by either database, or undefined. */
export function sqlState(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined
}
