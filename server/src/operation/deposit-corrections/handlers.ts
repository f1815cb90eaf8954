import type { depositCorrections } from '@countersign/contract/operation/deposit-corrections'
import { requireValue } from '../../base/formats/require-value.ts'
import { post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import {
  buildPendingVoteWrites,
  castDepositVote,
  checkInSuspense,
  checkScreened,
  withNote,
} from '../../money/deposits/decide.ts'
import { depositView, findDeposit } from '../../money/deposits/deposits.ts'
import { moveDeposit, toDepositCause } from '../../money/rails/deposit-rows.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { scheduleComparison } from '../reconciliations/explain-lines.ts'
import { adjustDeposit, checkBooked } from './adjust.ts'
import { buildCorrectionEvent, checkNoWallet, insertParts, newPart } from './corrections.ts'

export const depositCorrectionHandlers: Handlers<typeof depositCorrections> = {
  deposit_split: async (op, { params, body }) => {
    const row = await findCorrectable(op, params.depositId, 'split')
    checkSum(row, body.amounts)
    const vote = await castDepositVote(op, row, { decision: 'SPLIT', amounts: body.amounts })
    if (!vote.decides)
      return { status: 200, body: toCorrectionView(row, []), writes: buildPendingVoteWrites(row, vote) }
    const { reason: note } = body
    const reason = requireValue(row.reason, 'reason of a deposit in suspense')
    const parts = body.amounts.map((amount) => newPart(op, row, { amount, reason, note }))
    const moved = moveDeposit(op, row, 'split', { details: withNote(row, body.reason) })
    return {
      status: 200,
      body: toCorrectionView(moved.row, parts),
      writes: [...vote.writes, moved.write, ...insertParts(op, parts), buildCorrectionEvent(op, moved.row)],
    }
  },

  deposit_write_off: async (op, { params, body }) => {
    const row = await findCorrectable(op, params.depositId, 'write_off')
    const vote = await castDepositVote(op, row, { decision: 'WRITE_OFF' })
    if (!vote.decides)
      return { status: 200, body: depositView(row), writes: buildPendingVoteWrites(row, vote) }
    const moved = moveDeposit(op, row, 'write_off', { details: withNote(row, body.reason) })
    const { currency, amount } = row
    const moves = post(op, toDepositCause(row), [
      { system: 'suspense', currency, amount: -amount },
      { system: 'costs', currency, amount },
    ])
    return {
      status: 200,
      body: depositView(moved.row),
      writes: [...vote.writes, ...moves, moved.write, buildCorrectionEvent(op, moved.row)],
    }
  },

  deposit_adjust: async (op, { params, body }) => {
    const row = await findDeposit(op, params.depositId)
    await checkNoWallet(op, row)
    await checkBooked(op, row, body.amount)
    const vote = await castDepositVote(op, row, { decision: 'ADJUST', amounts: [body.amount] })
    if (!vote.decides)
      return { status: 200, body: toCorrectionView(row, []), writes: buildPendingVoteWrites(row, vote) }
    const adjusted = await adjustDeposit(op, row, body.amount, body.reason)
    return {
      status: 200,
      body: toCorrectionView(adjusted.row, adjusted.parts),
      writes: [
        ...vote.writes,
        ...adjusted.writes,
        buildCorrectionEvent(op, adjusted.row),
        ...(await scheduleComparison(op, row.rail, row.currency)),
      ],
    }
  },
}

/** Finds a deposit in suspense that can still be corrected. */
async function findCorrectable(op: Op, id: string, action: 'split' | 'write_off'): Promise<DepositRow> {
  const row = await findDeposit(op, id)
  checkInSuspense(row, action)
  await checkScreened(op, row)
  await checkNoWallet(op, row)
  return row
}

function checkSum({ amount: depositAmount, currency }: DepositRow, amounts: readonly bigint[]): void {
  const sum = amounts.reduce((total, amount) => total + amount, 0n)
  if (amounts.length < 2)
    throw createFieldError('INVALID_INPUT', 'amounts', 'amounts must contain at least two parts')
  if (sum === depositAmount) return
  throw createFieldError(
    'INVALID_INPUT',
    'amounts',
    `The parts add up to ${sum}, but the deposit is ${depositAmount}, in the smallest unit of ${currency}.`,
  )
}

function toCorrectionView(row: DepositRow, parts: readonly DepositRow[]) {
  return { deposit: depositView(row), parts: parts.map(depositView) }
}
