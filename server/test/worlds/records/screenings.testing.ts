import { expect } from 'vitest'
import { type Client, fund, newCustomer, newPlatform } from '../client.testing.ts'

/** An address on the sandbox's list, and one that is on none. */
export const LISTED = '0x52908400098527886e0f7030069857d2e416bad0'
export const UNLISTED = '0x52908400098527886e0f7030069857d2e4169ee7'
export const FUNDED = 50_000_000
export const AMOUNT = 1_000_000

/** A platform with a customer who has USDC. */
export async function ready() {
  const client = await newPlatform()
  const customer = await newCustomer(client)
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customer.id}&currency=USDC`)
  const usdc: string = body.data[0].id
  await fund(client, usdc, FUNDED)
  return { client, customer, usdc }
}

/** Money from a listed address, which waits. Returns the id of the deposit. */
export async function paidInByListed(client: Client): Promise<string> {
  const deposit = { amount: AMOUNT, currency: 'USDC', sender: { accountIdentifier: LISTED } }
  const { status, body } = await client.post('/sandbox/deposits', deposit)
  expect(status).toBe(201)
  return body.id
}

export async function newWallet(client: Client, customerId: string, address = LISTED): Promise<string> {
  const { status, body } = await client.post('/customers/external-accounts', {
    customerId,
    currency: 'USDC',
    accountInfo: { accountType: 'BASE_WALLET', address },
  })
  expect(status).toBe(201)
  return body.id
}

/** A transfer out, after its rail was called, if it was. */
export async function sent(client: Client, from: string, to: string): Promise<string> {
  const { status, body } = await client.post('/transfer-out', {
    source: { accountId: from },
    destination: { accountId: to },
    amount: AMOUNT,
  })
  expect(status).toBe(201)
  await client.advance(0)
  return body.id
}

export const statusOf = async (client: Client, id: string): Promise<string> =>
  (await client.get(`/transactions/${id}`)).body.status

export const screeningsOf = async (client: Client, query = '') =>
  (await client.get(`/screenings?${query}`)).body.data

export async function onlyScreening(client: Client) {
  const all = await screeningsOf(client)
  expect(all).toHaveLength(1)
  return all[0]
}

/** The available and the total balance of an account in USDC. */
export async function balances(client: Client, customerId: string): Promise<[number, number]> {
  const { body } = await client.get(`/customers/internal-accounts?customerId=${customerId}&currency=USDC`)
  return [body.data[0].balance.amount, body.data[0].totalBalance.amount]
}

export const eventTypesOf = async (client: Client, objectId: string): Promise<string[]> =>
  (await client.events(`&objectId=${objectId}`)).map(({ type }) => type).sort()

/** A screening that waits for a person. */
export async function newScreening({ client }: { readonly client: Client }) {
  const deposit = await paidInByListed(client)
  const all: { readonly id: string; readonly depositId?: string }[] = await screeningsOf(client)
  return { Screening: all.find(({ depositId }) => depositId === deposit)!.id }
}
