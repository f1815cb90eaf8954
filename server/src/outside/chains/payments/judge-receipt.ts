import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainLog, ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'
import type { ChainMovementRow, ChainPaymentRow } from '../../../storage/rows/chain.ts'
import { type Claim, claimsOf, termsOf } from '../follow/claims.ts'
import { selectMovementsOf } from '../follow/store.ts'
import { proveTransfers, type TransferProof } from '../formats/transfer-proof.ts'
import { isSameTransfer, readUsed, transferOf } from '../formats/transfers.ts'

/** One transaction's proofs of a payment's parts. `fee` is undefined for a payment without a fee. */
export interface Judgement {
  readonly payment: TransferProof['is']
  readonly fee: TransferProof['is'] | undefined
}

/**
 * Judges a payment by the receipt of a followed transaction. A transfer booked as something else proves
 * nothing: it counts once, in the books as on the chain.
 */
export async function judgeReceipt(
  op: Op,
  rail: string,
  payment: ChainPaymentRow,
  receipt: ChainReceipt,
): Promise<Judgement> {
  const { transactionHash, status } = receipt
  const booked = (await selectMovementsOf(op, rail, [transactionHash])).filter(
    ({ state }) => state !== 'GONE',
  )
  const logs = withoutThose(
    receipt.logs,
    booked.filter(({ item_id }) => item_id !== payment.id),
  )
  const claims = await claimsIn(op, rail, payment, receipt, booked)
  const proofs = proveTransfers({ transactionHash, status, logs }, claims)
  const proofOf = (nonce: Hex | null): TransferProof['is'] => {
    const at = claims.findIndex((one) => one.payment.id === payment.id && nonceOf(one) === nonce)
    return proofs[at]?.is ?? 'not-yet'
  }
  const { nonce, fee_nonce } = payment
  return { payment: proofOf(nonce), fee: fee_nonce === null ? undefined : proofOf(fee_nonce) }
}

/** Transfers that a receipt may prove: of this payment, and of other payments that are not booked yet. */
async function claimsIn(
  op: Op,
  rail: string,
  payment: ChainPaymentRow,
  { transactionHash, logs }: ChainReceipt,
  booked: readonly ChainMovementRow[],
): Promise<Claim[]> {
  if (payment.nonce === null) return [{ payment, ...termsOf(payment), by: { hashes: [transactionHash] } }]
  const used = logs.flatMap((log) => {
    const event = readUsed(log)
    if (!event) return []
    return [{ transactionHash, token: log.address, authorizer: event.authorizer, nonce: event.nonce }]
  })
  const isBooked = ({ id }: ChainPaymentRow) => booked.some(({ item_id }) => item_id === id)
  return (await claimsOf(op, rail, used)).filter(
    (claim) => claim.payment.id === payment.id || !isBooked(claim.payment),
  )
}

/** Null: a plain transfer. */
function nonceOf({ by }: Claim): Hex | null {
  return 'nonce' in by ? by.nonce : null
}

/** Removes the logs of movements, found by their places, or by their terms if their block has changed. */
function withoutThose(
  logs: readonly ChainLog[],
  movements: readonly ChainMovementRow[],
): readonly ChainLog[] {
  const left = [...logs]
  // A transfer between two of our addresses can have two movements.
  const each = new Map(movements.map((one) => [`${one.block_hash} ${one.log_index}`, one]))
  for (const movement of each.values()) {
    const isIt = (log: ChainLog) =>
      log.address === movement.token && isSameTransfer(transferOf(log), movement)
    const inPlace = left.findIndex(
      (log) => isIt(log) && log.blockHash === movement.block_hash && log.logIndex === movement.log_index,
    )
    const at = inPlace >= 0 ? inPlace : left.findIndex(isIt)
    if (at >= 0) left.splice(at, 1)
  }
  return left
}
