import { QUOTE_TRANSITIONS } from '@countersign/contract/states/payment-states'
import { balanceUpdated, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { capture } from '../../kernel/ledger/holds.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import { isCollected } from './chain-transfers.ts'

/**
 * A quote's funding: held at an internal account until delivery; collected from a wallet on a chain, which
 * holds it until then; pulled from an external account, or paid in.
 */
export type Funding = 'HELD' | 'COLLECTED' | 'PULLED' | 'PAID_IN'

export function fundingOf(quote: QuoteRow): Funding {
  const { source_account_id } = quote
  if (source_account_id === null) return 'PAID_IN'
  if (source_account_id.startsWith('ExternalAccount:')) return 'PULLED'
  return isCollected(quote) ? 'COLLECTED' : 'HELD'
}

/** The internal account that pays a quote; undefined if its money is pulled or paid in. */
export function payingAccountId(quote: QuoteRow): string | undefined {
  const funding = fundingOf(quote)
  return funding === 'HELD' || funding === 'COLLECTED' ? requireColumn(quote, 'source_account_id') : undefined
}

/** The internal account that holds the money of a quote until it is delivered; undefined if it comes in before. */
export function holdingAccountId(quote: QuoteRow): string | undefined {
  return fundingOf(quote) === 'HELD' ? requireColumn(quote, 'source_account_id') : undefined
}

/** The platform's account through which the money of a quote goes, however it is provided. */
export function payerLeg(quote: QuoteRow, amount: bigint): Leg {
  return { system: 'clearing', currency: quote.sending_currency, amount }
}

/** The amount that an internal account holds for a quote. */
export function holdFor(quote: QuoteRow, account: string) {
  return { account, to: 'clearing', currency: quote.sending_currency, amount: quote.sending_amount } as const
}

/** Legs of incoming money for a quote, which pays it or is refunded. */
export function fundingLegs(quote: QuoteRow, kept: 'clearing' | 'refunds', amount: bigint): Leg[] {
  return [
    { system: 'rail', rail: quote.request.railIn, currency: quote.sending_currency, amount: -amount },
    { system: kept, currency: quote.sending_currency, amount },
  ]
}

/** Legs of a pull that the bank takes back: the amount is then owed to the platform. */
export function pullReturnLegs({
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
 * True if undelivered money of a quote is refunded to its payer. If the bank has already taken it back, it
 * covers the debt from that.
 */
export function isRefundable({ pull_state }: QuoteRow): boolean {
  return pull_state !== 'RETURNED'
}

/** Guard: the bank has not taken back the pull of a quote in the meantime. */
export function guardPullNotReturned({ id, pull_state }: QuoteRow): Write[] {
  return pull_state === null ? [] : [expectRow('quotes', id, { pull_state })]
}

/** The payee: an internal account, or the outside. */
function payeeLeg(quote: QuoteRow): Leg {
  const { receiving_currency: currency, receiving_amount: amount } = quote
  return paysHere(quote)
    ? { account: requireColumn(quote, 'destination_account_id'), currency, amount }
    : { system: 'rail', rail: quote.request.railOut, currency, amount }
}

/** True if a quote pays an account of this platform. */
export function paysHere(quote: QuoteRow): boolean {
  return quote.destination_account_id?.startsWith('InternalAccount:') ?? false
}

/**
 * Legs of a delivered payment: from its payer; fees to us; and to its payee, through the currency position if it is
 * converted.
 */
export function settlementLegs(quote: QuoteRow): Leg[] {
  const { sending_currency: sending, receiving_currency: receiving } = quote
  const delivered = quote.sending_amount - quote.fees
  return [
    payerLeg(quote, -quote.sending_amount),
    { system: 'fees', currency: sending, amount: quote.fees },
    ...(sending === receiving
      ? []
      : ([
          { system: 'fx', currency: sending, amount: delivered },
          { system: 'fx', currency: receiving, amount: -quote.receiving_amount },
        ] as const)),
    payeeLeg(quote),
  ]
}

/** The ledger account with the undelivered money of a quote. */
export function undeliveredLeg(quote: QuoteRow): Leg {
  const system = isRefundable(quote) ? 'refunds' : 'receivables'
  return { system, currency: quote.sending_currency, amount: quote.sending_amount }
}

/** Legs that reverse a delivered payment. */
export function reversalLegs(quote: QuoteRow): Leg[] {
  const [, ...rest] = settlementLegs(quote)
  return [undeliveredLeg(quote), ...rest.map((leg) => ({ ...leg, amount: -leg.amount }))]
}

/** True if a quote is delivered only in the ledger. */
export function isDeliveredHere(quote: QuoteRow): boolean {
  return paysHere(quote) && quote.request.payTo === undefined
}

/**
 * Captures the amount held for a quote, if its money is not already in clearing, and moves it along `legs`.
 */
export function takeFromPayer(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  legs: readonly Leg[],
): Write[] {
  const account = holdingAccountId(quote)
  const held = account && { ...holdFor(quote, account), holdId: requireColumn(transaction, 'hold_id') }
  return [...(held ? capture(op, held) : []), ...post(op, { cause: 'quote', causeId: quote.id }, legs)]
}

/** Reports the balance of the paying internal account, if there is one. Comes after the ledger's writes. */
export async function payerBalanceUpdated(op: Op, quote: QuoteRow): Promise<Write[]> {
  const account = holdingAccountId(quote)
  return account === undefined ? [] : [balanceUpdated(op, await findInternalAccount(op, account))]
}

/** Reports the balance of a wallet on a chain whose money was collected. Comes after the ledger's writes. */
export async function walletBalanceUpdated(op: Op, quote: QuoteRow): Promise<Write[]> {
  if (!isCollected(quote)) return []
  return [balanceUpdated(op, await findInternalAccount(op, requireColumn(quote, 'source_account_id')))]
}

/**
 * Ends an executed quote. If it is counted among the conversions in progress, that ends: its ledger entries
 * in the same write set replace the count, or it takes nothing. Guard: its state is unchanged, in addition to
 * `guard`.
 */
export function endQuote(
  op: Op,
  quote: QuoteRow,
  by: 'settle' | 'fail',
  change: Partial<QuoteRow> = {},
  guard: Partial<QuoteRow> = {},
): Write {
  const uncounted = quote.position_limit === null ? {} : { position_limit: null }
  return transition(op, 'quotes', QUOTE_TRANSITIONS, quote, by, { ...uncounted, ...change }, guard).write
}

/** The internal account that a quote pays. */
export function payeeAccount(op: Op, quote: QuoteRow): Promise<InternalAccountRow> {
  return findInternalAccount(op, requireColumn(quote, 'destination_account_id'))
}

/** A transaction's details, with additions about its counterparty. */
export function withCounterpartyDetails(
  transaction: TransactionRow,
  known: Readonly<Record<string, string>>,
) {
  const { details } = transaction
  return { ...details, counterparty: { ...details.counterparty, ...known } }
}
