import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  ALL_TIME,
  type Balances,
  createBookedWorld,
  dropZeros,
  FULL_CHART,
  parseHundredths,
  readJournal,
  readLedgerBalances,
  setChart,
} from './accounting.testing.ts'

type Row = Record<string, string>

let client: Client

beforeAll(async () => {
  client = (await createBookedWorld()).client
  await setChart(client)
})

const readRows = async (query: string): Promise<Row[]> =>
  parse(await readJournal(client, query), { columns: true })

function sumRows(rows: readonly Row[], entry: (row: Row) => readonly [string, bigint]): Balances {
  const sums = new Map<string, bigint>()
  for (const row of rows) {
    const [key, amount] = entry(row)
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return dropZeros(sums)
}

describe('the journal as CSV', () => {
  test('sums to the balances of the ledger, account by account', async () => {
    const rows = await readRows(ALL_TIME)
    const sums = sumRows(rows, ({ accountCode, currency, units }) => [
      `${accountCode} ${currency}`,
      BigInt(units ?? ''),
    ])
    expect(sums).toEqual(await readLedgerBalances(client))
    expect(sums.size).toBeGreaterThan(4)
  })

  test('has every transfer twice, with equal amounts', async () => {
    const rows = await readRows(ALL_TIME)
    const ids = new Set(rows.map(({ transferId }) => transferId))
    expect(rows).toHaveLength(2 * ids.size)
    for (const [at, row] of rows.entries())
      if (at % 2 === 0) {
        const creditRow = rows[at + 1]
        expect([creditRow?.transferId, creditRow?.credit, creditRow?.side]).toEqual([
          row.transferId,
          row.debit,
          'CREDIT',
        ])
      }
  })

  test('has each movement in one of two consecutive periods, ordered by day', async () => {
    const allRows = await readRows(ALL_TIME)
    const boundary = allRows.at(-1)?.at ?? ''
    const before = await readRows(`from=2020-01-01T00:00:00Z&to=${boundary}`)
    const after = await readRows(`from=${boundary}&to=2100-01-01T00:00:00Z`)
    expect(before.length).toBeGreaterThan(0)
    expect(after.length).toBeGreaterThan(0)
    expect([...before, ...after].map(({ transferId }) => transferId).toSorted()).toEqual(
      allRows.map(({ transferId }) => transferId).toSorted(),
    )
    const days = allRows.map(({ at = '' }) => at.slice(0, 10))
    expect(days).toEqual(days.toSorted())
    expect(new Set(days).size).toBeGreaterThan(1)
  })

  test('can be limited to one currency', async () => {
    const rows = await readRows(`${ALL_TIME}&currency=EUR`)
    expect(new Set(rows.map(({ currency }) => currency))).toEqual(new Set(['EUR']))
  })

  test('names accounts by their kinds if the chart lacks them', async () => {
    const otherClient = await newPlatform()
    await fund(otherClient, (await newCustomer(otherClient)).usd, 500)
    const rows: Row[] = parse(await readJournal(otherClient, ALL_TIME), { columns: true })
    expect(
      rows.map(({ accountCode, accountName, accountType }) => [accountCode, accountName, accountType]),
    ).toEqual([
      ['', 'Rail', 'ASSET'],
      ['', 'Customers', 'LIABILITY'],
    ])
  })

  test('has no transfers of other platforms', async () => {
    const rows: Row[] = parse(await readJournal(await newPlatform(), ALL_TIME), { columns: true })
    expect(rows).toEqual([])
  })

  test('has every transfer, even if there are several pages', async () => {
    const busyClient = await newPlatform()
    const customer = await newCustomer(busyClient)
    for (let n = 0; n < 12; n++)
      await Promise.all(
        Array.from({ length: 50 }, (_, at) => fund(busyClient, customer.usd, n * 50 + at + 1)),
      )
    const rows: Row[] = parse(await readJournal(busyClient, ALL_TIME), { columns: true })
    expect(rows).toHaveLength(1200)
    expect(new Set(rows.map(({ transferId }) => transferId)).size).toBe(600)
  })
})

describe('files for accounting programs', () => {
  test('for Xero have one journal per day that sums to zero', async () => {
    const rows: Row[] = parse(await readJournal(client, `${ALL_TIME}&format=xero&currency=USD`), {
      columns: true,
    })
    expect(new Set(rows.map((row) => row['*Narration'])).size).toBeGreaterThan(1)
    expect(sumRows(rows, (row) => [row['*Date'] ?? '', parseHundredths(row['*Amount'] ?? '')]).size).toBe(0)
    const ledger = [...(await readLedgerBalances(client))].filter(([key]) => key.endsWith('USD'))
    expect(
      sumRows(rows, (row) => [`${row['*AccountCode']} USD`, parseHundredths(row['*Amount'] ?? '')]),
    ).toEqual(new Map(ledger))
    expect(new Set(rows.map((row) => row['*TaxRate']))).toEqual(new Set(['Tax Exempt']))
  })

  test('for QuickBooks balance each entry, and have the date format of the chart', async () => {
    await setChart(client, { accounts: FULL_CHART, dateFormat: 'MM/DD/YYYY' })
    const rows: Row[] = parse(await readJournal(client, `${ALL_TIME}&format=quickbooks&currency=EUR`), {
      columns: true,
    })
    const toNetAmount = (row: Row) =>
      parseHundredths(row['*Debits'] || '0.00') - parseHundredths(row['*Credits'] || '0.00')
    expect(rows.length).toBeGreaterThan(1)
    expect(sumRows(rows, (row) => [row['*JournalNo'] ?? '', toNetAmount(row)]).size).toBe(0)
    for (const row of rows) expect(row['*JournalDate']).toMatch(/^\d\d\/\d\d\/20\d\d$/)
    await setChart(client)
  })

  test('are refused until the chart has every account, and say which are missing', async () => {
    await setChart(client, { accounts: FULL_CHART.filter(({ kind }) => kind !== 'FX') })
    const refusal = await client.get(`/ledger/journal?${ALL_TIME}&format=quickbooks`)
    expect(refusal).toMatchObject({
      status: 409,
      body: { code: 'CHART_OF_ACCOUNTS_INCOMPLETE', details: { missing: ['FX EUR', 'FX USD'] } },
    })
    await setChart(client)
  })

  test('for Xero need a currency', async () => {
    const refusal = await client.get(`/ledger/journal?${ALL_TIME}&format=xero`)
    expectError(refusal, { code: 'INVALID_INPUT', field: 'currency' })
  })
})

test('the journal refuses a period that ends before it begins', async () => {
  const refusal = await client.get('/ledger/journal?from=2026-02-01T00:00:00Z&to=2026-01-01T00:00:00Z')
  expectError(refusal, { code: 'INVALID_INPUT', field: 'to' })
})

describe('the chart of accounts', () => {
  const [customers] = FULL_CHART
  const refusals = [
    ['a rail for a kind without rails', [{ ...customers, rail: 'bank' }], 'accounts.0.rail'],
    ['an unknown currency', [{ ...customers, currency: 'XXX' }], 'accounts.0.currency'],
    ['the same kind twice', [customers, { ...customers, code: '9', name: 'Other' }], 'accounts.1.kind'],
    ['a code with two names', [customers, { ...customers, kind: 'FX', name: 'Other' }], 'accounts.1.code'],
    ['a name with two codes', [customers, { ...customers, kind: 'FX', code: '9' }], 'accounts.1.name'],
    ['a code with a space', [{ ...customers, code: '20 00' }], 'accounts.0.code'],
    ['a name that would end a line', [{ ...customers, name: 'a\nb' }], 'accounts.0.name'],
    ['a name that begins a comment', [{ ...customers, name: 'a  ; b' }], 'accounts.0.name'],
  ] as const

  test.each(refusals)('is refused with %s', async (_, accounts, field) => {
    const refusal = await client.send('PUT', '/ledger/chart-of-accounts', { accounts })
    expectError(refusal, { code: 'INVALID_INPUT', field })
  })

  test('is read as it was set, and is empty before that', async () => {
    const otherClient = await newPlatform()
    expect((await otherClient.get('/ledger/chart-of-accounts')).body).toEqual({ accounts: [] })
    const settings = { accounts: [customers], dateFormat: 'DD/MM/YYYY', taxRate: 'No VAT' }
    await setChart(otherClient, settings)
    expect((await otherClient.get('/ledger/chart-of-accounts')).body).toMatchObject(settings)
    await setChart(otherClient, { accounts: [] })
    const { updatedAt: _, ...empty } = (await otherClient.get('/ledger/chart-of-accounts')).body
    expect(empty).toEqual({ accounts: [] })
  })

  test('stays consistent after fifty parallel changes', async () => {
    const otherClient = await newPlatform()
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        otherClient.send('PUT', '/ledger/chart-of-accounts', {
          accounts: [{ ...customers, code: String(n + 1) }],
        }),
      ),
    )
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await otherClient.get('/ledger/chart-of-accounts')).body.accounts).toHaveLength(1)
  })
})
