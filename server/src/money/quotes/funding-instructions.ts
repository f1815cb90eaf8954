import type { PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import { formatCurrencyAmount } from '../../base/pricing/pricing.ts'
import { depositDetails, withReference } from '../../kernel/accounts/funding.ts'
import type { Op } from '../../kernel/operation/app.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'

/**
 * Instructions for paying the amount of a quote (specification 2.8): an account in the sending currency, with
 * a reference for this quote.
 */
export function buildFundingInstructions(op: Op, quote: QuoteRow, reference: string) {
  const amount = formatCurrencyAmount(quote.sending_amount, quote.sending_currency)
  const hasOwnAddress = op.rails.find(quote.request.railIn ?? null)?.chain !== undefined
  const target = hasOwnAddress
    ? 'to this address, which is only for this payment'
    : `with the reference ${reference}`
  const simulated =
    op.mode === 'sandbox' && !hasOwnAddress
      ? ' In the sandbox, POST /sandbox/send simulates this payment.'
      : ''
  return [
    {
      accountOrWalletInfo: findPayInAccount(op, quote, reference),
      instructionsNotes: `Pay exactly ${amount} before ${quote.expires_at.toISOString()} ${target}.${simulated}`,
      isPlatformAccount: true,
    },
  ]
}

function findPayInAccount(op: Op, quote: QuoteRow, reference: string): PaymentAccountInfoValue {
  const { id: seed, sending_currency: currency, sending_amount: amount, source_network, request } = quote
  if (request.paidInTo) return withReference(request.paidInTo, reference)
  if (!op.depositDetails) throw new Error('No account was opened to receive the payment of this quote')
  return depositDetails(op.depositDetails, { seed, currency, reference, amount }, source_network ?? undefined)
}
