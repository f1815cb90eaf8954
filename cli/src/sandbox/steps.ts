import type { EventType } from '@countersign/contract/events/events'
import type { Countersign } from '@countersign/sdk'
import { Failure } from '../terminal/failure.ts'

/** What the steps of a trigger work on. Left out: records of their own. */
export interface TriggerIds {
  readonly customer?: string
  readonly account?: string
}

interface Steps {
  readonly words: string
  readonly run: (countersign: Countersign, ids: TriggerIds) => Promise<unknown>
}

/** Quotes are paid from US dollars; account numbers that end so steer the sandbox. */
const AMOUNT = 1_000n

/** How each event comes about that can be triggered. */
export const TRIGGERS: { readonly [Type in EventType]?: Steps } = {
  'CUSTOMER.KYC_APPROVED': { words: 'a person whose check succeeds', run: addsPerson('Trigger Person') },
  'CUSTOMER.KYC_REJECTED': { words: 'a person whose check fails', run: addsPerson('Trigger Person 002') },
  'CUSTOMER.KYC_PENDING': { words: 'a person whose check goes on', run: addsPerson('Trigger Person 001') },
  'CUSTOMER.KYB_APPROVED': { words: 'a business whose check succeeds', run: addsBusiness('814') },
  'CUSTOMER.KYB_REJECTED': { words: 'a business whose check fails', run: addsBusiness('002') },
  'CUSTOMER.KYB_PENDING': { words: 'a business whose check goes on', run: addsBusiness('001') },
  'INCOMING_PAYMENT.COMPLETED': { words: 'a payment from elsewhere that arrives', run: receives },
  'OUTGOING_PAYMENT.PROCESSING': { words: 'a payment to a bank account that begins', run: pays('814') },
  'OUTGOING_PAYMENT.COMPLETED': { words: 'a payment to a bank account that arrives', run: pays('814') },
  'OUTGOING_PAYMENT.FAILED': { words: 'a payment that the bank refuses', run: pays('004') },
  'OUTGOING_PAYMENT.REFUND_COMPLETED': {
    words: 'a refused payment whose money comes back',
    run: pays('004'),
  },
  'OUTGOING_PAYMENT.REFUND_FAILED': {
    words: 'a refused payment whose money cannot come back',
    run: pays('007'),
  },
  'DEPOSIT.SUSPENDED': {
    words: 'money from outside that fits no account',
    run: deposits,
  },
  'DEPOSIT.RETURNED': {
    words: 'money from outside that fits no account and goes back',
    run: async (countersign) => {
      const { id } = await deposits(countersign)
      await countersign.deposits.return(id, {})
    },
  },
  'DEPOSIT.REVERSED': {
    words: 'money from outside that the bank takes back',
    run: async (countersign) => {
      const { id } = await deposits(countersign)
      await countersign.sandbox.reverseDeposit(id)
    },
  },
  'INTERNAL_ACCOUNT.BALANCE_UPDATED': {
    words: 'an account that is funded',
    run: async (countersign, ids) =>
      countersign.sandbox.fund((await payerOf(countersign, ids)).accountId, { amount: AMOUNT }),
  },
  'CARD.STATE_CHANGE': { words: 'a new card that becomes active', run: makesCard },
  'AGENT_ACTION.PENDING_APPROVAL': { words: 'an agent that asks to pay', run: asksApproval },
}

interface Payer {
  readonly customerId: string
  readonly accountId: string
}

/** The customer and its dollar account: those that are named, or new ones. Throws Failure. */
async function payerOf(countersign: Countersign, { customer, account }: TriggerIds): Promise<Payer> {
  if (account !== undefined && customer === undefined) {
    for await (const { id, customerId } of countersign.internalAccounts.list())
      if (id === account && customerId !== undefined) return { customerId, accountId: id }
    throw new Failure(`There is no account ${account} of a customer.`)
  }
  const customerId =
    customer ??
    (
      await countersign.customers.create({
        customerType: 'INDIVIDUAL',
        fullName: 'Trigger Person',
        region: 'US',
      })
    ).id
  if (account !== undefined) return { customerId, accountId: account }
  for await (const { id, type, balance } of countersign.internalAccounts.list({ customerId }))
    if (type === 'INTERNAL_FIAT' && balance.currency.code === 'USD') return { customerId, accountId: id }
  throw new Failure(`${customerId} has no account in US dollars. Name one by --account.`)
}

/** A payer with money, and a bank account whose number ends so. */
async function payment(countersign: Countersign, ids: TriggerIds, suffix: string) {
  const payer = await payerOf(countersign, ids)
  await countersign.sandbox.fund(payer.accountId, { amount: 10n * AMOUNT })
  const { id: bankId } = await countersign.externalAccounts.create({
    customerId: payer.customerId,
    currency: 'USD',
    accountInfo: {
      accountType: 'USD_ACCOUNT',
      accountNumber: `000123456${suffix}`,
      routingNumber: '021000021',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Trigger Person' },
    },
  })
  return { ...payer, bankId }
}

function pays(suffix: string): Steps['run'] {
  return async (countersign, ids) => {
    const { accountId, bankId } = await payment(countersign, ids, suffix)
    const quote = await countersign.quotes.create({
      source: { sourceType: 'ACCOUNT', accountId },
      destination: { destinationType: 'ACCOUNT', accountId: bankId },
      lockedCurrencySide: 'RECEIVING',
      lockedCurrencyAmount: AMOUNT,
    })
    await countersign.quotes.execute(quote.id)
  }
}

function addsPerson(fullName: string): Steps['run'] {
  return (countersign) => countersign.customers.create({ customerType: 'INDIVIDUAL', fullName })
}

/** The end of the registration number steers the check. */
function addsBusiness(suffix: string): Steps['run'] {
  return (countersign) =>
    countersign.customers.create({
      customerType: 'BUSINESS',
      businessInfo: {
        legalName: 'Trigger Ltd',
        registrationNumber: `HRB 12${suffix}`,
        taxId: '12-3456789',
        incorporatedOn: '2020-01-15',
      },
    })
}

function deposits(countersign: Countersign) {
  return countersign.sandbox.deposit({ amount: AMOUNT, currency: 'USD', remittanceInformation: 'Trigger' })
}

async function receives(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { customerId } = await payerOf(countersign, ids)
  await countersign.sandbox.receiveUma({
    senderUmaAddress: '$trigger@example.com',
    customerId,
    receivingCurrencyCode: 'USD',
    receivingCurrencyAmount: AMOUNT,
  })
}

async function makesCard(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { customerId, accountId } = await payerOf(countersign, ids)
  await countersign.cards.create({ cardholderId: customerId, form: 'VIRTUAL', fundingSources: [accountId] })
}

async function asksApproval(countersign: Countersign, ids: TriggerIds): Promise<void> {
  const { customerId, accountId, bankId } = await payment(countersign, ids, '814')
  const { deviceCode } = await countersign.agents.create({
    name: 'Trigger',
    customerId,
    policy: {
      permissions: ['CREATE_TRANSFERS'],
      defaultExecutionMode: 'APPROVAL_REQUIRED',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10n * AMOUNT },
    },
  })
  const { accessToken } = await countersign.agents.redeemDeviceCode(deviceCode.code)
  await countersign.withAccessToken(accessToken).me.transferOut({
    source: { accountId },
    destination: { accountId: bankId },
    amount: AMOUNT,
  })
}
