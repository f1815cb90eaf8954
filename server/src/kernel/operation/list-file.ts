import { isObject, type JsonSchema } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import type { TSchema } from 'typebox'
import { type Cell, type Columns, formatCsvHeader, formatCsvRows } from '../../base/formats/csv-text.ts'
import { formatDecimal } from '../../base/formats/decimal.ts'
import { toJson } from '../../base/json/json.ts'
import type { Op } from './app.ts'
import { type AnyImplementation, getBody, type Handler } from './operation.ts'

/**
 * Small enough for many concurrent downloads to fit in memory, and large enough that statements account for
 * little of the cost.
 */
const READ_AT_ONCE = 500

interface Page {
  readonly data: readonly unknown[]
  readonly hasMore?: boolean
  readonly nextCursor?: string
}

/**
 * The handler for the CSV file of a list: all rows of the list, read page by page while the file is sent.
 * `rows` names the rows and the file. The rows come from the list's own responses, so permissions and masking
 * apply.
 */
export function listFile(list: Endpoint, rows: string, read: AnyImplementation): Handler<Endpoint> {
  if (typeof read !== 'function') throw new Error(`The list of ${rows} is not a plain operation`)
  const answer = list.responses[200]
  if (!answer) throw new Error(`The list of ${rows} has no response`)
  return async (op, input) => {
    const readPage = async (page: { readonly limit: number; readonly cursor?: string }): Promise<Page> => {
      const body = getBody(await read(op, { ...input, query: { ...input.query, ...page } }))
      if (isPage(body)) return body
      throw new Error(`The list of ${rows} has no page`)
    }
    const pieces = streamCsv(op, listColumns(answer, op), readPage)
    return { status: 200, text: { type: 'csv', fileName: `${rows.replaceAll(' ', '-')}.csv`, pieces } }
  }
}

function isPage(body: unknown): body is Page {
  return isObject(body) && Array.isArray(body.data)
}

/**
 * The header is sent with the first page, so that an error of the first read still becomes an error response.
 */
async function* streamCsv(
  op: Pick<Op, 'wire'>,
  columns: Columns<string, unknown>,
  read: (page: { readonly limit: number; readonly cursor?: string }) => Promise<Page>,
): AsyncGenerator<string> {
  const names = Object.keys(columns)
  let before = formatCsvHeader(names)
  let cursor: string | undefined
  do {
    const { data, hasMore, nextCursor } = await read({
      limit: READ_AT_ONCE,
      ...(cursor === undefined ? {} : { cursor }),
    })
    yield before + formatCsvRows(names, columns, data.map(op.wire.outward))
    before = ''
    cursor = hasMore ? nextCursor : undefined
  } while (cursor !== undefined)
}

/**
 * One column per field, in the order of the record's schema. Fields of inner objects are named by path, such
 * as `merchant.country`. An amount with its currency takes three columns, a currency is written as its code,
 * and a list as JSON.
 */
function listColumns(answer: TSchema, { wire }: Pick<Op, 'wire'>): Columns<string, unknown> {
  const schema: JsonSchema = answer
  const item = schema.properties?.data?.items
  if (!item) throw new Error('Only a list can be downloaded as a file')
  const columns: Record<string, (row: unknown) => Cell> = {}
  addColumns(columns, item, [], (name) => wire.text(name))
  return columns
}

function addColumns(
  columns: Record<string, (row: unknown) => Cell>,
  schema: JsonSchema,
  path: readonly string[],
  spelled: (name: string) => string,
): void {
  const variants = schema.oneOf ?? schema.anyOf
  if (variants) {
    for (const variant of variants) addColumns(columns, variant, path, spelled)
    return
  }
  const add = (name: string, cell: (value: unknown) => Cell) => {
    columns[name] ??= (row) => cell(getValue(row, path))
  }
  const name = path.join('.')
  const { properties = {} } = schema
  if (isCurrency(schema)) add(name, formatCurrencyCell)
  else if (properties.amount && properties.currency && isCurrency(properties.currency)) {
    add(`${name}.currency`, (value) => (isObject(value) ? formatCurrencyCell(value.currency) : undefined))
    add(`${name}.units`, (value) => (isObject(value) ? toCell(value.amount) : undefined))
    add(`${name}.decimal`, formatDecimalCell)
  } else if (Object.keys(properties).length > 0)
    for (const [key, inner] of Object.entries(properties))
      addColumns(columns, inner, [...path, spelled(key)], spelled)
  else add(name, toCell)
}

/** True for a currency in the form in which records show it. */
function isCurrency({ properties }: JsonSchema): boolean {
  return properties?.code !== undefined && properties.decimals !== undefined
}

function formatCurrencyCell(value: unknown): Cell {
  return isObject(value) ? toCell(value.code) : undefined
}

function formatDecimalCell(value: unknown): Cell {
  if (!isObject(value) || !isObject(value.currency)) return undefined
  const { amount, currency } = value
  const { decimals } = currency
  const isAmount = typeof amount === 'bigint' || typeof amount === 'number'
  return isAmount && typeof decimals === 'number'
    ? { figure: formatDecimal(BigInt(amount), decimals) }
    : undefined
}

function getValue(row: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), row)
}

function toCell(value: unknown): Cell {
  switch (typeof value) {
    case 'string':
    case 'bigint':
    case 'number':
    case 'undefined':
      return value
    case 'boolean':
      return String(value)
    default:
      return value === null ? null : toJson(value)
  }
}
