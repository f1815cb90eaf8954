import type { deposits } from '@countersign/contract/payments/deposits'
import { findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { checkAmountRange } from '../../kernel/operation/amount-range.ts'
import { ApiError, fieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { beginReturn, findReturnFault, moveDeposit } from '../rails/deposit-rows.ts'
import { creditOf } from './credit.ts'
import {
  castDepositVote,
  checkInSuspense,
  checkScreened,
  pendingVoteWrites,
  walletOf,
  withNote,
} from './decide.ts'
import { depositView, findDeposit } from './deposits.ts'
import { selectDeposits } from './store.ts'

export const depositHandlers: Handlers<typeof deposits> = {
  deposit_list: async (op, { query }) => {
    checkAmountRange(query)
    return {
      status: 200,
      body: await page(op, query, {
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
    const wallet = await walletOf(op, row)
    if (wallet && wallet.id !== account.id)
      throw fieldError(
        'INVALID_INPUT',
        'accountId',
        `This deposit is at the own address of a wallet: it can only be assigned to ${wallet.id}`,
      )
    const credit = await creditOf(op, row, account, 'suspense', false)
    if ('reason' in credit) throw refusal(credit.reason)
    const { account_id, transaction_id, reason } = credit.row
    const change = { account_id, transaction_id, reason, details: withNote(row, body.note) }
    const vote = await castDepositVote(op, row, { decision: 'ASSIGN', accountId: account.id })
    if (!vote.decides) return { status: 200, body: depositView(row), writes: pendingVoteWrites(row, vote) }
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
          'This deposit was sent back once, and did not arrive: assign it, or pay its sender by a transfer.',
        details: { reason: 'RETURN_FAILED' },
      })
    const fault = findReturnFault(op, row)
    if (fault !== undefined)
      throw new ApiError('DEPOSIT_NOT_RETURNABLE', {
        message: `This deposit cannot be sent back: ${fault}. Assign it, or pay its sender by a transfer.`,
        details: { reason: 'RETURN_UNAVAILABLE' },
      })
    const wallet = await walletOf(op, row)
    if (wallet)
      throw new ApiError('DEPOSIT_NOT_RETURNABLE', {
        message: 'This deposit is at the own address of a wallet: only its holder can send it back.',
        details: { reason: 'WALLET_ADDRESS', accountId: wallet.id },
      })
    const vote = await castDepositVote(op, row, { decision: 'RETURN' })
    if (!vote.decides) return { status: 200, body: depositView(row), writes: pendingVoteWrites(row, vote) }
    const moved = beginReturn(op, row, 'REQUESTED', { details: withNote(row, body?.note) })
    return { status: 200, body: depositView(moved.row), writes: [...vote.writes, ...moved.writes] }
  },
}

/** The error for a decision that assigns a deposit to an account that cannot be credited. */
function refusal(reason: string): ApiError {
  switch (reason) {
    case 'OTHER_CURRENCY':
      return fieldError(
        'INVALID_CURRENCY',
        'accountId',
        'This account is in another currency than the deposit',
      )
    case 'OTHER_RAIL':
      return fieldError(
        'INVALID_INPUT',
        'accountId',
        'This wallet is on a chain, and has what arrives at its address there',
      )
    case 'CUSTOMER_DELETED':
      return new ApiError('CUSTOMER_DELETED', { details: { field: 'accountId' } })
    case 'CUSTOMER_NOT_APPROVED':
      return new ApiError('USER_NOT_READY')
    case 'OUT_OF_RANGE':
      return fieldError('AMOUNT_OUT_OF_RANGE', 'accountId', 'The amount is out of the range of this account')
    default:
      return fieldError('INVALID_INPUT', 'accountId', 'This account is not ACTIVE')
  }
}
