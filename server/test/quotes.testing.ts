import { expect } from 'vitest'
import { toJson } from '../src/json/json.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from './client.testing.ts'

export const FUNDED = 100_000

/** A customer with money, and an external account that ends in `suffix`. */
export async function ready(suffix?: string) {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  await fund(client, customer.usd, FUNDED)
  return { client, customer, bank: await newBankAccount(client, customer.id, suffix) }
}

/** A quote for 25.00, with the members of `more`. */
export async function quoted(client: Client, source: object, destination: object, more: object = {}) {
  const reply = await client.post('/quotes', {
    source,
    destination,
    lockedCurrencySide: 'RECEIVING',
    lockedCurrencyAmount: 2500,
    ...more,
  })
  expect(reply, toJson(reply.body)).toMatchObject({ status: 201 })
  return reply.body
}

export const account = (accountId: string) => ({ sourceType: 'ACCOUNT', accountId })
export const to = (accountId: string) => ({ destinationType: 'ACCOUNT', accountId })
export const transactionOf = async (client: Client, quote: { transactionId: string }) =>
  (await client.get(`/transactions/${quote.transactionId}`)).body
export const statusOf = async (client: Client, quote: { id: string }) =>
  (await client.get(`/quotes/${quote.id}`)).body.status

/** The available and the total balance of the customer's account. */
export async function balancesOf(
  client: Client,
  customerId: string,
  currency = 'USD',
): Promise<[number, number]> {
  const { body } = await client.get(
    `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`,
  )
  return [body.data[0].balance.amount, body.data[0].totalBalance.amount]
}
