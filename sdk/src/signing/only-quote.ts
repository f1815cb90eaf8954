import { PayloadMismatchError } from './payload-mismatch.ts'
import type { Signer } from './signer.ts'
import { isPayment } from './statement.ts'

/**
 * Signs only the payment of this quote, for a call that does not name it, such as the approval of an agent's action. Rejects with
 * PayloadMismatchError for any other payment.
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
