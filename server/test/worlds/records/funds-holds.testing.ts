import { expect } from 'vitest'
import { type Client, newBankAccount, newCustomer, type Reply } from '../client.testing.ts'

/** More than other records of a world pull, so that the rule can stay. */
const PULLED = 987_600
const RULE = { bankingDays: 2, currency: 'USD', paymentRail: 'ACH', minAmount: PULLED }

/** Money of a new customer that was pulled and is held. Several may be made at the same time. */
export async function heldPull(client: Client): Promise<string> {
  const customer = await newCustomer(client)
  const bank = await newBankAccount(client, customer.id)
  const rules = await client.send('PATCH', '/config', { riskConfig: { fundsHolds: [RULE] } })
  expect(rules.status).toBe(200)
  const { status, body } = await client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    amount: PULLED,
  })
  expect(status).toBe(201)
  await client.advance(0)
  const { data }: Reply['body'] = (await client.get(`/funds-holds?transactionId=${body.id}`)).body
  expect(data).toHaveLength(1)
  return data[0].id
}
