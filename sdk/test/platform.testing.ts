import { inject } from 'vitest'
import { Countersign } from '../src/countersign.ts'

export interface TestCredentials {
  readonly baseUrl: string
  readonly platformId: string
  readonly tokenId: string
  readonly clientSecret: string
}

/** Creates a platform for one test. */
export async function makePlatform(): Promise<TestCredentials> {
  const response = await fetch(inject('platformMaker'), { method: 'POST' })
  return { ...((await response.json()) as TestCredentials), baseUrl: inject('baseUrl') }
}

/** Creates a customer with `amount` (smallest units of USDB) in a wallet, and a bank account in USD. */
export async function makeFundedCustomer(
  countersign: Countersign,
  options: { email: string; amount: bigint },
) {
  const { body: customer } = await countersign.call('customer_create', {
    body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: options.email },
  })
  const { body: accounts } = await countersign.call('customer_internal_account_list', {
    query: { customerId: customer.id },
  })
  const findId = (matches: (account: (typeof accounts.data)[number]) => boolean) =>
    accounts.data.find(matches)!.id
  const walletId = findId(({ type }) => type === 'EMBEDDED_WALLET')
  const usdId = findId(({ type, balance }) => type === 'INTERNAL_FIAT' && balance.currency.code === 'USD')
  await countersign.call('sandbox_account_fund', {
    params: { accountId: walletId },
    body: { amount: options.amount },
  })
  const { body: bank } = await countersign.call('customer_external_account_create', {
    body: {
      customerId: customer.id,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '000123456789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    },
  })
  return { customerId: customer.id, walletId, usdId, bankId: bank.id }
}

/** Creates a quote from an account to a bank account. `amount` is the receiving amount in smallest units. */
export async function makeQuote(
  countersign: Countersign,
  options: { from: string; to: string; amount: bigint },
) {
  const { body } = await countersign.call('quote_create', {
    body: {
      source: { sourceType: 'ACCOUNT', accountId: options.from },
      destination: { destinationType: 'ACCOUNT', accountId: options.to },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: options.amount,
    },
  })
  return body
}

/** Creates a client for a new platform. */
export async function makeClient(): Promise<Countersign> {
  return new Countersign(await makePlatform())
}

/** Reads all pages of a list. */
export async function listAll<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
