import type { withdrawalFees } from '@countersign/contract/payments/withdrawal-fees'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { estimateWithdrawal } from './withdrawals.ts'

export const withdrawalFeeHandlers: Handlers<typeof withdrawalFees> = {
  crypto_withdrawal_fee_estimate: async (op, { body }) => ({
    status: 200,
    body: await estimateWithdrawal(op, body),
  }),
}
