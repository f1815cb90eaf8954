import { Countersign } from '@countersign/sdk'
import type { Session } from '@countersign/sdk/wallet'
import type { Credentials } from './server-process.ts'

/** A signed-in wallet with money, and the bank account to which it pays. */
export interface Payer {
  readonly walletId: string
  readonly bankAccountId: string
  readonly session: Session
}

/** The amount of each payment: one dollar of USDB. */
export const PAYMENT = 1_000_000n
const FUNDS = 100_000n * PAYMENT

/** Creates payers of one platform through the API, as any platform would. */
export function makePayers(credentials: Credentials, count: number): Promise<Payer[]> {
  const countersign = new Countersign(credentials)
  return Promise.all(Array.from({ length: count }, (_, n) => makePayer(countersign, n)))
}

async function makePayer(countersign: Countersign, n: number): Promise<Payer> {
  const { accounts, bankAccountId } = await makeBankedCustomer(countersign, n)
  const walletId = accounts.find(({ type }) => type === 'EMBEDDED_WALLET')!.id
  await countersign.call('sandbox_account_fund', {
    params: { accountId: walletId },
    body: { amount: FUNDS },
  })
  const session = await countersign.wallet(walletId).email.signIn({ code: '000000' })
  return { walletId, bankAccountId, session }
}

/** Creates a customer with its internal accounts and a bank account. */
export async function makeBankedCustomer(countersign: Countersign, n: number) {
  const { body: customer } = await countersign.call('customer_create', {
    body: { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', email: `bench-${n}-ada@example.com` },
  })
  const { body: accounts } = await countersign.call('customer_internal_account_list', {
    query: { customerId: customer.id },
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
  return { customerId: customer.id, accounts: accounts.data, bankAccountId: bank.id }
}
