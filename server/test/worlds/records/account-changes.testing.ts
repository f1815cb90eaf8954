import { expect } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, type Reply } from '../client.testing.ts'

/** A customer with money, a bank account, and a payment sent to it. */
export interface PaidAccount {
  readonly customer: { readonly id: string; readonly usd: string }
  readonly bank: string
  readonly transaction: string
}

/** Pays an external account of a new customer. */
export async function paidAccount(client: Client, suffix?: string): Promise<PaidAccount> {
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 100_000)
  const bank = await newBankAccount(client, customer.id, suffix)
  const { id } = await pay(client, { customer, bank })
  await client.advance(0)
  return { customer, bank, transaction: id }
}

/** Makes a payment from the customer to the bank account. */
export async function pay(
  client: Client,
  { customer, bank }: Pick<PaidAccount, 'customer' | 'bank'>,
  status = 201,
): Promise<Reply['body']> {
  const accounts = { source: { accountId: customer.usd }, destination: { accountId: bank } }
  const reply = await client.post('/transfer-out', { ...accounts, amount: 1_000 })
  expect(reply.status, JSON.stringify(reply.body)).toBe(status)
  return reply.body
}

export const change = (after: string, field = 'accountNumber') => [{ field, value: after }]

/** Makes the sandbox's bank report changed details of the account that a payment went to. */
export async function report(
  client: Client,
  paymentId: string,
  changes: readonly { readonly field: string; readonly value: string }[],
  code = 'C01',
): Promise<Reply['body']> {
  const body = { type: 'account.changed', paymentId, message: 'Corrected', changes, code }
  const reply = await client.post('/sandbox/rail-events', body)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  return reply.body
}

export async function changesOf(client: Client, bank: string): Promise<Reply['body'][]> {
  return (await client.get(`/account-changes?externalAccountId=${bank}&limit=100`)).body.data
}

let numbers = 0

/** Creates an account number that no other account has. */
export function newNumber(): string {
  numbers += 1
  return `55${String(Date.now()).slice(-8)}${String(numbers).padStart(3, '0')}1`
}

/** Creates a change of a new account that waits for a decision. */
export async function pendingChange(client: Client): Promise<PaidAccount & { readonly id: string }> {
  const paid = await paidAccount(client)
  await report(client, paid.transaction, change(newNumber()))
  const [waiting] = await changesOf(client, paid.bank)
  return { ...paid, id: waiting.id }
}

export const REASON = { reason: 'The payee has confirmed it by phone' }

/** Applies or dismisses a change. */
export async function decide(
  client: Client,
  id: string,
  by: 'apply' | 'dismiss',
  status = 200,
): Promise<Reply['body']> {
  const reply = await client.post(`/account-changes/${id}/${by}`, REASON)
  expect(reply.status, JSON.stringify(reply.body)).toBe(status)
  return reply.body
}
