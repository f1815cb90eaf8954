import type { Hex } from '../../../base/formats/hex.ts'
import type { Op } from '../../../kernel/operation/app.ts'
import type { ChainLog, ChainReceipt } from '../../../kernel/ports/chain-nodes.ts'
import type { ChainMovementRow, ChainPaymentRow } from '../../../storage/rows/chain.ts'
import { type Claim, findClaims, toTerms } from '../follow/claims.ts'
import { selectTransactionMovements } from '../follow/store.ts'
import { proveTransfers, type TransferProof } from '../formats/transfer-proof.ts'
import { isSameTransfer, parseTransfer, parseUsedAuthorization } from '../formats/transfers.ts'

/**
 * The evidence that one transaction gives for a payment and its fee. `fee` is undefined for a payment without
 * a fee.
 */
export interface ReceiptJudgement {
  readonly payment: TransferProof['outcome']
  readonly fee: TransferProof['outcome'] | undefined
}

/**
 * Judges a payment by the receipt of a followed transaction. A transfer booked as something else
 * proves nothing, because each transfer counts only once, as on the chain.
 */
export async function judgeReceipt(
  op: Op,
  rail: string,
  payment: ChainPaymentRow,
  receipt: ChainReceipt,
): Promise<ReceiptJudgement> {
  const { transactionHash, status } = receipt
  const booked = (await selectTransactionMovements(op, rail, [transactionHash])).filter(
    ({ state }) => state !== 'GONE',
  )
  const logs = removeBooked(
    receipt.logs,
    booked.filter(({ item_id }) => item_id !== payment.id),
  )
  const claims = await listPossibleClaims(op, rail, payment, receipt, booked)
  const proofs = proveTransfers({ transactionHash, status, logs }, claims)
  const findProof = (nonce: Hex | null): TransferProof['outcome'] => {
    const index = claims.findIndex(
      (claim) => claim.payment.id === payment.id && getClaimNonce(claim) === nonce,
    )
    return proofs[index]?.outcome ?? 'not-yet'
  }
  const { nonce, fee_nonce } = payment
  return { payment: findProof(nonce), fee: fee_nonce === null ? undefined : findProof(fee_nonce) }
}

/**
 * Finds the transfers that a receipt may prove, belonging to this payment or to other payments not booked
 * yet.
 */
async function listPossibleClaims(
  op: Op,
  rail: string,
  payment: ChainPaymentRow,
  { transactionHash, logs }: ChainReceipt,
  booked: readonly ChainMovementRow[],
): Promise<Claim[]> {
  if (payment.nonce === null) return [{ payment, ...toTerms(payment), by: { hashes: [transactionHash] } }]
  const used = logs.flatMap((log) => {
    const event = parseUsedAuthorization(log)
    if (!event) return []
    return [{ transactionHash, token: log.address, authorizer: event.authorizer, nonce: event.nonce }]
  })
  const isBooked = ({ id }: ChainPaymentRow) => booked.some(({ item_id }) => item_id === id)
  return (await findClaims(op, rail, used)).filter(
    (claim) => claim.payment.id === payment.id || !isBooked(claim.payment),
  )
}

/** Null for a plain transfer. */
function getClaimNonce({ by }: Claim): Hex | null {
  return 'nonce' in by ? by.nonce : null
}

/**
 * Removes the logs of movements. They are matched by position, or by their terms if their block has changed.
 */
function removeBooked(
  logs: readonly ChainLog[],
  movements: readonly ChainMovementRow[],
): readonly ChainLog[] {
  const remaining = [...logs]
  // A transfer between two of our addresses can have two movements.
  const byPosition = new Map(
    movements.map((movement) => [`${movement.block_hash} ${movement.log_index}`, movement]),
  )
  for (const movement of byPosition.values()) {
    const isSameMovement = (log: ChainLog) =>
      log.address === movement.token && isSameTransfer(parseTransfer(log), movement)
    const atPosition = remaining.findIndex(
      (log) =>
        isSameMovement(log) && log.blockHash === movement.block_hash && log.logIndex === movement.log_index,
    )
    const index = atPosition >= 0 ? atPosition : remaining.findIndex(isSameMovement)
    if (index >= 0) remaining.splice(index, 1)
  }
  return remaining
}
