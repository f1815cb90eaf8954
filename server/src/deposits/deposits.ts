import type { ReceivedDeposit } from '@countersign/contract/connectors/events'
import { amountOfDigits } from '@countersign/contract/connectors/protocol'
import { currencyRecord, isKnownCurrency } from '@countersign/contract/core/currencies'
import { DEPOSIT_INITIAL, DEPOSIT_TRANSITIONS } from '@countersign/contract/core/deposit-states'
import type { DepositReason } from '@countersign/contract/payments/deposits'
import { findCustomerAccount, findInternalAccount } from '../accounts/accounts.ts'
import { insert, type Write } from '../db/commit/writes.ts'
import type { DepositAccountRow, DepositRow } from '../db/schema/rail-tables.ts'
import { event } from '../events/events.ts'
import { readable } from '../formats/readable.ts'
import { type Leg, post } from '../ledger/ledger.ts'
import { maySee, type Op } from '../op/app.ts'
import { ApiError } from '../op/operation.ts'
import { present } from '../op/present.ts'
import { SANDBOX_RAIL } from '../ports/rail.ts'
import { receiveFunding } from '../quotes/funding.ts'
import { findQuote } from '../quotes/quotes.ts'
import { causeOf, findDepositRow, railLeg, returning } from '../rails/deposit-rows.ts'
import { depositId } from '../rails/ids.ts'
import { isAsked } from '../receipts/receipts.ts'
import { findTransaction } from '../transactions/transactions.ts'
import { creditOf, type From } from './credit.ts'
import { referencesIn, type Target, targetOf } from './match.ts'
import { screenSender } from './screen.ts'
import {
  selectAccountsByReference,
  selectDepositAccountsOf,
  selectPlatformAccount,
  selectQuotesByReference,
} from './store.ts'

/** What all payers of the sandbox share, where no account is named. */
export const SANDBOX_SHARED = 'shared'

/** What becomes of a deposit without a person. */
const BY_ITSELF = DEPOSIT_TRANSITIONS[DEPOSIT_INITIAL]

/** Error: 404 `DEPOSIT_NOT_FOUND`. */
export async function findDeposit(op: Op, id: string): Promise<DepositRow> {
  const row = await findDepositRow(op, id)
  if (!row || !maySee(op, null)) throw new ApiError('DEPOSIT_NOT_FOUND', { details: { field: 'depositId' } })
  return row
}

/** A deposit that is recorded or placed, and all that it does. */
export interface Placed {
  readonly row: DepositRow
  readonly writes: readonly Write[]
}

/**
 * Records money that has come in by a rail, and credits it to the account or the quote that it is for; what fits none, or
 * several, is in suspense, and so is what came from an address on a list. Nothing where it was recorded before. Undefined
 * where the amount cannot be counted. Error: 503 `UNAVAILABLE` where nobody can say of the address.
 */
export async function receiveDeposit(
  op: Op,
  rail: string,
  said: ReceivedDeposit,
): Promise<readonly Write[] | undefined> {
  const amount = amountOfDigits(said.amount.value)
  if (amount === undefined || amount <= 0n || !isKnownCurrency(said.amount.currency)) return undefined
  if (await findDepositRow(op, depositId(rail, said.depositId))) return []
  return (await recordDeposit(op, rail, said, amount)).writes
}

/**
 * Records a new deposit, and places it. `paidTo` is whose own number or address it was paid to, where the caller knows: an internal
 * account, a quote, or the platform itself.
 */
export async function recordDeposit(
  op: Op,
  rail: string,
  said: ReceivedDeposit,
  amount: bigint,
  paidTo?: string,
): Promise<Placed> {
  const row = newDeposit(op, rail, said, amount, paidTo)
  const opened = await selectDepositAccountsOf(op, rail, row.details.depositAccount)
  const screened = await screenSender(op, row, opened[0])
  const placed = screened.isHit
    ? inSuspense(op, row, 'SCREENING_HIT', 'rail')
    : await place(op, row, await findTarget(op, row, opened, paidTo), 'rail')
  const told =
    placed.row.state === 'SUSPENSE' ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(placed.row))] : []
  return {
    row: placed.row,
    writes: [insert('deposits', placed.row), ...screened.writes, ...placed.writes, ...told],
  }
}

function newDeposit(
  op: Op,
  rail: string,
  said: ReceivedDeposit,
  amount: bigint,
  paidTo: string | undefined,
): DepositRow {
  return {
    id: depositId(rail, said.depositId),
    platform_id: op.platform.id,
    rail,
    rail_reference: said.depositId,
    amount,
    currency: said.amount.currency,
    state: DEPOSIT_INITIAL,
    reason: null,
    details: {
      depositAccount: said.depositAccountId,
      ...present({
        paidTo,
        remittanceInformation: readable(said.remittanceInformation),
        sender: said.sender && readableEach(said.sender),
        paymentRail: readable(said.rail),
        endToEndId: readable(said.endToEndId),
        traceNumber: readable(said.traceNumber),
      }),
    },
    account_id: null,
    transaction_id: null,
    received_at: new Date(said.receivedAt),
    created_at: op.now,
    updated_at: op.now,
  }
}

function readableEach<T extends Readonly<Record<string, string | undefined>>>(texts: T) {
  const entries = Object.entries(texts).map(([name, text]) => [name, readable(text)] as const)
  return present(Object.fromEntries(entries) as { [Name in keyof T]: string | undefined })
}

/** The account or quote that a deposit is for, or why there is none. */
async function findTarget(
  op: Op,
  { currency, details }: DepositRow,
  opened: readonly DepositAccountRow[],
  paidTo: string | undefined,
): Promise<Target | DepositReason> {
  const references = referencesIn(details.remittanceInformation)
  const hasAny = references.length > 0
  const [accounts, quotes] = await Promise.all([
    hasAny ? selectAccountsByReference(op, references) : [],
    hasAny ? selectQuotesByReference(op, references) : [],
  ])
  return targetOf({
    own: await ownTarget(op, currency, paidTo ?? opened[0]?.account_id ?? undefined),
    stated: [
      ...accounts.flatMap(({ account_id }) =>
        account_id ? [{ kind: 'account', id: account_id } as const] : [],
      ),
      ...quotes.flatMap(({ id, quote_id }) =>
        quote_id ? [{ kind: 'quote', transactionId: id, quoteId: quote_id } as const] : [],
      ),
    ],
  })
}

/** Whom a number or address belongs to: by the kind of the id. The platform's is for its own account. */
async function ownTarget(op: Op, currency: string, id: string | undefined): Promise<Target | undefined> {
  if (id === undefined) return undefined
  if (id.startsWith('Quote:'))
    return { kind: 'quote', quoteId: id, transactionId: (await findQuote(op, id)).transaction_id }
  if (id !== op.platform.id) return { kind: 'account', id }
  const account = await selectPlatformAccount(op, currency)
  return account && { kind: 'account', id: account.id }
}

/** Places a deposit in suspense as if it came in now. The caller writes its row. */
export async function placeAgain(op: Op, row: DepositRow): Promise<Placed> {
  const { depositAccount, paidTo } = row.details
  const opened = paidTo === undefined ? await selectDepositAccountsOf(op, row.rail, depositAccount) : []
  return place(op, row, await findTarget(op, row, opened, paidTo), 'suspense')
}

async function place(op: Op, row: DepositRow, target: Target | DepositReason, from: From): Promise<Placed> {
  if (typeof target === 'string') return inSuspense(op, row, target, from)
  if (target.kind === 'quote') return payQuote(op, row, target, from)
  return creditAccount(op, row, target.id, from)
}

async function creditAccount(op: Op, row: DepositRow, accountId: string, from: From): Promise<Placed> {
  const credit = await creditOf(op, row, await findInternalAccount(op, accountId), from, isAsked(op))
  return 'reason' in credit ? inSuspense(op, row, credit.reason, from) : credit
}

function inSuspense(op: Op, row: DepositRow, reason: DepositReason, from: From): Placed {
  return { row: { ...row, reason }, writes: intoSuspense(op, row, from) }
}

/** Counts a deposit that nobody has yet; nothing where it is counted so already. */
function intoSuspense(op: Op, row: DepositRow, from: From): Write[] {
  return from === 'suspense' ? [] : post(op, causeOf(row), suspenseLegs(row, row.amount))
}

function suspenseLegs(row: DepositRow, amount: bigint): Leg[] {
  return [railLeg(row, -amount), { system: 'suspense', currency: row.currency, amount }]
}

/** Pays a quote that waits for its money. Any other amount, and a payment that is too late, goes back. */
async function payQuote(
  op: Op,
  row: DepositRow,
  { transactionId, quoteId }: Extract<Target, { kind: 'quote' }>,
  from: From,
): Promise<Placed> {
  const [quote, transaction] = await Promise.all([findQuote(op, quoteId), findTransaction(op, transactionId)])
  if (quote.sending_currency !== row.currency) return inSuspense(op, row, 'OTHER_CURRENCY', from)
  if ((quote.request.railIn ?? SANDBOX_RAIL) !== row.rail) return inSuspense(op, row, 'OTHER_RAIL', from)
  if (quote.state !== 'PENDING' || quote.expires_at <= op.now)
    return tooLate(op, row, quote.customer_id, from)
  const funded = { ...row, state: BY_ITSELF.fund, reason: null, transaction_id: transactionId }
  const { writes } = await receiveFunding(op, quote, transaction, row.amount, 'amount', row.id)
  // The quote counts it as coming from the rail.
  const outOf = from === 'suspense' ? post(op, causeOf(row), suspenseLegs(row, -row.amount)) : []
  return { row: funded, writes: [...outOf, ...writes] }
}

/** Money for a quote that has ended: back to its sender, or on the account of the customer, as the rail is set. */
async function tooLate(op: Op, row: DepositRow, customerId: string | null, from: From): Promise<Placed> {
  if (op.rails.find(row.rail)?.lateDeposits === 'CREDIT') {
    const account = await (customerId === null
      ? selectPlatformAccount(op, row.currency)
      : findCustomerAccount(op, customerId, row.currency))
    return account ? creditAccount(op, row, account.id, from) : inSuspense(op, row, 'QUOTE_ENDED', from)
  }
  const going = { ...row, state: BY_ITSELF.return, reason: 'QUOTE_ENDED' }
  return { row: going, writes: [...intoSuspense(op, row, from), ...returning(op, going)] }
}

/** A deposit as the API shows it. */
export function depositView(row: DepositRow) {
  const { depositAccount: _, paidTo: __, shortfall: ___, ...details } = row.details
  if (!isKnownCurrency(row.currency)) throw new Error(`A deposit in ${row.currency}`)
  return {
    ...present({
      reason: row.reason as DepositReason | null,
      accountId: row.account_id,
      transactionId: row.transaction_id,
      ...details,
    }),
    id: row.id,
    status: row.state,
    rail: row.rail,
    railReference: row.rail_reference,
    amount: { amount: row.amount, currency: currencyRecord(row.currency) },
    receivedAt: row.received_at.toISOString(),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
