import { expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

interface Difference {
  readonly reason: string
  readonly amount: number
  readonly about: string
}

async function createBank(client: Client) {
  const { status, body } = await client.post('/sandbox/example-banks', { currency: 'USD' })
  expect(status, JSON.stringify(body)).toBe(201)
  const day = await waitForComparison(client, body.reconciliationId, 'DIFFERENT')
  return { ...body, day }
}

/** Waits for the comparison after a statement or a change, and reads the day. */
async function waitForComparison(client: Client, id: string, status: string) {
  await client.advance(120)
  const { body } = await client.get(`/reconciliations/${id}`)
  expect(body.status).toBe(status)
  return body
}

const printDifferences = (differences: readonly Difference[]) =>
  differences.map(({ reason, amount }) => `${reason} ${amount}`).sort()

test('an example bank pays in, and its statement differs in five places that add up', async () => {
  const client = await newPlatform()
  const { day, rail } = await createBank(client)
  expect(printDifferences(day.differences)).toEqual([
    'NOT_IN_STATEMENT -15000',
    'NOT_IN_STATEMENT -35000',
    'NOT_IN_STATEMENT -4500',
    'NOT_IN_STATEMENT -6000',
    'OTHER_AMOUNT -500',
    'UNEXPLAINED -2500',
    'UNEXPLAINED 2000',
    'UNEXPLAINED 4000',
    'UNEXPLAINED 4500',
    'UNEXPLAINED 50000',
  ])
  expect(day.difference).toBe(day.statement.closingBalance - day.ledger.balance)
  const platformAccounts = (await client.get('/platform/internal-accounts')).body.data
  const usd = platformAccounts.find(
    ({ balance }: { balance: { currency: { code: string } } }) => balance.currency.code === 'USD',
  )
  expect(usd.balance.amount).toBe(188_500)
  const { data } = (await client.get(`/reconciliations/${day.id}/match-suggestions`)).body
  const kinds = data.map(({ kind }: { kind: string }) => kind).sort()
  expect(kinds).toEqual(expect.arrayContaining(['BATCH', 'PARTS', 'PAYMENT']))
  expect(rail).toMatch(/^example-bank-[0-9a-f]{10}$/)
})

test("an example bank's differences can be matched and booked until the day balances", async () => {
  const client = await newPlatform()
  const { day, rail } = await createBank(client)
  const createMatch = async (differences: readonly Difference[]) => {
    const difference = differences.reduce((sum, { amount }) => sum + amount, 0)
    const isLine = ({ about }: Difference) => about.startsWith('StatementEntry:')
    const { status, body } = await client.post('/reconciliation-matches', {
      rail,
      currency: 'USD',
      statementEntryIds: differences.filter(isLine).map(({ about }) => about),
      paymentIds: differences.filter((record) => !isLine(record)).map(({ about }) => about),
      reason: 'Looked at the bank',
      ...(difference === 0 ? {} : { difference: { amount: difference, account: 'costs' } }),
    })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
  }
  const findDifferences = (...amounts: readonly number[]): Difference[] =>
    amounts.map((amount) => day.differences.find((candidate: Difference) => candidate.amount === amount))
  await createMatch(findDifferences(50_000, -35_000, -15_000))
  await createMatch(findDifferences(4_500, -4_500))
  await createMatch(findDifferences(-500))
  await createMatch(findDifferences(-2_500))
  await createMatch(findDifferences(-6_000, 4_000, 2_000))
  const balancedDay = await waitForComparison(client, day.id, 'BALANCED')
  expect(balancedDay.differences).toEqual([])
})

test('each request creates another example bank for its platform only, and years of waiting cause no comparisons', async () => {
  const client = await newPlatform()
  const [firstBank, secondBank] = [await createBank(client), await createBank(client)]
  expect(firstBank.rail).not.toBe(secondBank.rail)
  expectError(await (await newPlatform()).get(`/reconciliations/${firstBank.day.id}`), {
    code: 'RECONCILIATION_NOT_FOUND',
  })
  const before = (await client.get(`/reconciliations/${firstBank.day.id}`)).body.reconciledAt
  await client.advance(5 * 365 * 86_400)
  expect((await client.get(`/reconciliations/${firstBank.day.id}`)).body.reconciledAt).toBe(before)
})

test('an example bank needs a currency in which the platform has an account', async () => {
  const client = await newPlatform()
  const createExampleBank = (currency: string) => client.post('/sandbox/example-banks', { currency })
  expectError(await createExampleBank('XTS'), { code: 'INVALID_CURRENCY', field: 'currency' })
  expectError(await createExampleBank('BRL'), { code: 'ACCOUNT_NOT_FOUND', field: 'currency' })
})
