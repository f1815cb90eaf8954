import { VERIFICATION_ATTEMPTS } from '@countersign/contract/accounts/account-verifications'
import { expect } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, type Reply } from '../client.testing.ts'

/** A customer with money, a bank account, and a payment sent to it. */
interface PaidAccount {
  readonly customer: { readonly id: string; readonly usd: string }
  readonly bank: string
  readonly transaction: string
}

/** Pays an external account of a new customer. */
export async function newPaidAccount(client: Client, suffix?: string): Promise<PaidAccount> {
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 100_000)
  const bank = await newBankAccount(client, customer.id, suffix)
  const { id } = await payBank(client, { customer, bank })
  await client.advance(0)
  return { customer, bank, transaction: id }
}

/** Makes a payment from the customer to the bank account. */
export async function payBank(
  client: Client,
  { customer, bank }: Pick<PaidAccount, 'customer' | 'bank'>,
  status = 201,
): Promise<Reply['body']> {
  const accounts = { source: { accountId: customer.usd }, destination: { accountId: bank } }
  const reply = await client.post('/transfer-out', { ...accounts, amount: 1_000 })
  expect(reply.status, JSON.stringify(reply.body)).toBe(status)
  return reply.body
}

export const buildChange = (after: string, field = 'accountNumber') => [{ field, value: after }]

/** Makes the sandbox's bank report changed details of the account that a payment went to. */
export async function reportChange(
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

export async function listChanges(client: Client, bank: string): Promise<Reply['body'][]> {
  return (await client.get(`/account-changes?externalAccountId=${bank}&limit=100`)).body.data
}

let numbers = 0

/** Creates an account number that no other account has. */
export function newNumber(): string {
  numbers += 1
  return `55${String(Date.now()).slice(-8)}${String(numbers).padStart(3, '0')}1`
}

/** Creates a change of a new account that waits for a decision. */
export async function newPendingChange(client: Client): Promise<PaidAccount & { readonly id: string }> {
  const paid = await newPaidAccount(client)
  await reportChange(client, paid.transaction, buildChange(newNumber()))
  const [waiting] = await listChanges(client, paid.bank)
  return { ...paid, id: waiting.id }
}

export const REASON = { reason: 'The payee has confirmed it by phone' }

/** Applies or dismisses a change. */
export async function decideChange(
  client: Client,
  id: string,
  by: 'apply' | 'dismiss',
  status = 200,
): Promise<Reply['body']> {
  const reply = await client.post(`/account-changes/${id}/${by}`, REASON)
  expect(reply.status, JSON.stringify(reply.body)).toBe(status)
  return reply.body
}

/** A bank account of a customer whose verification is in progress. */
interface VerificationInProgress {
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

export function beginVerification(
  client: Client,
  externalAccountId: string,
  more: object = {},
): Promise<Reply> {
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
  const reply = await beginVerification(client, bank)
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

export function confirmVerification(client: Client, id: string, amounts: readonly number[]): Promise<Reply> {
  return client.post(`/account-verifications/${id}/confirm`, { amounts })
}

/** Returns amounts that differ from the deposits. */
export function buildWrongAmounts([first = 0, second = 0]: readonly number[]): number[] {
  return [first, second === 99 ? 98 : second + 1]
}

/** Uses all attempts of a verification whose deposits are sent. */
export async function failVerification(client: Client, id: string): Promise<void> {
  const wrong = buildWrongAmounts(await readDepositAmounts(client, id))
  for (let attempt = 0; attempt < VERIFICATION_ATTEMPTS; attempt++)
    await confirmVerification(client, id, wrong)
  expect((await client.get(`/account-verifications/${id}`)).body.status).toBe('FAILED')
}

/** Builds a German IBAN that ends in these digits. */
export function buildGermanIban(suffix: string): string {
  const bban = `37040044${'0532013000'.slice(0, 10 - suffix.length)}${suffix}`
  const remainder = BigInt(`${bban}131400`) % 97n
  return `DE${String(98n - remainder).padStart(2, '0')}${bban}`
}

let euroAccounts = 0

/**
 * Creates an external euro account, by default with a number that no other account in this run has. The last
 * three digits determine how the example bank behaves.
 */
export async function newEuroAccount(
  client: Client,
  customerId: string,
  suffix = String(++euroAccounts).padStart(10, '0'),
): Promise<string> {
  const { status, body } = await client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'EUR' },
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: buildGermanIban(suffix),
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

let poundAccounts = 0

/** Creates an account that Bacs can debit, with a number that no other account in this run has. */
export async function newPoundAccount(client: Client, customerId: string, more: object = {}) {
  const accountNumber = String(10_000_000 + ++poundAccounts)
  const details = {
    ...{ accountType: 'GBP_ACCOUNT', sortCode: '204512', accountNumber },
    beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
    ...more,
  }
  const { status, body } = await client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'GBP' },
    accountInfo: details,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return { id: String(body.id), accountNumber: details.accountNumber }
}

/** Creates a mandate for a new account of a world's customer. */
export async function newMandateWithAccount(
  client: Client,
  { Customer = '' }: { readonly Customer?: string },
): Promise<{ readonly id: string; readonly externalAccountId: string }> {
  return newMandate(client, await newEuroAccount(client, Customer))
}

export async function newMandate(
  client: Client,
  externalAccountId: string,
  more: object = {},
): Promise<Reply['body']> {
  const { status, body } = await client.post('/mandates', {
    ...{ externalAccountId, signedOn: '2026-02-27' },
    ...more,
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body
}
