import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { sandboxDeposits } from '@countersign/contract/sandbox/sandbox-deposits'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import {
  depositView,
  findDeposit,
  findTargetsByReference,
  hasRoomForDeposit,
  recordDeposit,
  SANDBOX_SHARED,
} from './deposits.ts'
import { isColdStorage } from './own-sender.ts'
import { reverseDeposit } from './reverse.ts'

export const sandboxDepositHandlers: Omit<Handlers<typeof sandboxDeposits>, 'sandbox_rail_event'> = {
  sandbox_deposit: async (op, { body }) => {
    const { accountId, amount, currency, reference, sender } = body
    if (!isKnownCurrency(currency))
      throw createFieldError('INVALID_CURRENCY', 'currency', `This server does not support ${currency}.`)
    if (accountId !== undefined) await findInternalAccount(op, accountId)
    if (reference !== undefined && (await findTargetsByReference(op, [reference])).length === 0)
      throw new ApiError('REFERENCE_NOT_FOUND', { details: { field: 'reference' } })
    if (sender && (await isColdStorage(op, currency, sender)))
      throw createFieldError(
        'INVALID_INPUT',
        'sender.accountIdentifier',
        "This account is the operator's cold storage. Use POST /sandbox/treasury-returns to send money back.",
      )
    const stated = [reference, body.remittanceInformation].filter((text) => text !== undefined)
    const report = {
      depositId: op.newId('Deposit'),
      depositAccountId: accountId ?? SANDBOX_SHARED,
      amount: { value: String(amount), currency },
      receivedAt: op.now.toISOString(),
      ...(stated.length === 0 ? {} : { remittanceInformation: stated.join(' ') }),
      ...(sender === undefined ? {} : { sender }),
    }
    if (!(await hasRoomForDeposit(op, SANDBOX_RAIL, { amount, currency })))
      throw createFieldError(
        'AMOUNT_OUT_OF_RANGE',
        'amount',
        'The amount is too large: a balance of the platform would exceed its maximum.',
      )
    const { row, writes } = await recordDeposit(op, SANDBOX_RAIL, report, amount, accountId)
    return { status: 201, body: depositView(row), writes }
  },

  sandbox_deposit_reverse: async (op, { params }) => {
    const row = await findDeposit(op, params.depositId)
    const reversal = await reverseDeposit(op, row, "Reversed by the payer's bank")
    if (!reversal || row.state === 'REVERSED')
      throw new ApiError('INVALID_STATE_TRANSITION', {
        message: `This deposit cannot be reversed: it is ${row.state}.`,
        details: { status: row.state },
      })
    return { status: 200, body: depositView(reversal.row), writes: reversal.writes }
  },
}
