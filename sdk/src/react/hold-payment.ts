import type { Answer, BodyInput } from '../client/calls.ts'
import { PayloadMismatchError } from '../signing/payload-mismatch.ts'
import type { Signer } from '../signing/signer.ts'
import { isPayment, type Payment } from '../signing/statement.ts'

type Quote = Answer<'quote_get'>['body']
type Request = Pick<BodyInput<'quote_create'>, 'destination' | 'lockedCurrencySide' | 'lockedCurrencyAmount'>

/**
 * A signer that signs only the payment of this quote: with the amounts that the page shows, and the payee and
 * the fixed amount of the page's request. Any difference is refused before the customer is prompted.
 */
export function signerOf(signer: Signer, quote: Quote, request: Request): Signer {
  return {
    accountId: signer.accountId,
    async sign(payload) {
      const { statement } = payload
      if (!isPayment(statement)) throw new PayloadMismatchError('operation', 'is not a payment')
      holdPayment(statement, quote, request)
      return signer.sign(payload)
    },
  }
}

/** Throws PayloadMismatchError, which names the member that differs. */
export function holdPayment(payment: Payment, quote: Quote, request: Request): void {
  const { sends, delivers, feesIncluded } = payment
  hold('quote', payment.quote, quote.id)
  hold('sends.amount', sends.amount, quote.totalSendingAmount)
  hold('sends.currency', sends.currency, quote.sendingCurrency.code)
  hold('feesIncluded', feesIncluded, quote.feesIncluded)
  hold('delivers.amount', delivers.amount, quote.totalReceivingAmount)
  hold('delivers.currency', delivers.currency, quote.receivingCurrency.code)
  const [member, fixed] =
    request.lockedCurrencySide === 'SENDING'
      ? (['sends.amount', sends.amount] as const)
      : (['delivers.amount', delivers.amount] as const)
  hold(member, fixed, BigInt(request.lockedCurrencyAmount))
  holdPayee(payment.destination, request.destination)
}

function holdPayee(found: Payment['destination'], asked: Request['destination']): void {
  hold('destination.destinationType', found.destinationType, asked.destinationType)
  if (found.destinationType === 'ACCOUNT' && asked.destinationType === 'ACCOUNT')
    hold('destination.accountId', found.accountId, asked.accountId)
  if (found.destinationType === 'UMA_ADDRESS' && asked.destinationType === 'UMA_ADDRESS')
    hold('destination.umaAddress', found.umaAddress.toLowerCase(), asked.umaAddress.trim().toLowerCase())
  if (asked.currency !== undefined) hold('destination.currency', found.currency, asked.currency)
}

function hold(member: string, found: unknown, expected: unknown): void {
  if (found !== expected)
    throw new PayloadMismatchError(member, `is ${String(found)}, but ${String(expected)} was expected`)
}
