import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import { expectRow, type Write } from '../db/commit/writes.ts'
import { required } from '../db/read/required.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../db/schema/tables.ts'
import { type Cause, captureAll, type Leg, post } from '../ledger/ledger.ts'
import type { Op } from '../op/app.ts'

/** How the money of a quote gets here: it is on an account here, is pulled from one elsewhere, or is paid in. */
export type Funding = 'HELD' | 'PULLED' | 'PAID_IN'

export function fundingOf({ source_account_id }: Pick<QuoteRow, 'source_account_id'>): Funding {
  if (source_account_id === null) return 'PAID_IN'
  return source_account_id.startsWith('ExternalAccount:') ? 'PULLED' : 'HELD'
}

/** The account here that pays a quote; undefined where its money is pulled or paid in. */
export function heldAt(quote: QuoteRow): string | undefined {
  return fundingOf(quote) === 'HELD' ? required(quote, 'source_account_id') : undefined
}

/** Who has the money of a quote before it is delivered: the account that pays, or what came in for it. */
export function payerLeg(quote: QuoteRow, amount: bigint): Leg {
  const account = heldAt(quote)
  return account === undefined
    ? { system: 'clearing', currency: quote.sending_currency, amount }
    : { account, amount }
}

/** Money that comes in for a quote: to pay it, or to go back. */
export function fundingLegs(quote: QuoteRow, kept: 'clearing' | 'refunds', amount: bigint): Leg[] {
  return [
    { system: 'rail', currency: quote.sending_currency, amount: -amount },
    { system: kept, currency: quote.sending_currency, amount },
  ]
}

/** The bank takes back what was pulled for a quote: from then on it is owed to the platform. */
export function pullReturnLegs({ sending_currency: currency, sending_amount: amount }: QuoteRow): Leg[] {
  return [
    { system: 'rail', currency, amount },
    { system: 'receivables', currency, amount: -amount },
  ]
}

/**
 * Whether the money of a quote goes back to its payer if it is not delivered. Where the bank has taken it back before, it
 * pays what is owed for that.
 */
export function goesBack({ pull_state }: QuoteRow): boolean {
  return pull_state !== 'RETURNED'
}

/** Guard: what was pulled for a quote has not been taken back meanwhile. */
export function pullStands({ id, pull_state }: QuoteRow): Write[] {
  return pull_state === null ? [] : [expectRow('quotes', id, { pull_state })]
}

/** Whom it is delivered to: an account here, or the outside. */
function payeeLeg(quote: QuoteRow): Leg {
  return paysHere(quote)
    ? { account: required(quote, 'destination_account_id'), amount: quote.receiving_amount }
    : { system: 'rail', currency: quote.receiving_currency, amount: quote.receiving_amount }
}

/** Whether a quote pays an account of this platform. */
export function paysHere(quote: QuoteRow): boolean {
  return quote.destination_account_id?.startsWith('InternalAccount:') ?? false
}

/**
 * Where the money of a delivered payment went: from its payer; fees to us; and to its payee, through the currency
 * position where it is converted.
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

/** Where the money of a quote is once it was not delivered. */
export function undeliveredLeg(quote: QuoteRow): Leg {
  const system = goesBack(quote) ? 'refunds' : 'receivables'
  return { system, currency: quote.sending_currency, amount: quote.sending_amount }
}

/** Legs of a delivered payment undone. */
export function reversalLegs(quote: QuoteRow): Leg[] {
  const [, ...rest] = settlementLegs(quote)
  return [undeliveredLeg(quote), ...rest.map((leg) => ({ ...leg, amount: -leg.amount }))]
}

/** Takes what was held for a quote, or paid in for it, along `legs`. */
export function takeFromPayer(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  legs: readonly Leg[],
): Write[] {
  const cause: Cause = { cause: 'quote', causeId: quote.id }
  const account = heldAt(quote)
  if (account === undefined) return post(op, cause, legs)
  const held = { holdId: required(transaction, 'hold_id'), account, amount: quote.sending_amount }
  return captureAll(op, cause, held, legs)
}

/** Tells of the balance of the account here that pays, where one does. Stands after the ledger's writes. */
export async function payerBalanceUpdated(op: Op, quote: QuoteRow): Promise<Write[]> {
  const account = heldAt(quote)
  return account === undefined ? [] : [balanceUpdated(op, await findInternalAccount(op, account))]
}

/** The account here that a quote pays. */
export function payeeAccount(op: Op, quote: QuoteRow): Promise<InternalAccountRow> {
  return findInternalAccount(op, required(quote, 'destination_account_id'))
}

/** The details of a transaction with what more is known of its other side. */
export function explained(transaction: TransactionRow, known: Readonly<Record<string, string>>) {
  const { details } = transaction
  return { ...details, counterparty: { ...details.counterparty, ...known } }
}
