import type { deposits } from '@countersign/contract/payments/deposits'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { checkAmountRange } from '../../kernel/operation/amount-range.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { beginReturn, findReturnFault, moveDeposit } from '../rails/deposit-rows.ts'
import { creditDeposit } from './credit.ts'
import {
  buildPendingVoteWrites,
  castDepositVote,
  checkInSuspense,
  checkScreened,
  findDepositWallet,
  withNote,
} from './decide.ts'
import { depositView, findDeposit } from './deposits.ts'
import { selectDeposits } from './store.ts'

export const depositHandlers: Handlers<typeof deposits> = {
  deposit_list: async (op, { query }) => {
    checkAmountRange(query)
    return {
      status: 200,
      body: await listPage(op, query, {
        rows: selectDeposits(op, query),
        table: 'deposits',
        view: (rows) => rows.map(depositView),
      }),
    }
  },

  deposit_get: async (op, { params }) => ({
    status: 200,
    body: depositView(await findDeposit(op, params.depositId)),
  }),

  deposit_assign: async (op, { params, body }) => {
    const row = await findDeposit(op, params.depositId)
    checkInSuspense(row, 'assign')
    await checkScreened(op, row)
    const account = await findInternalAccount(op, body.accountId)
    const wallet = await findDepositWallet(op, row)
    if (wallet && wallet.id !== account.id)
      throw createFieldError(
        'INVALID_INPUT',
        'accountId',
        `This deposit arrived at a wallet's address. Assign it to ${wallet.id}.`,
      )
    const credit = await creditDeposit(op, row, account, 'suspense', false)
    if ('reason' in credit) throw toAssignError(credit.reason)
    const { account_id, transaction_id, reason } = credit.row
    const change = { account_id, transaction_id, reason, details: withNote(row, body.note) }
    const vote = await castDepositVote(op, row, { decision: 'ASSIGN', accountId: account.id })
    if (!vote.decides)
      return { status: 200, body: depositView(row), writes: buildPendingVoteWrites(row, vote) }
    const moved = moveDeposit(op, row, ['assign', 'credit'], change)
    return {
      status: 200,
      body: depositView(moved.row),
      writes: [...vote.writes, ...credit.writes, moved.write],
    }
  },

  deposit_return: async (op, { params, body }) => {
    const row = await findDeposit(op, params.depositId)
    checkInSuspense(row, 'return')
    await checkScreened(op, row)
    if (row.reason === 'RETURN_FAILED')
      throw new ApiError('DEPOSIT_NOT_RETURNABLE', {
        message:
          'This deposit was returned once, but the return failed. Assign it, or pay its sender with a transfer.',
        details: { reason: 'RETURN_FAILED' },
      })
    const fault = findReturnFault(op, row)
    if (fault !== undefined)
      throw new ApiError('DEPOSIT_NOT_RETURNABLE', {
        message: `This deposit cannot be returned: ${fault}. Assign it, or pay its sender with a transfer.`,
        details: { reason: 'RETURN_UNAVAILABLE' },
      })
    const wallet = await findDepositWallet(op, row)
    if (wallet)
      throw new ApiError('DEPOSIT_NOT_RETURNABLE', {
        message: "This deposit arrived at a wallet's address. Only the wallet's holder can send it back.",
        details: { reason: 'WALLET_ADDRESS', accountId: wallet.id },
      })
    const vote = await castDepositVote(op, row, { decision: 'RETURN' })
    if (!vote.decides)
      return { status: 200, body: depositView(row), writes: buildPendingVoteWrites(row, vote) }
    const moved = beginReturn(op, row, 'REQUESTED', { details: withNote(row, body?.note) })
    return { status: 200, body: depositView(moved.row), writes: [...vote.writes, ...moved.writes] }
  },
}

/** The error for assigning a deposit to an account that cannot be credited. */
function toAssignError(reason: string): ApiError {
  switch (reason) {
    case 'OTHER_CURRENCY':
      return createFieldError(
        'INVALID_CURRENCY',
        'accountId',
        'The account and the deposit are in different currencies.',
      )
    case 'OTHER_RAIL':
      return createFieldError(
        'INVALID_INPUT',
        'accountId',
        'This is a chain wallet. It can only be credited with deposits that arrive at its address.',
      )
    case 'CUSTOMER_DELETED':
      return new ApiError('CUSTOMER_DELETED', { details: { field: 'accountId' } })
    case 'CUSTOMER_NOT_APPROVED':
      return new ApiError('USER_NOT_READY')
    case 'OUT_OF_RANGE':
      return createFieldError(
        'AMOUNT_OUT_OF_RANGE',
        'accountId',
        'The amount is outside the range that this account accepts.',
      )
    default:
      return createFieldError('INVALID_INPUT', 'accountId', 'This account is not ACTIVE.')
  }
}
