import { createHash, timingSafeEqual } from 'node:crypto'
import { type SelectQueryBuilder, sql } from 'kysely'
import { toCanonicalJson } from '../../base/json/json.ts'
import { uuidOf } from '../../storage/engine/ids.ts'
import { countUpTo, firstRows } from '../../storage/read/read.ts'
import type { Tables } from '../../storage/rows/tables.ts'
import type { Op } from './app.ts'
import { fieldError } from './operation.ts'

/** The order of a list, by two columns that are unique together. */
export interface Order<Row> {
  readonly columns: readonly [string, string]
  /** The position of a row in this order, as two strings for a cursor. */
  readonly of: (row: Row) => readonly [string, string]
  /** The position in the form that the database compares. */
  readonly read: (first: string, second: string) => readonly [unknown, unknown]
}

const BY_CREATION: Order<{ id: string; created_at: Date }> = {
  columns: ['created_at', 'id'],
  of: (row) => [String(row.created_at.getTime()), row.id],
  read: (time, id) => [new Date(Number(time)), uuidOf(id)],
}

/** The query of a list endpoint, without its own filters. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Counting stops here: counting everything would make pages of long lists slow. */
const COUNTED_ROWS_MAX = 10_000

const MAC_BYTES = 16

/** The unordered rows of a list, and the table whose columns order them. */
interface Rows<TB extends keyof Tables, Row> {
  /**
   * Several queries if no single index has all rows in this order. Each reads its own index, as far as the
   * page may need.
   */
  readonly rows: SelectQueryBuilder<Tables, TB, Row> | readonly SelectQueryBuilder<Tables, TB, Row>[]
  readonly table: TB & string
  /** Defaults to the order of creation. */
  readonly by?: Order<Row>
  readonly order?: 'asc' | 'desc'
}

/** Rows without a creation time need an explicit order. */
type Ordered<Row> = Row extends { created_at: Date } ? unknown : { readonly by: Order<Row> }

/** The rows of a list, and their presentation in the API. */
export type List<TB extends keyof Tables, Row, Item> = Rows<TB, Row> &
  Ordered<Row> & { readonly view: (rows: Row[]) => Promise<Item[]> | Item[] }

/**
 * A page of a list, newest first by default. The cursor is bound to all other parameters in `query` and
 * carries `totalCount`, which is counted for the first page, up to 10,000 rows. Throws 400 `INVALID_INPUT`
 * for an altered cursor or one from another list.
 */
export async function page<
  Query extends PageQuery,
  TB extends keyof Tables,
  Row extends { id: string },
  Item,
>(
  op: Op,
  query: Query,
  list: List<TB, Row, Item>,
): Promise<{ data: Item[]; hasMore: boolean; nextCursor?: string; totalCount?: number }> {
  const { cursor, ...rest } = query
  const limit = query.limit ?? 20
  const { table, order = 'desc' } = list
  const by = orderOf(list)
  const binding = `${table} ${op.platform.id} ${toCanonicalJson(rest)}`
  const place = cursor === undefined ? undefined : readCursor(op, binding, cursor)
  const found = await rowsAfter(op, list, place?.position, limit + 1)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const hasMore = found.length > limit
  const count = async () => {
    if (!hasMore) return found.length
    const [first] = columnsOf(list)
    const counts = await Promise.all(
      partsOf(list).map((part) => countUpTo(op.read, part, first, order, COUNTED_ROWS_MAX + 1)),
    )
    const counted = counts.reduce((sum, one) => sum + one, 0)
    return counted > COUNTED_ROWS_MAX ? undefined : counted
  }
  const totalCount = place ? place.totalCount : await count()
  return {
    data: await list.view(shown),
    hasMore,
    ...(hasMore && last ? { nextCursor: writeCursor(op, binding, by.of(last), totalCount) } : {}),
    ...(totalCount === undefined ? {} : { totalCount }),
  }
}

/**
 * All rows of a list, some hundred at a time. Concurrent inserts and deletes make no other row appear twice.
 */
export async function* everyRow<TB extends keyof Tables, Row extends { id: string; created_at: Date }>(
  op: Op,
  list: Rows<TB, Row>,
): AsyncGenerator<Row[], void, undefined> {
  const by = orderOf(list)
  let position: readonly [string, string] | undefined
  do {
    const rows = await rowsAfter(op, list, position, READ_AT_ONCE)
    const last = rows.at(-1)
    if (rows.length > 0) yield rows
    position = rows.length === READ_AT_ONCE && last ? by.of(last) : undefined
  } while (position)
}

/**
 * Small enough that many downloads fit into memory, large enough that statements are a small part of the
 * cost.
 */
const READ_AT_ONCE = 500

/** The first rows beyond a position, or of the whole list. */
async function rowsAfter<TB extends keyof Tables, Row>(
  op: Op,
  list: Rows<TB, Row>,
  position: readonly [string, string] | undefined,
  max: number,
): Promise<Row[]> {
  const { table, order = 'desc' } = list
  const columns = columnsOf(list)
  const [first, second] = columns
  const beyond = sql.raw(order === 'desc' ? '<' : '>')
  const at = position && orderOf(list).read(...position)
  const following = at
    ? partsOf(list).map((part) =>
        part.where(sql<boolean>`(${first}, ${second}) ${beyond} (${at[0]}, ${at[1]})`),
      )
    : partsOf(list)
  return firstRows(op.read, table, following, columns, order, max)
}

/** `List` requires an order if rows have no creation time. */
function orderOf<TB extends keyof Tables, Row>({ by }: Rows<TB, Row>): Order<Row> {
  return by ?? (BY_CREATION as unknown as Order<Row>)
}

function columnsOf<TB extends keyof Tables, Row>(list: Rows<TB, Row>) {
  const [first, second] = orderOf(list).columns
  return [sql.ref(`${list.table}.${first}`), sql.ref(`${list.table}.${second}`)] as const
}

function partsOf<TB extends keyof Tables, Row>({ rows }: Rows<TB, Row>) {
  return 'where' in rows ? [rows] : rows
}

/**
 * A page of a list that is not a table: `items` in ascending order of their unique keys, one word each. The
 * cursor is bound as in `page()`, and stays valid if its item disappears. Throws 400 `INVALID_INPUT` for an
 * invalid cursor.
 */
export function pageOfItems<Item>(
  op: Op,
  query: PageQuery,
  name: string,
  items: readonly Item[],
  { keyOf, order }: { readonly keyOf: (item: Item) => string; readonly order: 'asc' | 'desc' },
): { data: Item[]; hasMore: boolean; nextCursor?: string; totalCount?: number } {
  const { cursor, ...rest } = query
  const binding = `${name} ${op.platform.id} ${toCanonicalJson(rest)}`
  const after = cursor === undefined ? undefined : readCursor(op, binding, cursor).position[0]
  const isBeyond = (item: Item) =>
    after === undefined || (order === 'asc' ? keyOf(item) > after : keyOf(item) < after)
  const following = (order === 'asc' ? items : items.toReversed()).filter(isBeyond)
  const data = following.slice(0, query.limit ?? 20)
  const last = data.at(-1)
  const hasMore = following.length > data.length
  const nextCursor = hasMore && last ? writeCursor(op, binding, [keyOf(last), ''], items.length) : undefined
  return { data, hasMore, ...(nextCursor ? { nextCursor } : {}), totalCount: items.length }
}

/** The position of the next page, and the count from the first one, if it was within the limit. */
interface Place {
  readonly position: readonly [string, string]
  readonly totalCount: number | undefined
}

function writeCursor(
  op: Op,
  binding: string,
  position: Place['position'],
  totalCount: Place['totalCount'],
): string {
  const body = Buffer.from([...position, totalCount ?? ''].join(' '))
  return Buffer.concat([mac(op, binding, body), body]).toString('base64url')
}

function readCursor(op: Op, binding: string, cursor: string): Place {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(MAC_BYTES)
  const given = bytes.subarray(0, MAC_BYTES)
  const expected = mac(op, binding, body)
  const isOurs =
    bytes.toString('base64url') === cursor && given.length === MAC_BYTES && timingSafeEqual(given, expected)
  if (!isOurs)
    throw fieldError('INVALID_INPUT', 'cursor', 'cursor was issued by another list or for another query')
  const [first = '', second = '', total = ''] = body.toString().split(' ')
  return { position: [first, second], totalCount: total === '' ? undefined : Number(total) }
}

function mac(op: Op, binding: string, body: Uint8Array): Buffer {
  const message = createHash('sha256').update(binding).update('\u0000').update(body).digest()
  return Buffer.from(op.enclave.mac('cursor', message)).subarray(0, MAC_BYTES)
}
