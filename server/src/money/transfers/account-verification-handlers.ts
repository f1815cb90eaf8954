import { timingSafeEqual } from 'node:crypto'
import type { accountVerifications } from '@countersign/contract/accounts/account-verifications'
import { ACCOUNT_VERIFICATION_TRANSITIONS } from '@countersign/contract/states/account-verification-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { findTransaction, toSentAmount } from '../../kernel/transactions/transactions.ts'
import { findCustomer } from '../../people/customers/customers.ts'
import type { AccountVerificationRow } from '../../storage/rows/account-verification.ts'
import {
  accountVerificationView,
  type ChangedVerification,
  findVerification,
  listVerifications,
  moveVerification,
} from '../external-accounts/account-verifications.ts'
import { findRailPayment } from '../rails/rail-payments.ts'
import { createVerification } from './new-account-verification.ts'

export const accountVerificationHandlers: Handlers<typeof accountVerifications> = {
  account_verification_create: async (op, { body }) => {
    const { row, writes } = await createVerification(op, body)
    return { status: 201, body: accountVerificationView(row), writes }
  },

  account_verification_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
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
    const verification = await findVerification(op, params.accountVerificationId)
    await findCustomer(op, verification.customer_id)
    const { expires_at, verified_at } = verification
    if (expires_at !== null && op.now >= expires_at && verified_at === null)
      throw new ApiError('INVALID_STATE_TRANSITION', {
        message: 'This verification has expired. Create another one.',
      })
    checkEvent(
      ACCOUNT_VERIFICATION_TRANSITIONS,
      verification.state,
      'verify',
      `This verification is ${verification.state}, so it cannot be confirmed.`,
    )
    await checkSent(op, verification)
    const { row, writes } = isSameAmounts(await findAmounts(op, verification), body.amounts)
      ? moveVerification(op, verification, 'verify', { verified_at: op.now })
      : countMistake(op, verification)
    return { status: 200, body: accountVerificationView(row), writes }
  },
}

function listDepositIds({ first_transaction_id, second_transaction_id }: AccountVerificationRow) {
  return [first_transaction_id, second_transaction_id]
}

/** Throws 409 `INVALID_STATE_TRANSITION` until the rail has accepted both deposits. */
async function checkSent(op: Op, row: AccountVerificationRow): Promise<void> {
  const payments = await Promise.all(listDepositIds(row).map((id) => findRailPayment(op, 'OUT', id)))
  const isSent = payments.every((payment) => payment?.state === 'ACCEPTED' || payment?.state === 'DELIVERED')
  if (isSent) return
  throw new ApiError('INVALID_STATE_TRANSITION', {
    message: 'The deposits have not been sent yet. Try again after the rail has accepted both.',
    details: { status: row.state },
  })
}

async function findAmounts(op: Op, row: AccountVerificationRow): Promise<readonly bigint[]> {
  const transactions = await Promise.all(listDepositIds(row).map((id) => findTransaction(op, id)))
  return transactions.map((payment) => toSentAmount(payment).amount)
}

/** Compares in constant time. Amounts in the contract's range fit into a byte. */
function isSameAmounts(sent: readonly bigint[], stated: readonly bigint[]): boolean {
  return timingSafeEqual(toSortedBytes(sent), toSortedBytes(stated))
}

function toSortedBytes(amounts: readonly bigint[]): Uint8Array {
  return Uint8Array.from(amounts, Number).sort()
}

function countMistake(op: Op, row: AccountVerificationRow): ChangedVerification {
  const attempts_left = row.attempts_left - 1
  return attempts_left > 0
    ? moveVerification(op, row, 'mistake', { attempts_left })
    : moveVerification(op, row, 'fail', { attempts_left, failure_reason: 'WRONG_AMOUNTS' })
}
