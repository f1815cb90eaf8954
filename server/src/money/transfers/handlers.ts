import type { transfers } from '@countersign/contract/payments/transfers'
import type { Handlers } from '../../kernel/operation/operation.ts'
import { toTransactionView, toTransferOutResponse } from '../../kernel/transactions/transactions.ts'
import { Velocity } from '../rails/velocity.ts'
import { draftTransferOut } from './transfer-out.ts'
import { beginTransfer, draftTransferIn } from './transfers.ts'

export const transferHandlers: Handlers<typeof transfers> = {
  transfer_in: async (op, { body }) => {
    const { transaction, writes } = beginTransfer(op, await draftTransferIn(op, body), [])
    return { status: 201, body: toTransactionView(transaction, transaction), writes }
  },

  transfer_out: async (op, { body }) => {
    const draft = await draftTransferOut(op, body)
    const velocityWrites = await new Velocity(op).admit(draft.transaction)
    const { transaction, writes } = beginTransfer(op, draft, velocityWrites)
    return { status: 201, body: toTransferOutResponse(transaction), writes }
  },
}
