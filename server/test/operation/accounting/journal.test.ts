import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  type Balances,
  booked,
  EVER,
  hundredths,
  journalOf,
  ledgerBalances,
  nonZero,
  setChart,
  WHOLE_CHART,
} from './accounting.testing.ts'

type Row = Record<string, string>

let client: Client

beforeAll(async () => {
  client = (await booked()).client
  await setChart(client)
})

const rowsOf = async (query: string): Promise<Row[]> =>
  parse(await journalOf(client, query), { columns: true })

function sumsOf(rows: readonly Row[], entry: (row: Row) => readonly [string, bigint]): Balances {
  const sums = new Map<string, bigint>()
  for (const row of rows) {
    const [key, amount] = entry(row)
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return nonZero(sums)
}

describe('the journal as CSV', () => {
  test('sums to the balances of the ledger, account by account', async () => {
    const rows = await rowsOf(EVER)
    const sums = sumsOf(rows, ({ accountCode, currency, units }) => [
      `${accountCode} ${currency}`,
      BigInt(units ?? ''),
    ])
    expect(sums).toEqual(await ledgerBalances(client))
    expect(sums.size).toBeGreaterThan(4)
  })

  test('has every transfer twice, with equal amounts', async () => {
    const rows = await rowsOf(EVER)
    const ids = new Set(rows.map(({ transferId }) => transferId))
    expect(rows).toHaveLength(2 * ids.size)
    for (const [at, row] of rows.entries())
      if (at % 2 === 0) {
        const other = rows[at + 1]
        expect([other?.transferId, other?.credit, other?.side]).toEqual([row.transferId, row.debit, 'CREDIT'])
      }
  })

  test('has each movement in one of two periods that follow each other, in the order of days', async () => {
    const all = await rowsOf(EVER)
    const cut = all.at(-1)?.at ?? ''
    const before = await rowsOf(`from=2020-01-01T00:00:00Z&to=${cut}`)
    const after = await rowsOf(`from=${cut}&to=2100-01-01T00:00:00Z`)
    expect(before.length).toBeGreaterThan(0)
    expect(after.length).toBeGreaterThan(0)
    expect([...before, ...after].map(({ transferId }) => transferId).toSorted()).toEqual(
      all.map(({ transferId }) => transferId).toSorted(),
    )
    const days = all.map(({ at = '' }) => at.slice(0, 10))
    expect(days).toEqual(days.toSorted())
    expect(new Set(days).size).toBeGreaterThan(1)
  })

  test('can be of one currency', async () => {
    const rows = await rowsOf(`${EVER}&currency=EUR`)
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(['EUR']))
  })

  test('names accounts that the chart lacks by their kinds', async () => {
    const other = await newPlatform()
    await fund(other, (await newCustomer(other)).usd, 500)
    const rows: Row[] = parse(await journalOf(other, EVER), { columns: true })
    expect(
      rows.map(({ accountCode, accountName, accountType }) => [accountCode, accountName, accountType]),
    ).toEqual([
      ['', 'Rail', 'ASSET'],
      ['', 'Customers', 'LIABILITY'],
    ])
  })

  test('has nothing of other platforms', async () => {
    const rows: Row[] = parse(await journalOf(await newPlatform(), EVER), { columns: true })
    expect(rows).toEqual([])
  })

  test('has every transfer of more than one page', async () => {
    const many = await newPlatform()
    const customer = await newCustomer(many)
    for (let n = 0; n < 12; n++)
      await Promise.all(Array.from({ length: 50 }, (_, at) => fund(many, customer.usd, n * 50 + at + 1)))
    const rows: Row[] = parse(await journalOf(many, EVER), { columns: true })
    expect(rows).toHaveLength(1200)
    expect(new Set(rows.map(({ transferId }) => transferId)).size).toBe(600)
  })
})

describe('files for accounting programs', () => {
  test('for Xero have one journal a day that sums to zero', async () => {
    const rows: Row[] = parse(await journalOf(client, `${EVER}&format=xero&currency=USD`), { columns: true })
    expect(new Set(rows.map((row) => row['*Narration'])).size).toBeGreaterThan(1)
    expect(sumsOf(rows, (row) => [row['*Date'] ?? '', hundredths(row['*Amount'] ?? '')]).size).toBe(0)
    const ledger = [...(await ledgerBalances(client))].filter(([key]) => key.endsWith('USD'))
    expect(sumsOf(rows, (row) => [`${row['*AccountCode']} USD`, hundredths(row['*Amount'] ?? '')])).toEqual(
      new Map(ledger),
    )
    expect(new Set(rows.map((row) => row['*TaxRate']))).toEqual(new Set(['Tax Exempt']))
  })

  test('for QuickBooks balance each entry, and have the date format of the chart', async () => {
    await setChart(client, { accounts: WHOLE_CHART, dateFormat: 'MM/DD/YYYY' })
    const rows: Row[] = parse(await journalOf(client, `${EVER}&format=quickbooks&currency=EUR`), {
      columns: true,
    })
    const net = (row: Row) => hundredths(row['*Debits'] || '0.00') - hundredths(row['*Credits'] || '0.00')
    expect(rows.length).toBeGreaterThan(1)
    expect(sumsOf(rows, (row) => [row['*JournalNo'] ?? '', net(row)]).size).toBe(0)
    for (const row of rows) expect(row['*JournalDate']).toMatch(/^\d\d\/\d\d\/20\d\d$/)
    await setChart(client)
  })

  test('are refused until the chart has every account, and say which are missing', async () => {
    await setChart(client, { accounts: WHOLE_CHART.filter(({ kind }) => kind !== 'FX') })
    const refused = await client.get(`/ledger/journal?${EVER}&format=quickbooks`)
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'CHART_OF_ACCOUNTS_INCOMPLETE', details: { missing: ['FX EUR', 'FX USD'] } },
    })
    await setChart(client)
  })

  test('for Xero need a currency', async () => {
    const refused = await client.get(`/ledger/journal?${EVER}&format=xero`)
    expectError(refused, { code: 'INVALID_INPUT', field: 'currency' })
  })
})

test('a period that ends before it begins is refused', async () => {
  const refused = await client.get('/ledger/journal?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')
  expectError(refused, { code: 'INVALID_INPUT', field: 'to' })
})

describe('the chart of accounts', () => {
  const [customers] = WHOLE_CHART
  const refusals = [
    ['a rail for a kind that has none', [{ ...customers, rail: 'bank' }], 'accounts.0.rail'],
    ['an unknown currency', [{ ...customers, currency: 'XXX' }], 'accounts.0.currency'],
    ['the same place twice', [customers, { ...customers, code: '9', name: 'Other' }], 'accounts.1.kind'],
    ['a code with two names', [customers, { ...customers, kind: 'FX', name: 'Other' }], 'accounts.1.code'],
    ['a name with two codes', [customers, { ...customers, kind: 'FX', code: '9' }], 'accounts.1.name'],
    ['a code with a space', [{ ...customers, code: '20 00' }], 'accounts.0.code'],
    ['a name that would end a line', [{ ...customers, name: 'a\nb' }], 'accounts.0.name'],
    ['a name that begins a comment', [{ ...customers, name: 'a  ; b' }], 'accounts.0.name'],
  ] as const

  test.each(refusals)('is refused with %s', async (_, accounts, field) => {
    const refused = await client.send('PUT', '/ledger/chart-of-accounts', { accounts })
    expectError(refused, { code: 'INVALID_INPUT', field })
  })

  test('is read as it was set, and is empty before', async () => {
    const other = await newPlatform()
    expect((await other.get('/ledger/chart-of-accounts')).body).toEqual({ accounts: [] })
    const settings = { accounts: [customers], dateFormat: 'DD/MM/YYYY', taxRate: 'No VAT' }
    await setChart(other, settings)
    expect((await other.get('/ledger/chart-of-accounts')).body).toMatchObject(settings)
    await setChart(other, { accounts: [] })
    const { updatedAt: _, ...empty } = (await other.get('/ledger/chart-of-accounts')).body
    expect(empty).toEqual({ accounts: [] })
  })

  test('is whole after fifty changes in parallel', async () => {
    const other = await newPlatform()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        other.send('PUT', '/ledger/chart-of-accounts', { accounts: [{ ...customers, code: String(n + 1) }] }),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await other.get('/ledger/chart-of-accounts')).body.accounts).toHaveLength(1)
  })
})
