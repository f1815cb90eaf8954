import { describeSchedule } from '@countersign/contract/payments/schedule-words'
import type { ItemOf } from '@countersign/sdk'
import type { Shell } from '../connection/shell.ts'
import { findCurrency, formatAmount } from '../terminal/amounts.ts'
import { Failure } from '../terminal/failure.ts'
import type { Column } from '../terminal/records.ts'
import { ACCOUNT_VERIFICATIONS } from './account-verifications.ts'
import { EXTERNAL_ACCOUNTS } from './external-accounts.ts'

type ListName =
  | 'customer_list'
  | 'customer_internal_account_list'
  | 'transaction_list'
  | 'event_list'
  | 'quote_list'
  | 'deposit_list'
  | 'payment_schedule_list'
  | 'funds_hold_list'
  | 'account_change_list'
  | 'account_verification_list'
  | 'mandate_list'
  | 'customer_external_account_list'

/** The calls and columns of `countersign NOUN list` and `get`, for one kind of record. */
export interface RecordNoun<N extends ListName = ListName> {
  readonly name: string
  readonly description: string
  /** The list endpoint. Its query in the contract defines the filter flags. */
  readonly list: N
  readonly columns: readonly Column<ItemOf<N>>[]
  readonly get: (shell: Shell, id: string) => Promise<unknown>
}

const customers: RecordNoun<'customer_list'> = {
  name: 'customers',
  description: 'customers of your platform',
  list: 'customer_list',
  columns: [
    ['ID', ({ id }) => id],
    ['CREATED', ({ createdAt }) => createdAt],
    ['TYPE', ({ customerType }) => customerType],
    [
      'STATUS',
      (customer) => (customer.customerType === 'INDIVIDUAL' ? customer.kycStatus : customer.kybStatus),
    ],
    ['E-MAIL', ({ email }) => email ?? ''],
    [
      'NAME',
      (customer) =>
        (customer.customerType === 'INDIVIDUAL' ? customer.fullName : customer.businessInfo?.legalName) ?? '',
    ],
  ],
  get: ({ countersign }, id) => countersign.customers.get(id),
}

const accounts: RecordNoun<'customer_internal_account_list'> = {
  name: 'accounts',
  description: 'accounts of your customers: list internal ones, get external ones by id',
  list: 'customer_internal_account_list',
  columns: [
    ['ID', ({ id }) => id],
    ['TYPE', ({ type }) => type],
    ['STATUS', ({ status }) => status],
    ['BALANCE', ({ balance }) => formatAmount(balance.amount, balance.currency)],
    ['CUSTOMER', ({ customerId }) => customerId ?? ''],
  ],
  get: findAccount,
}

const transactions: RecordNoun<'transaction_list'> = {
  name: 'transactions',
  description: 'transactions of your platform',
  list: 'transaction_list',
  columns: [
    ['ID', ({ id }) => id],
    ['CREATED', ({ createdAt }) => createdAt],
    ['TYPE', ({ type }) => type],
    ['STATUS', ({ status }) => status],
    ['SENT', ({ sentAmount }) => formatOptionalAmount(sentAmount)],
    ['RECEIVED', ({ receivedAmount }) => formatOptionalAmount(receivedAmount)],
    ['CUSTOMER', ({ customerId }) => customerId],
  ],
  get: ({ countersign }, id) => countersign.transactions.get(id),
}

const events: RecordNoun<'event_list'> = {
  name: 'events',
  description: 'the events that webhooks deliver',
  list: 'event_list',
  columns: [
    ['ID', ({ id }) => id],
    ['TIME', ({ timestamp }) => timestamp],
    ['TYPE', ({ type }) => type],
    ['DELIVERY', ({ deliveryStatus }) => deliveryStatus],
    ['RECORD', ({ objectId }) => objectId],
  ],
  get: ({ countersign }, id) => countersign.events.get(id),
}

const quotes: RecordNoun<'quote_list'> = {
  name: 'quotes',
  description: 'quotes of your platform',
  list: 'quote_list',
  columns: [
    ['ID', ({ id }) => id],
    ['CREATED', ({ createdAt }) => createdAt],
    ['STATUS', ({ status }) => status],
    ['SENDS', (quote) => formatAmount(quote.totalSendingAmount, quote.sendingCurrency)],
    ['RECEIVES', (quote) => formatAmount(quote.totalReceivingAmount, quote.receivingCurrency)],
    ['EXPIRES', ({ expiresAt }) => expiresAt],
  ],
  get: ({ countersign }, id) => countersign.quotes.get(id),
}

const deposits: RecordNoun<'deposit_list'> = {
  name: 'deposits',
  description: 'incoming payments of rails',
  list: 'deposit_list',
  columns: [
    ['ID', ({ id }) => id],
    ['RECEIVED', ({ receivedAt }) => receivedAt],
    ['STATUS', ({ status }) => status],
    ['REASON', ({ reason }) => reason ?? ''],
    ['AMOUNT', ({ amount }) => formatOptionalAmount(amount)],
    ['RAIL', ({ rail }) => rail],
    ['SENDER', ({ sender }) => sender?.name ?? ''],
    ['REMITTANCE', ({ remittanceInformation }) => remittanceInformation ?? ''],
  ],
  get: ({ countersign }, id) => countersign.deposits.get(id),
}

const schedules: RecordNoun<'payment_schedule_list'> = {
  name: 'schedules',
  description: 'scheduled and recurring payments',
  list: 'payment_schedule_list',
  columns: [
    ['ID', ({ id }) => id],
    ['STATUS', ({ status }) => status],
    ['NAME', ({ name }) => name ?? ''],
    ['AMOUNT', ({ amount }) => formatOptionalAmount(amount)],
    ['PAYEE', ({ payee }) => payee?.name ?? payee?.account ?? ''],
    ['NEXT', ({ upcoming }) => upcoming[0]?.paysAt ?? ''],
    ['RULE', (schedule) => describeSchedule(schedule)],
  ],
  get: ({ countersign }, id) => countersign.paymentSchedules.get(id),
}

const holds: RecordNoun<'funds_hold_list'> = {
  name: 'holds',
  description: 'holds on pulled money, which cannot be spent yet',
  list: 'funds_hold_list',
  columns: [
    ['ID', ({ id }) => id],
    ['STATUS', ({ status }) => status],
    ['AMOUNT', ({ amount }) => formatOptionalAmount(amount)],
    ['RELEASE', ({ releaseAt }) => releaseAt],
    ['ACCOUNT', ({ accountId }) => accountId],
    ['REASON', ({ reason, note }) => note ?? reason],
  ],
  get: ({ countersign }, id) => countersign.fundsHolds.get(id),
}

const mandates: RecordNoun<'mandate_list'> = {
  name: 'mandates',
  description: 'mandates for SEPA direct debits',
  list: 'mandate_list',
  columns: [
    ['ID', ({ id }) => id],
    ['STATUS', ({ status }) => status],
    ['REFERENCE', ({ reference }) => reference],
    ['SIGNED', ({ signedOn }) => signedOn],
    ['COLLECTED', ({ lastCollectedOn }) => lastCollectedOn ?? ''],
    ['ACCOUNT', ({ externalAccountId }) => externalAccountId],
    ['DEBTOR', ({ debtor }) => debtor.name],
  ],
  get: ({ countersign }, id) => countersign.mandates.get(id),
}

const externalAccounts: RecordNoun<'customer_external_account_list'> = {
  name: 'external-accounts',
  description: EXTERNAL_ACCOUNTS,
  list: 'customer_external_account_list',
  columns: [
    ['ID', ({ id }) => id],
    ['TYPE', ({ accountInfo }) => accountInfo.accountType],
    ['STATUS', ({ status }) => status],
    ['CURRENCY', ({ currency }) => currency],
    ['CUSTOMER', ({ customerId }) => customerId ?? ''],
  ],
  get: ({ countersign }, id) => countersign.externalAccounts.get(id),
}

const accountChanges: RecordNoun<'account_change_list'> = {
  name: 'account-changes',
  description: 'changes of account details that banks have reported',
  list: 'account_change_list',
  columns: [
    ['ID', ({ id }) => id],
    ['STATUS', ({ status }) => status],
    ['ACCOUNT', ({ externalAccountId }) => externalAccountId],
    ['CODE', ({ code }) => code ?? ''],
    [
      'CHANGES',
      ({ changes }) =>
        changes.map(({ field, before, after }) => `${field} ${before ?? 'none'} → ${after}`).join(', '),
    ],
    ['REPORTED', ({ createdAt }) => createdAt],
  ],
  get: ({ countersign }, id) => countersign.accountChanges.get(id),
}

const accountVerifications: RecordNoun<'account_verification_list'> = {
  name: 'account-verifications',
  description: ACCOUNT_VERIFICATIONS,
  list: 'account_verification_list',
  columns: [
    ['ID', ({ id }) => id],
    ['STATUS', ({ status }) => status],
    ['ACCOUNT', ({ externalAccountId }) => externalAccountId],
    ['ATTEMPTS LEFT', ({ attemptsLeft }) => String(attemptsLeft)],
    ['EXPIRES', ({ expiresAt }) => expiresAt ?? ''],
  ],
  get: ({ countersign }, id) => countersign.accountVerifications.get(id),
}

/** All nouns with `list` and `get`. */
export const RECORD_NOUNS = [
  customers,
  accounts,
  transactions,
  events,
  quotes,
  deposits,
  schedules,
  holds,
  accountChanges,
  mandates,
  externalAccounts,
  accountVerifications,
] as const

/**
 * Finds an account by id. The API has no endpoint for a single internal account, so these are searched in the
 * lists.
 */
async function findAccount({ countersign }: Shell, id: string): Promise<unknown> {
  if (!id.startsWith('InternalAccount:')) return countersign.externalAccounts.get(id)
  const platformAccounts = await countersign.platformInternalAccounts.list()
  for (const account of platformAccounts.data) if (account.id === id) return account
  for await (const account of countersign.internalAccounts.list({ limit: 100 }))
    if (account.id === id) return account
  throw new Failure(`Account ${id} not found.`)
}

function formatOptionalAmount(
  amount: { readonly amount: bigint; readonly currency: { code: string } } | undefined,
) {
  return amount === undefined ? '' : formatAmount(amount.amount, findCurrency(amount.currency.code))
}
