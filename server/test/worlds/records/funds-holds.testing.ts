import { expect } from 'vitest'
import { type Client, newBankAccount, newCustomer, type Reply } from '../client.testing.ts'

const RULE = { bankingDays: 2, currency: 'USD', paymentRail: 'ACH' }
const PULLED = 5000

/** Money of a new customer that was pulled and is held. The platform has no rules afterwards. */
export async function heldPull(client: Client): Promise<string> {
  const setRules = async (fundsHolds: readonly object[]) =>
    expect((await client.send('PATCH', '/config', { riskConfig: { fundsHolds } })).status).toBe(200)
  const customer = await newCustomer(client)
  const bank = await newBankAccount(client, customer.id)
  await setRules([RULE])
  const { status, body } = await client.post('/transfer-in', {
    source: { accountId: bank },
    destination: { accountId: customer.usd },
    amount: PULLED,
  })
  expect(status).toBe(201)
  await client.advance(0)
  await setRules([])
  const { data }: Reply['body'] = (await client.get(`/funds-holds?transactionId=${body.id}`)).body
  return data[0].id
}
