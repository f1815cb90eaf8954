import { expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'

interface Difference {
  readonly reason: string
  readonly amount: number
  readonly about: string
}

async function newBank(client: Client) {
  const { status, body } = await client.post('/sandbox/example-banks', { currency: 'USD' })
  expect(status, JSON.stringify(body)).toBe(201)
  const day = await compared(client, body.reconciliationId, 'DIFFERENT')
  return { ...body, day }
}

/** The day after its statement, or a change, has been compared. */
async function compared(client: Client, id: string, status: string) {
  await client.advance(120)
  const { body } = await client.get(`/reconciliations/${id}`)
  expect(body.status).toBe(status)
  return body
}

const pairs = (differences: readonly Difference[]) =>
  differences.map(({ reason, amount }) => `${reason} ${amount}`).sort()

test('an example bank pays in, and its statement differs in five places that add up', async () => {
  const client = await newPlatform()
  const { day, rail } = await newBank(client)
  expect(pairs(day.differences)).toEqual([
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
  const own = (await client.get('/platform/internal-accounts')).body.data
  const usd = own.find(
    ({ balance }: { balance: { currency: { code: string } } }) => balance.currency.code === 'USD',
  )
  expect(usd.balance.amount).toBe(188_500)
  const { data } = (await client.get(`/reconciliations/${day.id}/match-suggestions`)).body
  const kinds = data.map(({ kind }: { kind: string }) => kind).sort()
  expect(kinds).toEqual(expect.arrayContaining(['BATCH', 'PARTS', 'PAYMENT']))
  expect(rail).toMatch(/^example-bank-[0-9a-f]{10}$/)
})

test('its differences can be matched and booked until the day balances', async () => {
  const client = await newPlatform()
  const { day, rail } = await newBank(client)
  const match = async (of: readonly Difference[]) => {
    const difference = of.reduce((sum, { amount }) => sum + amount, 0)
    const isLine = ({ about }: Difference) => about.startsWith('StatementEntry:')
    const { status, body } = await client.post('/reconciliation-matches', {
      rail,
      currency: 'USD',
      statementEntryIds: of.filter(isLine).map(({ about }) => about),
      paymentIds: of.filter((one) => !isLine(one)).map(({ about }) => about),
      reason: 'Looked at the bank',
      ...(difference === 0 ? {} : { difference: { amount: difference, account: 'costs' } }),
    })
    expect(status, JSON.stringify(body)).toBeLessThan(300)
  }
  const found = (...amounts: readonly number[]): Difference[] =>
    amounts.map((amount) => day.differences.find((one: Difference) => one.amount === amount))
  await match(found(50_000, -35_000, -15_000))
  await match(found(4_500, -4_500))
  await match(found(-500))
  await match(found(-2_500))
  await match(found(-6_000, 4_000, 2_000))
  const balanced = await compared(client, day.id, 'BALANCED')
  expect(balanced.differences).toEqual([])
})

test('each call makes another bank, for its platform only, and years of waiting cost no comparisons', async () => {
  const client = await newPlatform()
  const [one, other] = [await newBank(client), await newBank(client)]
  expect(one.rail).not.toBe(other.rail)
  expectError(await (await newPlatform()).get(`/reconciliations/${one.day.id}`), {
    code: 'RECONCILIATION_NOT_FOUND',
  })
  const before = (await client.get(`/reconciliations/${one.day.id}`)).body.reconciledAt
  await client.advance(5 * 365 * 86_400)
  expect((await client.get(`/reconciliations/${one.day.id}`)).body.reconciledAt).toBe(before)
})

test('it needs a currency in which the platform has an account', async () => {
  const client = await newPlatform()
  const make = (currency: string) => client.post('/sandbox/example-banks', { currency })
  expectError(await make('XTS'), { code: 'INVALID_CURRENCY', field: 'currency' })
  expectError(await make('BRL'), { code: 'ACCOUNT_NOT_FOUND', field: 'currency' })
})
