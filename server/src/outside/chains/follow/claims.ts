import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainPaymentRow } from '../../../storage/rows/chain.ts'
import type { ExpectedTransfer } from '../formats/transfer-proof.ts'
import type { UsedAuthorization } from './read-range.ts'
import { selectPaymentsByNonce } from './store.ts'

/** An expected transfer of a payment: either the payment itself or the fee of a wallet's payment. */
export interface Claim extends ExpectedTransfer {
  readonly payment: ChainPaymentRow
}

/**
 * Finds the payments whose authorizations were used, each with the transaction that used it. A failed payment
 * claims nothing: a later use of its nonce is a spend by the key's owner.
 */
export async function findClaims(
  op: Op,
  rail: string,
  used: readonly UsedAuthorization[],
): Promise<(Claim & { readonly transactionHash: Hex })[]> {
  if (used.length === 0) return []
  const authorizers = [...new Set(used.map(({ authorizer }) => authorizer))]
  const nonces = [...new Set(used.map(({ nonce }) => nonce))]
  const payments = await selectPaymentsByNonce(op, rail, authorizers, nonces)
  const usesByKey = new Map(
    used.map((use) => [`${use.transactionHash} ${use.token} ${use.authorizer} ${use.nonce}`, use]),
  )
  return [...usesByKey.values()].flatMap((use) => {
    const claim = payments.map((payment) => buildClaim(payment, use)).find((found) => found !== undefined)
    return claim ? [{ ...claim, transactionHash: use.transactionHash }] : []
  })
}

function buildClaim(
  payment: ChainPaymentRow,
  { token, authorizer, nonce }: Omit<UsedAuthorization, 'transactionHash'>,
): Claim | undefined {
  if (payment.state === 'FAILED' || payment.token !== token || payment.sender !== authorizer) return undefined
  const by = { nonce }
  if (payment.nonce === nonce) return { payment, ...toTerms(payment), by }
  const fee = payment.fee_nonce === nonce ? toFeeTerms(payment) : undefined
  return fee && { payment, ...fee, by }
}

export function toTerms({ token, sender, recipient, amount }: ChainPaymentRow) {
  return { token, sender, recipient, amount }
}

export function toFeeTerms({ token, sender, fee_recipient: recipient, fee_amount: amount }: ChainPaymentRow) {
  return recipient === null || amount === null ? undefined : { token, sender, recipient, amount }
}
