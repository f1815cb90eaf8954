import { guardFormulas } from '@countersign/contract/core/csv-guard'
import { isObject } from '@countersign/contract/core/decode'
import type { Endpoint } from '@countersign/contract/core/endpoint'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { newPlatform } from '../../worlds/client.testing.ts'
import { idsFor, newWorld, pathWith, type World } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { used } from '../../worlds/records/cards.testing.ts'

type CsvRow = Readonly<Record<string, string>>

const LIST_BY_PATH = new Map(
  ENDPOINTS.filter(([, { method }]) => method === 'GET').map(([, endpoint]) => [endpoint.path, endpoint]),
)
/** The file of transactions has other columns: `books/large.test.ts` and `books/sums.test.ts` test it. */
const FILES = ENDPOINTS.filter(([name, { path }]) => path.endsWith('.csv') && name !== 'transaction_csv')

/** The requests of these tests add rows to these lists. */
const GROWING_LISTS = new Set(['/requests.csv', '/audit-events.csv', '/events.csv'])
const EMPTY_LISTS = new Set(['/reconciliations.csv'])

let ownWorld: World
let otherWorld: World
beforeAll(async () => {
  ;[ownWorld, otherWorld] = await Promise.all([newWorld(await newPlatform()), newWorld(await newPlatform())])
  const { client, ids, agent } = ownWorld
  await used(client, ids.Card!, 1)
  await agent.get('/agents/me')
  await client.advance(0)
})

function findList({ path }: Endpoint): Endpoint {
  const list = LIST_BY_PATH.get(path.replace(/\.csv$/, ''))
  if (!list) throw new Error(`${path} is the file of no list`)
  return list
}

function buildAddress(endpoint: Endpoint, world: World, query = ''): string {
  const ids = idsFor(endpoint, world)
  const path = pathWith(endpoint, (kind) => ids[kind]!)
  const requiredQuery = endpoint.path.startsWith('/ledger/transfers')
    ? `accountId=${ids.InternalAccount}&`
    : ''
  return `${path}?${requiredQuery}${query}`
}

/** Derives the cell from the record, not from its schema. */
function buildExpectedCell(record: unknown, column: string): string {
  const parts = column.split('.')
  const last = parts.at(-1)
  const value = readPath(record, parts)
  if (value !== undefined) {
    if (isObject(value) && 'decimals' in value) return String(value.code)
    if (isObject(value) || Array.isArray(value)) return guardFormulas(toJson(value))
    return typeof value === 'string' ? guardFormulas(value) : value === null ? '' : String(value)
  }
  const money = readPath(record, parts.slice(0, -1))
  if (!isObject(money) || !isObject(money.currency)) return ''
  if (last === 'units') return String(money.amount)
  return last === 'decimal'
    ? (Number(money.amount) / 10 ** Number(money.currency.decimals)).toFixed(Number(money.currency.decimals))
    : ''
}

function readPath(record: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : undefined), record)
}

/** The paths of all values in a record that are not objects. */
function listLeaves(value: unknown, path: readonly string[] = []): string[] {
  if (!isObject(value)) return [path.join('.')]
  return Object.entries(value).flatMap(([key, inner]) => listLeaves(inner, [...path, key]))
}

describe('the CSV file of a list', () => {
  test.each(FILES)('(%s) has the permission, filters and errors of its list', (_, file) => {
    const list = findList(file)
    const pickRules = ({ auth, tag, errors, params, ...rest }: Endpoint) => ({
      ...{ auth, tag, errors, params },
      permission: 'permission' in rest ? rest.permission : undefined,
    })
    expect(pickRules(file)).toEqual(pickRules(list))
    const filters = Object.keys(list.query?.properties ?? {}).filter(
      (name) => !['limit', 'cursor', 'includeNames'].includes(name),
    )
    expect(Object.keys(file.query?.properties ?? {})).toEqual(filters)
  })

  test.each(FILES.filter(([, { path }]) => !GROWING_LISTS.has(path)))(
    '(%s) has every row and every field of the list',
    async (_, file) => {
      const { client } = ownWorld
      const { data, hasMore = false } = (
        await client.get(
          buildAddress(findList(file), ownWorld, file.path === '/exchange-rates.csv' ? '' : 'limit=100'),
        )
      ).body
      expect(hasMore).toBe(false)
      const reply = await client.get(buildAddress(file, ownWorld))
      expect(reply.status).toBe(200)
      expect(reply.headers.get('Content-Type')).toBe('text/csv; charset=utf-8')
      expect(reply.headers.get('Content-Disposition')).toMatch(/^attachment; filename="[a-z-]+\.csv"$/)
      const rows: CsvRow[] = parse(reply.body, { columns: true })
      if (!EMPTY_LISTS.has(file.path)) expect(data.length).toBeGreaterThan(0)
      expect(rows).toHaveLength(data.length)
      for (const [index, record] of data.entries()) {
        const row = rows[index]!
        for (const [column, cell] of Object.entries(row))
          expect(cell, column).toBe(buildExpectedCell(record, column))
        const columns = Object.keys(row)
        for (const leaf of listLeaves(record).filter(
          (path) => !/\.(?:symbol|name|decimals|code|amount)$|[cC]urrency$/.test(path),
        ))
          expect(
            columns.some((shownColumn) => leaf === shownColumn || leaf.startsWith(`${shownColumn}.`)),
            leaf,
          ).toBe(true)
      }
    },
  )

  test.each(FILES.filter(([, { path }]) => GROWING_LISTS.has(path)))(
    '(%s) begins with the earlier rows of the list',
    async (_, file) => {
      const { client } = ownWorld
      const { data } = (await client.get(buildAddress(findList(file), ownWorld, 'limit=100'))).body
      const rows: CsvRow[] = parse((await client.get(buildAddress(file, ownWorld))).body, { columns: true })
      const key = 'id' in data[0] ? 'id' : 'httpRequestId'
      const ids = rows.map((row) => row[key])
      expect(new Set(ids).size).toBe(ids.length)
      expect(data.length).toBeGreaterThan(3)
      for (const record of data) {
        const row = rows.find((candidate) => candidate[key] === record[key])
        for (const [column, cell] of Object.entries(row ?? {}))
          expect(cell, column).toBe(buildExpectedCell(record, column))
        expect(row).toBeDefined()
      }
    },
  )

  test('accepts the filters of the list, and refuses what the list refuses', async () => {
    const { client, ids } = ownWorld
    const filteredFile = await client.get(`/cards.csv?cardholderId=${ids.Customer}`)
    const cards: CsvRow[] = parse(filteredFile.body, { columns: true })
    expect(cards.map(({ cardholderId }) => cardholderId)).toContain(ids.Customer)
    const otherCards = await client.get(`/cards.csv?cardholderId=${otherWorld.ids.Customer}`)
    expect(otherCards.body.split('\r\n')).toHaveLength(2)
    const refusal = await client.get('/ledger/transfers.csv')
    expect(refusal).toMatchObject({ status: 400, body: { code: 'INVALID_INPUT' } })
    expect((await client.get('/cards.csv?limit=1')).status).toBe(400)
  })

  test('has no rows of another platform', async () => {
    for (const [, file] of FILES) {
      if (file.params) continue
      const { status, body } = await otherWorld.client.get(buildAddress(file, otherWorld))
      expect(status).toBe(200)
      for (const kind of ['Customer', 'Card', 'Agent', 'Quote', 'InternalAccount'] as const)
        expect(body.includes(ownWorld.ids[kind]!), file.path).toBe(false)
    }
  })

  test('keeps a spreadsheet from executing text that users entered', async () => {
    const client = await newPlatform()
    const texts = [
      '=HYPERLINK("http://evil.example","x")',
      '+1+1',
      '-1+1',
      '@SUM(A1)',
      'a;=1+1',
      'plain, "quoted"',
    ]
    for (const [index, fullName] of texts.entries()) {
      const body = {
        customerType: 'INDIVIDUAL',
        platformCustomerId: `no ${index}`,
        region: 'US',
        currencies: ['USD'],
        fullName,
      }
      expect((await client.post('/customers', body)).status).toBe(201)
    }
    const rows: CsvRow[] = parse((await client.get('/customers.csv')).body, { columns: true })
    expect(rows.map(({ fullName }) => fullName).reverse()).toEqual([
      `'${texts[0]}`,
      "'+1+1",
      "'-1+1",
      "'@SUM(A1)",
      "a;'=1+1",
      'plain, "quoted"',
    ])
  })
})
