import type { Op } from '../../../kernel/operation/app.ts'
import { insert, type Write } from '../../../storage/commit/writes.ts'
import { requireColumn } from '../../../storage/read/required.ts'
import type { ChainPaymentRow } from '../../../storage/rows/chain.ts'
import type { EvmRail } from '../evm-rail.ts'
import { deriveFeeRefundId } from '../ids.ts'
import { buildChainPayment } from '../queue.ts'
import { findAuthorizationUse } from './authorization-uses.ts'
import type { ConfirmedPosition } from './confirmed.ts'
import { markFailed } from './outcome.ts'

/**
 * Fails a payment that can never be made. If someone has submitted only its fee, the treasury refunds the fee
 * to the wallet. Undefined while the outcome of the fee is unclear; throws NodeError.
 */
export async function failPayment(
  rail: EvmRail,
  op: Op,
  payment: ChainPaymentRow,
  note: string,
  confirmed: ConfirmedPosition,
): Promise<readonly Write[] | undefined> {
  const fee =
    payment.fee_nonce === null
      ? 'unused'
      : (await findAuthorizationUse(op, rail, payment, 'fee', confirmed.number)).outcome
  if (fee === 'unclear') return undefined
  const ending = await markFailed(op, payment, note, confirmed)
  if (fee !== 'made') return ending
  const id = deriveFeeRefundId(payment.id)
  const refund = buildChainPayment(rail, {
    id,
    platformId: op.platform.id,
    kind: 'SWEEP',
    paymentId: id,
    currency: payment.currency,
    amount: requireColumn(payment, 'fee_amount'),
    recipient: payment.sender,
    now: op.now,
  })
  return [...ending, insert('chain_payments', refund)]
}
