import type { QuoteRow, TransactionRow } from '../../storage/rows/tables.ts'
import type { PaymentOrder } from '../rails/rail-payments.ts'
import { isCollected } from './chain-transfers.ts'
import { isPaidInternally } from './settlement.ts'

/** The payment orders of a quote: the payment, the pull that funds it, and the refund of a pull. */
type QuotePaymentOrder = Omit<PaymentOrder, 'submittedAt'>

/** The payment that delivers a quote. A chain wallet is paid at its address. */
export function buildPayment(quote: QuoteRow, transaction: TransactionRow): QuotePaymentOrder {
  return {
    ...toCommonFields(quote, transaction),
    rail: quote.request.railOut ?? null,
    direction: 'OUT',
    accountId: isPaidInternally(quote) ? null : quote.destination_account_id,
    identifier: quote.request.payTo ?? transaction.destination_identifier,
    paymentRail: quote.payment_rail,
    chain: transaction.details.chain ?? null,
    amount: quote.receiving_amount,
    currency: quote.receiving_currency,
  }
}

/** The pull of a quote's money from an external account or a chain wallet. */
export function buildPull(quote: QuoteRow, transaction: TransactionRow): QuotePaymentOrder {
  return {
    ...toCommonFields(quote, transaction),
    rail: quote.request.railIn ?? null,
    direction: 'PULL',
    mandateId: quote.request.mandateId,
    accountId: isCollected(quote) ? null : quote.source_account_id,
    identifier: quote.request.wallet?.address ?? transaction.source_identifier,
    paymentRail: quote.request.pullRail ?? null,
    amount: quote.sending_amount,
    currency: quote.sending_currency,
  }
}

/** The payment that refunds the money of a quote. Its id is the quote's, so there can be only one. */
export function buildRefund(
  quote: QuoteRow,
  transaction: TransactionRow,
  money: { readonly amount: bigint; readonly currency: string },
): QuotePaymentOrder {
  return {
    ...buildPull(quote, transaction),
    ...money,
    id: quote.id,
    purpose: 'return',
    direction: 'OUT',
    mandateId: undefined,
    paymentRail: null,
    reference: transaction.refund?.reference ?? transaction.reference,
  }
}

function toCommonFields(quote: QuoteRow, transaction: TransactionRow) {
  return {
    id: transaction.id,
    purpose: 'quote',
    originatorId: quote.customer_id ?? quote.platform_id,
    chain: null,
    reference: transaction.reference,
    remittanceInformation: null,
    madeAt: quote.created_at,
  } as const
}
