import { balanceUpdated, findInternalAccount } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import type { InternalAccountRow, QuoteRow, TransactionRow } from '../db/tables.ts'
import type { Write } from '../db/writes.ts'
import { type Cause, captureAll, type Leg, post } from '../ledger/ledger.ts'

/** Who has the money of a quote before it is delivered: the account that pays, or what was paid in for it. */
export function payerLeg(quote: QuoteRow, amount: bigint): Leg {
  return quote.source_account_id === null
    ? { system: 'clearing', currency: quote.sending_currency, amount }
    : { account: quote.source_account_id, amount }
}

/** Whom it is delivered to: an account here, or the outside. */
function payeeLeg(quote: QuoteRow): Leg {
  return paysHere(quote)
    ? { account: quote.destination_account_id!, amount: quote.receiving_amount }
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

/** Legs of a delivered payment undone, its money on the way back to the payer. */
export function reversalLegs(quote: QuoteRow): Leg[] {
  const [, ...rest] = settlementLegs(quote)
  return [
    { system: 'refunds', currency: quote.sending_currency, amount: quote.sending_amount },
    ...rest.map((leg) => ({ ...leg, amount: -leg.amount })),
  ]
}

/** Takes what was held for a quote, or paid in for it, along `legs`. */
export function takeFromPayer(
  op: Op,
  quote: QuoteRow,
  transaction: TransactionRow,
  legs: readonly Leg[],
): Write[] {
  const cause: Cause = { cause: 'quote', causeId: quote.id }
  if (quote.source_account_id === null) return post(op, cause, legs)
  const held = {
    holdId: transaction.hold_id!,
    account: quote.source_account_id,
    amount: quote.sending_amount,
  }
  return captureAll(op, cause, held, legs)
}

/** Tells of the balance of the account that pays, where one does. Stands after the ledger's writes. */
export async function payerBalanceUpdated(op: Op, quote: QuoteRow): Promise<Write[]> {
  if (quote.source_account_id === null) return []
  return [balanceUpdated(op, await findInternalAccount(op, quote.source_account_id))]
}

/** The account here that a quote pays. */
export function payeeAccount(op: Op, quote: QuoteRow): Promise<InternalAccountRow> {
  return findInternalAccount(op, quote.destination_account_id!)
}
