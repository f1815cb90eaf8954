import { depositDetails } from '../accounts/funding.ts'
import type { QuoteRow } from '../db/schema/tables.ts'
import type { Op } from '../op/app.ts'
import { amountInWords } from '../pricing/pricing.ts'

/**
 * Where the customer pays the amount of a quote (specification 2.8): an account of the quote's sending currency, with the
 * quote's own reference. Production has no bank to pay in at yet, and so no such quote.
 */
export function quoteFundingInstructions(op: Op, quote: QuoteRow, reference: string) {
  if (!op.depositDetails) throw new Error('A quote is paid in, but there are no deposit details')
  const amount = amountInWords(quote.sending_amount, quote.sending_currency)
  const simulated = op.mode === 'sandbox' ? ' Sandbox: POST /sandbox/send pays it.' : ''
  return [
    {
      accountOrWalletInfo: depositDetails(
        op.depositDetails,
        quote.id,
        quote.sending_currency,
        reference,
        quote.source_network ?? undefined,
      ),
      instructionsNotes: `Pay exactly ${amount} before ${quote.expires_at.toISOString()} with the reference ${reference}.${simulated}`,
      isPlatformAccount: true,
    },
  ]
}
