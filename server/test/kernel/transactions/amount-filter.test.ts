import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer } from '../../worlds/client.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let service: SharedServer
let client: Client
const AMOUNTS = [500, 1_000, 2_500]

beforeAll(async () => {
  service = await world('sandbox')
  client = await service.newPlatform()
  const payer = await newCustomer(client)
  const bank = await newBankAccount(client, payer.id)
  await fund(client, payer.usd, 100_000)
  for (const amount of AMOUNTS)
    await client.post('/transfer-out', {
      source: { accountId: payer.usd },
      destination: { accountId: bank },
      amount,
    })
})

const listPaidAmounts = async (query: string): Promise<number[]> => {
  const { status, body } = await client.get(`/transactions?type=OUTGOING&sortOrder=asc&${query}`)
  expect(status).toBe(200)
  return body.data.map((row: { sentAmount: { amount: number } }) => row.sentAmount.amount)
}

describe('the amount filters of payments', () => {
  test('find payments that send or receive the currency, within both bounds', async () => {
    expect(await listPaidAmounts('currency=USD')).toEqual(AMOUNTS)
    expect(await listPaidAmounts('currency=EUR')).toEqual([])
    expect(await listPaidAmounts('currency=USD&amountMin=1000')).toEqual([1_000, 2_500])
    expect(await listPaidAmounts('currency=USD&amountMax=1000')).toEqual([500, 1_000])
    expect(await listPaidAmounts('currency=USD&amountMin=501&amountMax=2499')).toEqual([1_000])
    expect(await listPaidAmounts('currency=USD&amountMin=2501&amountMax=500')).toEqual([])
  })

  test('require a currency, because amounts in different currencies cannot be compared', async () => {
    for (const query of ['amountMin=1', 'amountMax=1'])
      for (const path of ['/transactions', '/transactions.csv'])
        expect(await client.get(`${path}?${query}`)).toMatchObject({
          status: 400,
          body: { code: 'INVALID_INPUT', details: { errors: [{ field: 'currency' }] } },
        })
  })

  test('refuse bounds that are not amounts, and unknown failure reasons', async () => {
    for (const query of ['currency=USD&amountMin=-1', 'currency=USD&amountMax=1.5', 'failureReason=NONE'])
      expect(await client.get(`/transactions?${query}`)).toMatchObject({ status: 400 })
    expect(await listPaidAmounts('failureReason=QUOTE_EXPIRED')).toEqual([])
  })

  test('apply to the CSV file as well', async () => {
    const { status, body } = await client.get('/transactions.csv?currency=USD&amountMin=1000&type=OUTGOING')
    expect(status).toBe(200)
    expect(body.trim().split('\n')).toHaveLength(3)
  })
})
