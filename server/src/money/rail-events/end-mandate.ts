import type { Op } from '../../kernel/operation/app.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailPaymentRow } from '../../storage/rows/rail.ts'
import { endMandateByBank, findMandate } from '../external-accounts/mandates.ts'
import { findQuote } from '../quotes/quotes.ts'

/**
 * Bank reason codes that end a mandate: the account is closed or does not exist, the mandate does not exist
 * or was canceled, or the debtor has died. A failure message starts with its code.
 */
const ENDS_MANDATE = /^(?:AC04|MD01|MD07|ARUDD-[1256B])\b/

/** Cancels the mandate of a direct debit that has failed or was returned, if the reason ends the mandate. */
export async function endMandate(
  op: Op,
  { direction, state, payment_id: id, failure }: RailPaymentRow,
): Promise<readonly Write[]> {
  const hasEnded = state === 'FAILED' || state === 'RETURNED'
  if (direction !== 'PULL' || !hasEnded || !failure || !ENDS_MANDATE.test(failure.message)) return []
  const transaction = await findTransaction(op, id)
  const { mandateId } =
    transaction.quote_id === null ? transaction.details : (await findQuote(op, transaction.quote_id)).request
  const mandate = mandateId === undefined ? undefined : await findMandate(op, mandateId)
  return mandate && !mandate.canceled_at ? endMandateByBank(op, mandate, failure.message).writes : []
}
