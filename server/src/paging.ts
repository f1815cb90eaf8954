import { createHash, timingSafeEqual } from 'node:crypto'
import { type SelectQueryBuilder, sql } from 'kysely'
import type { Op } from './app.ts'
import { countUpTo } from './db/read.ts'
import type { Tables } from './db/tables.ts'
import { toCanonicalJson } from './json.ts'
import { fieldError } from './operation.ts'

/** Where a page begins: after this row, in the order of the list. */
interface Position {
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

/** A list: its rows in no order yet, the table whose creation orders them, and what the API shows of them. */
export interface List<TB extends keyof Tables, Row, Item> {
  readonly rows: SelectQueryBuilder<Tables, TB, Row>
  readonly table: TB & string
  readonly order?: 'asc' | 'desc'
  readonly view: (rows: Row[]) => Promise<Item[]> | Item[]
}

/**
 * A page of a list, in the order of creation, newest first unless told otherwise. `query` is the endpoint's whole
 * query: its cursor is bound to everything in it but the cursor itself. `totalCount` stands on the first page only, and
 * not beyond 10,000 rows. Error: 400 `INVALID_INPUT` for a cursor that was changed or belongs to another list.
 */
export async function page<TB extends keyof Tables, Row extends { id: string; created_at: Date }, Item>(
  op: Op,
  query: PageQuery,
  { rows, table, order = 'desc', view }: List<TB, Row, Item>,
): Promise<{ data: Item[]; hasMore: boolean; nextCursor?: string; totalCount?: number }> {
  const { cursor, ...rest } = query
  const limit = query.limit ?? 20
  const binding = `${table} ${op.platform.id} ${toCanonicalJson(rest)}`
  const position = cursor === undefined ? undefined : readCursor(op, binding, cursor)
  const [createdAt, id] = [sql.ref(`${table}.created_at`), sql.ref(`${table}.id`)]
  const following = position
    ? rows.where(
        sql<boolean>`(${createdAt}, ${id}) ${sql.raw(order === 'desc' ? '<' : '>')} (${position.createdAt}, ${position.id})`,
      )
    : rows
  const found = (await following
    .orderBy(createdAt, order)
    .orderBy(id, order)
    .limit(limit + 1)
    .execute()) as Row[]
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = found.length > limit
  const total = position
    ? undefined
    : hasMore
      ? await countUpTo(op.read, rows, COUNTED_ROWS_MAX + 1)
      : found.length
  return {
    data: await view(shown),
    hasMore,
    ...(hasMore && last
      ? { nextCursor: writeCursor(op, binding, { createdAt: last.created_at, id: last.id }) }
      : {}),
    ...(total !== undefined && total <= COUNTED_ROWS_MAX ? { totalCount: total } : {}),
  }
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
