import { randomBytes } from 'node:crypto'
import { CountersignError } from '@countersign/sdk'
import { formatAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import type { Demo } from './open-demo.ts'

export interface DemoCustomer {
  readonly id: string
  /** The embedded wallet, which holds USDB. */
  readonly walletId: string
  /** The bank account that receives the payment, which is in USD. */
  readonly bankAccountId: string
}

/** 100.00 USDB, which has six decimals. */
const TEST_MONEY = 100_000_000n

/** Creates a customer with a funded embedded wallet and an external bank account. */
export async function makeCustomer(demo: Demo): Promise<DemoCustomer> {
  const { countersign, script } = demo
  const { id, walletId } = await makeWalletHolder(demo, 'Ada Lovelace')
  await fund(demo, walletId)

  script.call('customer_external_account_create', 'adds the bank account that will be paid')
  const { body: bank } = await countersign.call('customer_external_account_create', {
    body: {
      customerId: id,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '000123456789',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    },
  })
  script.show('bank account', bank.id)
  script.show("holder's name", bank.beneficiaryVerificationStatus ?? 'not checked')
  return { id, walletId, bankAccountId: bank.id }
}

/** Creates a customer with a wallet and prints the wallet's address. */
export async function makeWalletHolder(
  { countersign, script }: Demo,
  fullName: string,
): Promise<{ readonly id: string; readonly walletId: string }> {
  // Each run creates a new customer. The characters before the @ select a sandbox outcome; letters select
  // success.
  const email = `demo-${randomBytes(4).toString('hex')}-ada@example.com`
  script.call('customer_create', 'creates a customer, who signs in by e-mail')
  const { body: customer } = await countersign.call('customer_create', {
    body: { customerType: 'INDIVIDUAL', fullName, email },
  })
  script.show('customer', customer.id)
  script.show('e-mail', email)

  script.call('customer_internal_account_list', 'lists the accounts of the new customer')
  let walletId: string | undefined
  for await (const account of countersign.paginate('customer_internal_account_list', {
    query: { customerId: customer.id },
  })) {
    script.show(
      account.type,
      `${formatAmount(account.balance.amount, account.balance.currency).padEnd(14)}${account.id}`,
    )
    if (account.type !== 'EMBEDDED_WALLET') continue
    walletId = account.id
    const [first] = account.fundingPaymentInstructions
    if (first && 'address' in first.accountOrWalletInfo)
      script.show('address', String(first.accountOrWalletInfo.address))
  }
  if (!walletId) throw new Failure('The customer has no embedded wallet.')
  return { id: customer.id, walletId }
}

/** Adds test money to a wallet. Throws Failure if the server is not a sandbox. */
export async function fund({ countersign, script }: Demo, walletId: string): Promise<void> {
  script.call('sandbox_account_fund', 'adds test money, in sandbox only')
  try {
    const { body } = await countersign.call('sandbox_account_fund', {
      params: { accountId: walletId },
      body: { amount: TEST_MONEY },
    })
    script.show('balance', formatAmount(body.balance.amount, body.balance.currency))
  } catch (error) {
    if (!(error instanceof CountersignError) || error.code !== 'NOT_FOUND') throw error
    throw new Failure(
      'The demo needs a sandbox, and this server is not one. Set COUNTERSIGN_MODE to sandbox.',
    )
  }
}
