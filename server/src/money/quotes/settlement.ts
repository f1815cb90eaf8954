import { QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { buildBalanceEvent, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { capture } from '../../kernel/ledger/holds.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { isCollected } from './chain-transfers.ts'

/**
 * The funding of a quote: the amount is held on an internal account until delivery, collected from a chain
 * wallet, pulled from an external account, or paid in.
 */
export type Funding = 'HELD' | 'COLLECTED' | 'PULLED' | 'PAID_IN'

export function getFunding(quote: QuoteRow): Funding {
  const { source_account_id } = quote
  if (source_account_id === null) return 'PAID_IN'
  if (source_account_id.startsWith('ExternalAccount:')) return 'PULLED'
  return isCollected(quote) ? 'COLLECTED' : 'HELD'
}

/** The internal account that pays a quote; undefined if the money is pulled or paid in. */
export function getPayingAccountId(quote: QuoteRow): string | undefined {
  const funding = getFunding(quote)
  return funding === 'HELD' || funding === 'COLLECTED' ? requireColumn(quote, 'source_account_id') : undefined
}

/**
 * The internal account that holds the money until delivery; undefined if the money arrives before delivery.
 */
export function getHoldingAccountId(quote: QuoteRow): string | undefined {
  return getFunding(quote) === 'HELD' ? requireColumn(quote, 'source_account_id') : undefined
}

/** A leg on the platform's clearing account, which every quote's money passes through. */
export function buildPayerLeg(quote: QuoteRow, amount: bigint): Leg {
  return { system: 'clearing', currency: quote.sending_currency, amount }
}

/** The hold of a quote's amount on an internal account. */
export function buildHold(quote: QuoteRow, account: string) {
  return { account, to: 'clearing', currency: quote.sending_currency, amount: quote.sending_amount } as const
}

/** The legs of money that arrives for a quote, to pay for it or to be refunded. */
export function buildFundingLegs(quote: QuoteRow, system: 'clearing' | 'refunds', amount: bigint): Leg[] {
  return [
    { system: 'rail', rail: quote.request.railIn, currency: quote.sending_currency, amount: -amount },
    { system, currency: quote.sending_currency, amount },
  ]
}

/** The legs of a pull that the bank reverses: the payer owes the amount to the platform. */
export function buildPullReturnLegs({
  sending_currency: currency,
  sending_amount: amount,
  request,
}: QuoteRow): Leg[] {
  return [
    { system: 'rail', rail: request.railIn, currency, amount },
    { system: 'receivables', currency, amount: -amount },
  ]
}

/**
 * True if undelivered money is refunded to the payer. If the bank has reversed the pull, the money covers
 * that debt instead.
 */
export function isRefundable({ pull_state }: QuoteRow): boolean {
  return pull_state !== 'RETURNED'
}

/** Guard: the bank has not reversed the pull in the meantime. */
export function guardPullNotReturned({ id, pull_state }: QuoteRow): Write[] {
  return pull_state === null ? [] : [expectRow('quotes', id, { pull_state })]
}

/** The leg of the payee: an internal account, or the rail that pays outside. */
function buildPayeeLeg(quote: QuoteRow): Leg {
  const { receiving_currency: currency, receiving_amount: amount } = quote
  return isPaidInternally(quote)
    ? { account: requireColumn(quote, 'destination_account_id'), currency, amount }
    : { system: 'rail', rail: quote.request.railOut, currency, amount }
}

/** True if the quote pays an internal account. */
export function isPaidInternally(quote: QuoteRow): boolean {
  return quote.destination_account_id?.startsWith('InternalAccount:') ?? false
}

/**
 * The legs of a delivered payment: from clearing to the fees account and to the payee, through the currency
 * position if the payment is converted.
 */
export function buildSettlementLegs(quote: QuoteRow): Leg[] {
  const { sending_currency: sending, receiving_currency: receiving } = quote
  const delivered = quote.sending_amount - quote.fees
  return [
    buildPayerLeg(quote, -quote.sending_amount),
    { system: 'fees', currency: sending, amount: quote.fees },
    ...(sending === receiving
      ? []
      : ([
          { system: 'fx', currency: sending, amount: delivered },
          { system: 'fx', currency: receiving, amount: -quote.receiving_amount },
        ] as const)),
    buildPayeeLeg(quote),
  ]
}

/** The leg for a quote's undelivered money. */
export function buildUndeliveredLeg(quote: QuoteRow): Leg {
  const system = isRefundable(quote) ? 'refunds' : 'receivables'
  return { system, currency: quote.sending_currency, amount: quote.sending_amount }
}

/** The legs that reverse a delivered payment. */
export function buildReversalLegs(quote: QuoteRow): Leg[] {
  const [, ...otherLegs] = buildSettlementLegs(quote)
  return [buildUndeliveredLeg(quote), ...otherLegs.map((leg) => ({ ...leg, amount: -leg.amount }))]
}

/** True if delivery takes place in the ledger only. */
export function isDeliveredInternally(quote: QuoteRow): boolean {
  return isPaidInternally(quote) && quote.request.payTo === undefined
}

/** Captures the amount held for a quote, unless the money is already in clearing, and posts `legs`. */
export function chargePayer(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  legs: readonly Leg[],
): Write[] {
  const account = getHoldingAccountId(quote)
  const held = account && { ...buildHold(quote, account), holdId: requireColumn(transaction, 'hold_id') }
  return [...(held ? capture(op, held) : []), ...post(op, { cause: 'quote', causeId: quote.id }, legs)]
}

/**
 * The balance event of the internal account that holds the money, if any. Must come after the ledger writes.
 */
export async function buildPayerBalanceEvents(op: Op, quote: QuoteRow): Promise<Write[]> {
  const account = getHoldingAccountId(quote)
  return account === undefined ? [] : [buildBalanceEvent(op, await findInternalAccount(op, account))]
}

/** The balance event of a chain wallet whose money was collected. Must come after the ledger writes. */
export async function buildWalletBalanceEvents(op: Op, quote: QuoteRow): Promise<Write[]> {
  if (!isCollected(quote)) return []
  return [buildBalanceEvent(op, await findInternalAccount(op, requireColumn(quote, 'source_account_id')))]
}

/**
 * Ends an executed quote, which then no longer counts toward the position limit: the ledger entries replace
 * it, or the payment failed. Guard: the quote's state is unchanged, in addition to `guard`.
 */
export function endQuote(
  op: Op,
  quote: QuoteRow,
  event: 'settle' | 'fail',
  change: Partial<QuoteRow> = {},
  guard: Partial<QuoteRow> = {},
): Write {
  const positionChange = quote.position_limit === null ? {} : { position_limit: null }
  return transition(op, 'quotes', QUOTE_TRANSITIONS, quote, event, { ...positionChange, ...change }, guard)
    .write
}

/** The internal account that receives a quote's payment. */
export function findPayeeAccount(op: Op, quote: QuoteRow): Promise<InternalAccountRow> {
  return findInternalAccount(op, requireColumn(quote, 'destination_account_id'))
}

/** A transaction's details with additional details about its counterparty. */
export function addCounterpartyDetails(
  transaction: TransactionRow,
  addedDetails: Readonly<Record<string, string>>,
) {
  const { details } = transaction
  return { ...details, counterparty: { ...details.counterparty, ...addedDetails } }
}
