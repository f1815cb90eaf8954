import { DEPOSIT_TRANSITIONS, type DepositEvent } from '@countersign/contract/core/deposit-states'
import { SCREENING_INITIAL } from '@countersign/contract/core/screening-states'
import type { deposits } from '@countersign/contract/payments/deposits'
import { findInternalAccount, findWalletAt } from '../accounts/accounts.ts'
import type { DepositRow } from '../db/schema/rail-tables.ts'
import type { Op } from '../op/app.ts'
import { ApiError, fieldError, type Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { present } from '../op/present.ts'
import { nextState } from '../op/transition.ts'
import { beginReturn, moveDeposit } from '../rails/deposit-rows.ts'
import { findScreeningOf } from '../screenings/screenings.ts'
import { creditOf } from './credit.ts'
import { depositView, findDeposit } from './deposits.ts'
import { SCREENING_HIT } from './screen.ts'
import { selectDeposits } from './store.ts'

export const depositHandlers: Handlers<typeof deposits> = {
  deposit_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: selectDeposits(op, query),
      table: 'deposits',
      view: (rows) => rows.map(depositView),
    }),
  }),

  deposit_get: async (op, { params }) => ({
    status: 200,
    body: depositView(await findDeposit(op, params.depositId)),
  }),

  deposit_assign: async (op, { params, body }) => {
    const row = await findDeposit(op, params.depositId)
    checkCan(row, 'assign')
    await checkScreened(op, row)
    const account = await findInternalAccount(op, body.accountId)
    const credit = await creditOf(op, row, account, 'suspense', false)
    if ('reason' in credit) throw refusal(credit.reason)
    const { account_id, transaction_id, reason } = credit.row
    const change = { account_id, transaction_id, reason, details: noted(row, body.note) }
    const moved = moveDeposit(op, row, ['assign', 'credit'], change)
    return { status: 200, body: depositView(moved.row), writes: [...credit.writes, moved.write] }
  },

  deposit_return: async (op, { params, body }) => {
    const row = await findDeposit(op, params.depositId)
    checkCan(row, 'return')
    await checkScreened(op, row)
    if (row.reason === 'RETURN_FAILED')
      throw new ApiError('CONFLICT', {
        message:
          'This deposit was sent back once, and did not arrive: assign it, or pay its sender by a transfer.',
      })
    const wallet = await findWalletAt(op, row.rail, row.details.depositAccount)
    if (wallet)
      throw new ApiError('CONFLICT', {
        message: 'This deposit is at the own address of a wallet: its holder alone can send it back.',
        details: { accountId: wallet.id },
      })
    const moved = beginReturn(op, row, 'REQUESTED', { details: noted(row, body?.note) })
    return { status: 200, body: depositView(moved.row), writes: moved.writes }
  },
}

/** Error: 409 `INVALID_STATE_TRANSITION` where nobody has to decide about it. */
function checkCan({ state }: DepositRow, by: DepositEvent): void {
  if (state !== 'SUSPENSE' || nextState(DEPOSIT_TRANSITIONS, state, by) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', {
      message: `This deposit is ${state}: only one in SUSPENSE waits for a decision.`,
      details: { status: state },
    })
}

/** Error: 409 `CONFLICT` where somebody has to decide about its sender first. A decision is for good. */
async function checkScreened(op: Op, { id, reason }: DepositRow): Promise<void> {
  if (reason !== SCREENING_HIT) return
  const screening = await findScreeningOf(op, 'CREDIT', id)
  if (screening?.state !== SCREENING_INITIAL) return
  throw new ApiError('CONFLICT', {
    message: `The address that it came from is on a list: decide ${screening.id} first.`,
    details: { screeningId: screening.id },
  })
}

function noted({ details }: DepositRow, note: string | undefined) {
  return { ...details, ...present({ note }) }
}

/** Why an account cannot be credited, for who named it. */
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
