import { timingSafeEqual } from 'node:crypto'
import type { accountVerifications } from '@countersign/contract/accounts/account-verifications'
import { ACCOUNT_VERIFICATION_TRANSITIONS } from '@countersign/contract/states/account-verification-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { page } from '../../kernel/operation/paging.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { amountSent, findTransaction } from '../../kernel/transactions/transactions.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import type { AccountVerificationRow } from '../../storage/rows/account-verification.ts'
import {
  accountVerificationView,
  findVerification,
  listVerifications,
  type MovedVerification,
  moveVerification,
} from '../external-accounts/account-verifications.ts'
import { findRailPayment } from '../rails/rail-payments.ts'
import { newVerification } from './new-account-verification.ts'

export const accountVerificationHandlers: Handlers<typeof accountVerifications> = {
  account_verification_create: async (op, { body }) => {
    const { row, writes } = await newVerification(op, body)
    return { status: 201, body: accountVerificationView(row), writes }
  },

  account_verification_list: async (op, { query }) => ({
    status: 200,
    body: await page(op, query, {
      rows: listVerifications(op, query),
      table: 'account_verifications',
      view: (rows) => rows.map(accountVerificationView),
    }),
  }),

  account_verification_get: async (op, { params }) => ({
    status: 200,
    body: accountVerificationView(await findVerification(op, params.accountVerificationId)),
  }),

  account_verification_confirm: async (op, { params, body }) => {
    const found = await findVerification(op, params.accountVerificationId)
    await findCustomer(op, found.customer_id)
    const { expires_at, verified_at } = found
    if (expires_at !== null && op.now >= expires_at && verified_at === null)
      throw new ApiError('INVALID_STATE_TRANSITION', { message: 'This verification has expired.' })
    checkEvent(
      ACCOUNT_VERIFICATION_TRANSITIONS,
      found.state,
      'verify',
      `This verification is ${found.state}.`,
    )
    await checkSent(op, found)
    const { row, writes } = isSame(await amountsOf(op, found), body.amounts)
      ? moveVerification(op, found, 'verify', { verified_at: op.now })
      : afterMistake(op, found)
    return { status: 200, body: accountVerificationView(row), writes }
  },
}

function depositsOf({ first_transaction_id, second_transaction_id }: AccountVerificationRow) {
  return [first_transaction_id, second_transaction_id]
}

/** Error: 409 `INVALID_STATE_TRANSITION` until the rail has both deposits. */
async function checkSent(op: Op, row: AccountVerificationRow): Promise<void> {
  const payments = await Promise.all(depositsOf(row).map((id) => findRailPayment(op, 'OUT', id)))
  const isSent = payments.every((one) => one?.state === 'ACCEPTED' || one?.state === 'DELIVERED')
  if (isSent) return
  throw new ApiError('INVALID_STATE_TRANSITION', {
    message: 'The deposits have not been sent yet. Try again once the rail has both.',
    details: { status: row.state },
  })
}

async function amountsOf(op: Op, row: AccountVerificationRow): Promise<readonly bigint[]> {
  const transactions = await Promise.all(depositsOf(row).map((id) => findTransaction(op, id)))
  return transactions.map((one) => amountSent(one).amount)
}

/** Takes the same time whichever amount differs. Amounts of the contract fit into a byte. */
function isSame(sent: readonly bigint[], named: readonly bigint[]): boolean {
  return timingSafeEqual(sorted(sent), sorted(named))
}

function sorted(amounts: readonly bigint[]): Uint8Array {
  return Uint8Array.from(amounts, Number).sort()
}

function afterMistake(op: Op, row: AccountVerificationRow): MovedVerification {
  const attempts_left = row.attempts_left - 1
  return attempts_left > 0
    ? moveVerification(op, row, 'mistake', { attempts_left })
    : moveVerification(op, row, 'fail', { attempts_left, failure_reason: 'WRONG_AMOUNTS' })
}
