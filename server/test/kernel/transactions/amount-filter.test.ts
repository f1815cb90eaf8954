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

const paid = async (query: string): Promise<number[]> => {
  const { status, body } = await client.get(`/transactions?type=OUTGOING&sortOrder=asc&${query}`)
  expect(status).toBe(200)
  return body.data.map((row: { sentAmount: { amount: number } }) => row.sentAmount.amount)
}

describe('the filters of payments by amount', () => {
  test('find what sends or receives the currency, within both bounds', async () => {
    expect(await paid('currency=USD')).toEqual(AMOUNTS)
    expect(await paid('currency=EUR')).toEqual([])
    expect(await paid('currency=USD&amountMin=1000')).toEqual([1_000, 2_500])
    expect(await paid('currency=USD&amountMax=1000')).toEqual([500, 1_000])
    expect(await paid('currency=USD&amountMin=501&amountMax=2499')).toEqual([1_000])
    expect(await paid('currency=USD&amountMin=2501&amountMax=500')).toEqual([])
  })

  test('need a currency, because amounts of different ones cannot be compared', async () => {
    for (const query of ['amountMin=1', 'amountMax=1'])
      for (const path of ['/transactions', '/transactions.csv'])
        expect(await client.get(`${path}?${query}`)).toMatchObject({
          status: 400,
          body: { code: 'INVALID_INPUT', details: { errors: [{ field: 'currency' }] } },
        })
  })

  test('refuse bounds that are not amounts, and unknown reasons', async () => {
    for (const query of ['currency=USD&amountMin=-1', 'currency=USD&amountMax=1.5', 'failureReason=NONE'])
      expect(await client.get(`/transactions?${query}`)).toMatchObject({ status: 400 })
    expect(await paid('failureReason=QUOTE_EXPIRED')).toEqual([])
  })

  test('the file of a list has the same rows', async () => {
    const { status, body } = await client.get('/transactions.csv?currency=USD&amountMin=1000&type=OUTGOING')
    expect(status).toBe(200)
    expect(body.trim().split('\n')).toHaveLength(3)
  })
})
