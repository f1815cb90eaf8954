import { PayloadMismatchError } from './payload-mismatch.ts'
import type { Signer } from './signer.ts'
import { isPayment } from './statement.ts'

/**
 * Wraps a signer so that it signs only this quote's payment. Use it for calls that do not name the quote,
 * such as approving an agent's action. Rejects any other payment with PayloadMismatchError.
 */
export function onlyQuote(quoteId: string, signer: Signer): Signer {
  return {
    accountId: signer.accountId,
    async sign(payload) {
      const { statement } = payload
      if (!isPayment(statement) || statement.quote !== quoteId)
        throw new PayloadMismatchError('quote', `is not ${quoteId}, the quote of the action`)
      return signer.sign(payload)
    },
  }
}
