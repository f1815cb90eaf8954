import { expect } from 'vitest'
import type { Client, Reply } from '../client.testing.ts'

let ibans = 0

/** Creates a valid German IBAN that no other account in this run has. */
export function newIban(): string {
  const account = `37040044${String(++ibans).padStart(10, '0')}`
  const remainder = [...`${account}131400`].reduce((rest, digit) => Number(`${rest}${digit}`) % 97, 0)
  return `DE${String(98 - remainder).padStart(2, '0')}${account}`
}

/** Creates an account that SEPA can debit. */
export async function newEuroAccount(client: Client, customerId: string, iban = newIban()): Promise<string> {
  const { status, body } = await client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'EUR' },
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban,
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

let accounts = 0

/** Creates an account that Bacs can debit, with a number that no other account in this run has. */
export async function newPoundAccount(client: Client, customerId: string, more: object = {}) {
  const accountNumber = String(10_000_000 + ++accounts)
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
