import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newEuroAccount, numberOf, openProduction, type Production, until } from '../production.testing.ts'

let world: Production
beforeAll(async () => {
  world = await openProduction()
})
afterAll(() => world.close())

/** A funded customer: the money came in by the bank. */
async function funded(amount = '100000') {
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, amount)
  await until(
    () => world.client.get(`/customers/internal-accounts?customerId=${customerId}&currency=EUR`),
    ({ body }) => BigInt(body.data[0].balance.amount) === BigInt(amount),
  )
  return { customerId, account }
}

const statusOf = (id: string) => world.client.get(`/transactions/${id}`)

describe('in production', () => {
  test('a deposit is credited once, and a transfer out is paid once by the bank', async () => {
    const { customerId, account } = await funded()
    const sent = await world.client.post('/transfer-out', {
      source: { accountId: account.id },
      destination: { accountId: await newEuroAccount(world.client, customerId) },
      amount: 25_000,
    })
    expect(sent.status, JSON.stringify(sent.body)).toBe(201)
    const done = await until(
      () => statusOf(sent.body.id),
      ({ body }) => body.status === 'COMPLETED',
    )
    expect(done.body.type).toBe('OUTGOING')
    const { data } = await world.desk('GET', '/payments')
    expect(data.filter(({ id }: { id: string }) => id === sent.body.id)).toHaveLength(1)
    expect(numberOf(account)).toMatch(/^DE/)
  })
})
