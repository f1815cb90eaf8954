import type { transfer_in, transfer_out } from '@countersign/contract/payments/transfers'
import type { Handler } from '../op/operation.ts'
import { transactionView, transferOutAnswer } from '../transactions/transactions.ts'
import { beginTransfer, draftTransferIn, draftTransferOut } from './transfers.ts'

export const transferIn: Handler<typeof transfer_in> = async (op, { body }) => {
  const { transaction, writes } = beginTransfer(op, await draftTransferIn(op, body))
  return { status: 201, body: transactionView(transaction, transaction), writes }
}

export const transferOut: Handler<typeof transfer_out> = async (op, { body }) => {
  const { transaction, writes } = beginTransfer(op, await draftTransferOut(op, body))
  return { status: 201, body: transferOutAnswer(transaction), writes }
}
