import { createHash, timingSafeEqual } from 'node:crypto'
import { type SelectQueryBuilder, sql } from 'kysely'
import { toCanonicalJson } from '../../base/json/json.ts'
import { extractUuid } from '../../storage/engine/ids.ts'
import { countUpTo, selectFirstRows } from '../../storage/read/read.ts'
import type { Tables } from '../../storage/rows/tables.ts'
import type { Op } from './app.ts'
import { createFieldError } from './operation.ts'

/** The order of a list, by two columns that are unique together. */
export interface Order<Row> {
  readonly columns: readonly [string, string]
  /** The position of a row in this order, as two strings for the cursor. */
  readonly getPosition: (row: Row) => readonly [string, string]
  /** Converts a position to values that the database compares. */
  readonly read: (first: string, second: string) => readonly [unknown, unknown]
}

const BY_CREATION: Order<{ id: string; created_at: Date }> = {
  columns: ['created_at', 'id'],
  getPosition: (row) => [String(row.created_at.getTime()), row.id],
  read: (time, id) => [new Date(Number(time)), extractUuid(id)],
}

/** The query parameters of every list endpoint. */
export interface PageQuery {
  readonly limit?: number
  readonly cursor?: string
}

/** Counting stops here, because counting long lists completely would make their pages slow. */
const COUNTED_ROWS_MAX = 10_000

const MAC_BYTES = 16

/** The unordered rows of a list, and the table whose columns order them. */
interface Rows<TB extends keyof Tables, Row> {
  /**
   * Several queries if no single index returns all rows in this order. Each uses its own index, and reads
   * only as many rows as the page may need.
   */
  readonly rows: SelectQueryBuilder<Tables, TB, Row> | readonly SelectQueryBuilder<Tables, TB, Row>[]
  readonly table: TB & string
  /** Defaults to the order of creation. */
  readonly by?: Order<Row>
  readonly order?: 'asc' | 'desc'
}

/** Rows without a creation time need an explicit order. */
type Ordered<Row> = Row extends { created_at: Date } ? unknown : { readonly by: Order<Row> }

/** The rows of a list, and how the API shows them. */
export type List<TB extends keyof Tables, Row, Item> = Rows<TB, Row> &
  Ordered<Row> & { readonly view: (rows: Row[]) => Promise<Item[]> | Item[] }

/**
 * A page of a list, newest first by default; the cursor is bound to all other parameters in `query`. It
 * carries `totalCount`, which is counted for the first page, up to 10,000 rows. Throws 400 `INVALID_INPUT`
 * for a cursor that was altered or belongs to another list.
 */
export async function listPage<
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
  const listOrder = getOrder(list)
  const binding = `${table} ${op.platform.id} ${toCanonicalJson(rest)}`
  const cursorPlace = cursor === undefined ? undefined : readCursor(op, binding, cursor)
  const rowsFound = await rowsAfter(op, list, cursorPlace?.position, limit + 1)
  const shownRows = rowsFound.slice(0, limit)
  const last = shownRows.at(-1)
  const hasMore = rowsFound.length > limit
  const count = async () => {
    if (!hasMore) return rowsFound.length
    const [first] = getColumns(list)
    const counts = await Promise.all(
      listQueries(list).map((part) => countUpTo(op.read, part, first, order, COUNTED_ROWS_MAX + 1)),
    )
    const counted = counts.reduce((sum, rows) => sum + rows, 0)
    return counted > COUNTED_ROWS_MAX ? undefined : counted
  }
  const totalCount = cursorPlace ? cursorPlace.totalCount : await count()
  return {
    data: await list.view(shownRows),
    hasMore,
    ...(hasMore && last
      ? { nextCursor: writeCursor(op, binding, listOrder.getPosition(last), totalCount) }
      : {}),
    ...(totalCount === undefined ? {} : { totalCount }),
  }
}

/**
 * Reads all rows of a list, several hundred at a time. Concurrent inserts and deletes never make another row
 * appear twice.
 */
export async function* readRowPages<TB extends keyof Tables, Row extends { id: string; created_at: Date }>(
  op: Op,
  list: Rows<TB, Row>,
): AsyncGenerator<Row[], void, undefined> {
  const order = getOrder(list)
  let position: readonly [string, string] | undefined
  do {
    const rows = await rowsAfter(op, list, position, READ_AT_ONCE)
    const last = rows.at(-1)
    if (rows.length > 0) yield rows
    position = rows.length === READ_AT_ONCE && last ? order.getPosition(last) : undefined
  } while (position)
}

/**
 * Small enough for many concurrent downloads to fit in memory, and large enough that statements account for
 * little of the cost.
 */
const READ_AT_ONCE = 500

/** The first rows after a position, or of the whole list. */
async function rowsAfter<TB extends keyof Tables, Row>(
  op: Op,
  list: Rows<TB, Row>,
  position: readonly [string, string] | undefined,
  max: number,
): Promise<Row[]> {
  const { table, order = 'desc' } = list
  const columns = getColumns(list)
  const [first, second] = columns
  const beyond = sql.raw(order === 'desc' ? '<' : '>')
  const start = position && getOrder(list).read(...position)
  const following = start
    ? listQueries(list).map((part) =>
        part.where(sql<boolean>`(${first}, ${second}) ${beyond} (${start[0]}, ${start[1]})`),
      )
    : listQueries(list)
  return selectFirstRows(op.read, table, following, columns, order, max)
}

/** The type `List` ensures an explicit order if rows have no creation time. */
function getOrder<TB extends keyof Tables, Row>({ by }: Rows<TB, Row>): Order<Row> {
  return by ?? (BY_CREATION as unknown as Order<Row>)
}

function getColumns<TB extends keyof Tables, Row>(list: Rows<TB, Row>) {
  const [first, second] = getOrder(list).columns
  return [sql.ref(`${list.table}.${first}`), sql.ref(`${list.table}.${second}`)] as const
}

function listQueries<TB extends keyof Tables, Row>({ rows }: Rows<TB, Row>) {
  return 'where' in rows ? [rows] : rows
}

/**
 * A page of a list that is not a table: `items` in ascending order of their unique keys, which contain no
 * spaces. The cursor is bound as in `page()`, and stays valid if its item disappears. Throws 400
 * `INVALID_INPUT` for an invalid cursor.
 */
export function buildPageOfItems<Item>(
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

/**
 * The position where the next page starts, and the count made for the first page, unless it exceeded the
 * limit.
 */
interface CursorContent {
  readonly position: readonly [string, string]
  readonly totalCount: number | undefined
}

function writeCursor(
  op: Op,
  binding: string,
  position: CursorContent['position'],
  totalCount: CursorContent['totalCount'],
): string {
  const body = Buffer.from([...position, totalCount ?? ''].join(' '))
  return Buffer.concat([computeMac(op, binding, body), body]).toString('base64url')
}

function readCursor(op: Op, binding: string, cursor: string): CursorContent {
  const bytes = Buffer.from(cursor, 'base64url')
  const body = bytes.subarray(MAC_BYTES)
  const givenMac = bytes.subarray(0, MAC_BYTES)
  const expected = computeMac(op, binding, body)
  const isOurs =
    bytes.toString('base64url') === cursor &&
    givenMac.length === MAC_BYTES &&
    timingSafeEqual(givenMac, expected)
  if (!isOurs)
    throw createFieldError(
      'INVALID_INPUT',
      'cursor',
      'cursor belongs to another list or query. Start again without it.',
    )
  const [first = '', second = '', total = ''] = body.toString().split(' ')
  return { position: [first, second], totalCount: total === '' ? undefined : Number(total) }
}

function computeMac(op: Op, binding: string, body: Uint8Array): Buffer {
  const message = createHash('sha256').update(binding).update('\u0000').update(body).digest()
  return Buffer.from(op.enclave.mac('cursor', message)).subarray(0, MAC_BYTES)
}
