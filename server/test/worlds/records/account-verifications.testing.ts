import { VERIFICATION_ATTEMPTS } from '@countersign/contract/accounts/account-verifications'
import { expect } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, type Reply } from '../client.testing.ts'
import { newNumber } from './account-changes.testing.ts'

/** A bank account of a customer whose verification is in progress. */
export interface VerificationInProgress {
  readonly id: string
  readonly bank: string
  readonly customerId: string
}

/** Puts money into the platform's USD account, and returns the account's id. */
export async function fundPlatform(client: Client, amount = 10_000): Promise<string> {
  const [account] = (await client.get('/platform/internal-accounts?currency=USD')).body.data
  await fund(client, account.id, amount)
  return account.id
}

export function begin(client: Client, externalAccountId: string, more: object = {}): Promise<Reply> {
  return client.post('/account-verifications', { externalAccountId, ...more })
}

/** Begins the verification of a new account of a customer, by default a new one. Its deposits are sent. */
export async function beginNewVerification(
  client: Client,
  owner?: string,
  suffix = `${newNumber().slice(-8)}9`,
): Promise<VerificationInProgress> {
  await fundPlatform(client)
  const customerId = owner ?? (await newCustomer(client)).id
  const bank = await newBankAccount(client, customerId, suffix)
  const reply = await begin(client, bank)
  expect(reply.status, JSON.stringify(reply.body)).toBe(201)
  await client.advance(0)
  return { id: reply.body.id, bank, customerId }
}

/** Reads the amounts of the deposits, in the order in which they were sent. */
export async function readDepositAmounts(client: Client, id: string): Promise<number[]> {
  const { transactionIds } = (await client.get(`/account-verifications/${id}`)).body
  const amounts: number[] = []
  for (const transactionId of transactionIds)
    amounts.push(Number((await client.get(`/transactions/${transactionId}`)).body.sentAmount.amount))
  return amounts
}

export function confirm(client: Client, id: string, amounts: readonly number[]): Promise<Reply> {
  return client.post(`/account-verifications/${id}/confirm`, { amounts })
}

/** Returns amounts that differ from the deposits. */
export function buildWrongAmounts([first = 0, second = 0]: readonly number[]): number[] {
  return [first, second === 99 ? 98 : second + 1]
}

/** Uses all attempts of a verification whose deposits are sent. */
export async function failByAttempts(client: Client, id: string): Promise<void> {
  const wrong = buildWrongAmounts(await readDepositAmounts(client, id))
  for (let attempt = 0; attempt < VERIFICATION_ATTEMPTS; attempt++) await confirm(client, id, wrong)
  expect((await client.get(`/account-verifications/${id}`)).body.status).toBe('FAILED')
}
