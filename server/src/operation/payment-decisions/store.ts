import type { Op } from '../../kernel/operation/app.ts'

/** A decided payment's reversal, if it has one. */
export function selectReversal(op: Op, railPaymentId: string): Promise<{ id: string } | undefined> {
  return op.read
    .selectFrom('payment_decisions')
    .select('id')
    .where('platform_id', '=', op.platform.id)
    .where('rail_payment_id', '=', railPaymentId)
    .where('is_proposal', '=', false)
    .where('outcome', '=', 'REVERSAL')
    .executeTakeFirst()
}

/** The decisions about a transaction's payment. */
export function selectDecisions(op: Op, transactionId: string) {
  return op.read
    .selectFrom('payment_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('transaction_id', '=', transactionId)
}
