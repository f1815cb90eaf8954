import type { Answer, BodyInput } from '../client/calls.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import type { Signer } from '../signing/signer.ts'
import { isPayment, type Payment } from '../signing/statement.ts'

type Quote = Answer<'quote_get'>['body']
type Request = Pick<BodyInput<'quote_create'>, 'destination' | 'lockedCurrencySide' | 'lockedCurrencyAmount'>

/**
 * Wraps a signer so that it only signs this quote's payment: with the displayed amounts, and with the payee
 * and fixed amount that the page requested. Any other payment is rejected before the customer is prompted.
 */
export function restrictToQuote(signer: Signer, quote: Quote, request: Request): Signer {
  return {
    accountId: signer.accountId,
    async sign(payload) {
      const { statement } = payload
      if (!isPayment(statement)) throw new PayloadMismatchError('operation', 'is not a payment')
      checkPayment(statement, quote, request)
      return signer.sign(payload)
    },
  }
}

/** Throws PayloadMismatchError for the first field that differs. */
export function checkPayment(payment: Payment, quote: Quote, request: Request): void {
  const { sends, delivers, feesIncluded } = payment
  requireEqual('quote', payment.quote, quote.id)
  requireEqual('sends.amount', sends.amount, quote.totalSendingAmount)
  requireEqual('sends.currency', sends.currency, quote.sendingCurrency.code)
  requireEqual('feesIncluded', feesIncluded, quote.feesIncluded)
  requireEqual('delivers.amount', delivers.amount, quote.totalReceivingAmount)
  requireEqual('delivers.currency', delivers.currency, quote.receivingCurrency.code)
  const [member, fixed] =
    request.lockedCurrencySide === 'SENDING'
      ? (['sends.amount', sends.amount] as const)
      : (['delivers.amount', delivers.amount] as const)
  requireEqual(member, fixed, BigInt(request.lockedCurrencyAmount))
  checkPayee(payment.destination, request.destination)
}

function checkPayee(actual: Payment['destination'], requested: Request['destination']): void {
  requireEqual('destination.destinationType', actual.destinationType, requested.destinationType)
  if (actual.destinationType === 'ACCOUNT' && requested.destinationType === 'ACCOUNT')
    requireEqual('destination.accountId', actual.accountId, requested.accountId)
  if (actual.destinationType === 'UMA_ADDRESS' && requested.destinationType === 'UMA_ADDRESS')
    requireEqual(
      'destination.umaAddress',
      actual.umaAddress.toLowerCase(),
      requested.umaAddress.trim().toLowerCase(),
    )
  if (requested.currency !== undefined)
    requireEqual('destination.currency', actual.currency, requested.currency)
}

function requireEqual(member: string, actual: unknown, expected: unknown): void {
  if (actual !== expected)
    throw new PayloadMismatchError(member, `is ${String(actual)}, but ${String(expected)} was expected`)
}
