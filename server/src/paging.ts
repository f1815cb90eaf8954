import { createHash, timingSafeEqual } from 'node:crypto'
import { sql } from 'kysely'
import type { Op } from './app.ts'
import { toCanonicalJson } from './json.ts'
import { fieldError } from './operation.ts'

/** Where a page begins: after this row, in the order of the list. */
export interface Position {
  readonly createdAt: Date
  readonly id: string
}

/** What a list endpoint is asked for, beside its own filters. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Counting stops here: a count of everything would make a page of a long list slow. */
const COUNTED_ROWS_MAX = 10_000

const MAC_BYTES = 16

/**
 * A page of a list whose rows are ordered by creation. `query` is the endpoint's whole query: its cursor is bound to
 * everything in it but the cursor itself. `fetch` gives up to `limit` rows after a position; `count` counts up to a
 * bound. `totalCount` stands on the first page only, and not beyond 10,000 rows.
 * Error: 400 `INVALID_INPUT` for a cursor that was changed or belongs to another list.
 */
export async function page<Row extends { id: string; created_at: Date }, Item>(
  op: Op,
  list: string,
  query: PageQuery,
  source: {
    readonly fetch: (limit: number, after: Position | undefined) => Promise<Row[]>
    readonly count: (max: number) => Promise<number>
    readonly view: (rows: Row[]) => Promise<Item[]> | Item[]
  },
): Promise<{ data: Item[]; hasMore: boolean; nextCursor?: string; totalCount?: number }> {
  const { cursor, ...rest } = query
  const limit = query.limit ?? 20
  const binding = `${list} ${op.platform.id} ${toCanonicalJson(rest)}`
  const after = cursor === undefined ? undefined : readCursor(op, binding, cursor)
  const rows = await source.fetch(limit + 1, after)
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = rows.length > limit
  const total = after ? undefined : hasMore ? await source.count(COUNTED_ROWS_MAX + 1) : rows.length
  return {
    data: await source.view(shown),
    hasMore,
    ...(hasMore && last
      ? { nextCursor: writeCursor(op, binding, { createdAt: last.created_at, id: last.id }) }
      : {}),
    ...(total !== undefined && total <= COUNTED_ROWS_MAX ? { totalCount: total } : {}),
  }
}

/** The rows of a table after a position, in the order (created_at, id): the condition for `fetch`. */
export function after(position: Position, order: 'asc' | 'desc', table: string) {
  const columns = sql`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)})`
  return sql<boolean>`${columns} ${sql.raw(order === 'desc' ? '<' : '>')} (${position.createdAt}, ${position.id})`
}

function writeCursor(op: Op, binding: string, position: Position): string {
  const body = Buffer.from(`${position.createdAt.getTime()} ${position.id}`)
  return Buffer.concat([mac(op, binding, body), body]).toString('base64url')
}

function readCursor(op: Op, binding: string, cursor: string): Position {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(MAC_BYTES)
  const given = bytes.subarray(0, MAC_BYTES)
  const expected = mac(op, binding, body)
  const isOurs =
    bytes.toString('base64url') === cursor && given.length === MAC_BYTES && timingSafeEqual(given, expected)
  if (!isOurs)
    throw fieldError('INVALID_INPUT', 'cursor', 'cursor is not one that this list gave for this query')
  const [time, id] = body.toString().split(' ')
  return { createdAt: new Date(Number(time)), id: id! }
}

function mac(op: Op, binding: string, body: Uint8Array): Buffer {
  const message = createHash('sha256').update(binding).update('\u0000').update(body).digest()
  return Buffer.from(op.enclave.mac('cursor', message)).subarray(0, MAC_BYTES)
}
