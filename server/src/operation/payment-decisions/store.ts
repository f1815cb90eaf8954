import type { Op } from '../../kernel/operation/app.ts'

/** The decisions about a transaction's payment. */
export function selectDecisions(op: Op, transactionId: string) {
  return op.read
    .selectFrom('payment_decisions')
    .selectAll()
    .where('platform_id', '=', op.platform.id)
    .where('transaction_id', '=', transactionId)
}
