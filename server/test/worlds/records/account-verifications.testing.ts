import { VERIFICATION_ATTEMPTS } from '@countersign/contract/accounts/account-verifications'
import { expect } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, type Reply } from '../client.testing.ts'
import { newNumber } from './account-changes.testing.ts'

/** A bank account of a customer whose verification is in progress. */
export interface BegunVerification {
  readonly id: string
  readonly bank: string
  readonly customerId: string
}

/** Puts money on the platform's account in USD, and returns the account. */
export async function fundPlatform(client: Client, amount = 10_000): Promise<string> {
  const [own] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, own.id, amount)
  return own.id
}

export function begin(client: Client, externalAccountId: string, more: object = {}): Promise<Reply> {
  return client.post('/account-verifications', { externalAccountId, ...more })
}

/** Begins the verification of a new account of a customer, by default a new one. Its deposits are sent. */
export async function begunVerification(
  client: Client,
  owner?: string,
  suffix = `${newNumber().slice(-8)}9`,
): Promise<BegunVerification> {
  await fundPlatform(client)
  const customerId = owner ?? (await newCustomer(client)).id
  const bank = await newBankAccount(client, customerId, suffix)
  const begun = await begin(client, bank)
  expect(begun.status, JSON.stringify(begun.body)).toBe(201)
  await client.advance(0)
  return { id: begun.body.id, bank, customerId }
}

/** The amounts of the deposits, in the order in which they were sent. */
export async function amountsOf(client: Client, id: string): Promise<number[]> {
  const { transactionIds } = (await client.get(`/account-verifications/${id}`)).body
  const amounts: number[] = []
  for (const one of transactionIds)
    amounts.push(Number((await client.get(`/transactions/${one}`)).body.sentAmount.amount))
  return amounts
}

export function confirm(client: Client, id: string, amounts: readonly number[]): Promise<Reply> {
  return client.post(`/account-verifications/${id}/confirm`, { amounts })
}

/** Amounts that differ from the deposits. */
export function otherThan([one = 0, other = 0]: readonly number[]): number[] {
  return [one, other === 99 ? 98 : other + 1]
}

/** Uses all attempts of a verification whose deposits are sent. */
export async function failByAttempts(client: Client, id: string): Promise<void> {
  const wrong = otherThan(await amountsOf(client, id))
  for (let attempt = 0; attempt < VERIFICATION_ATTEMPTS; attempt++) await confirm(client, id, wrong)
  expect((await client.get(`/account-verifications/${id}`)).body.status).toBe('FAILED')
}
