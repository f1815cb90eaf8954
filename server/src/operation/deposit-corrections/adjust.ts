import { fitsBalance } from '../../kernel/ledger/balances.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import { withNote } from '../../money/deposits/decide.ts'
import { buildDepositRailLeg, toDepositCause } from '../../money/rails/deposit-rows.ts'
import { update, type Write } from '../../storage/commit/writes.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { depositLines } from '../reconciliations/explain-lines.ts'
import { createNotCorrectableError, insertParts, newPart } from './corrections.ts'

/**
 * Checks that exactly one statement line books the deposit, with this amount. Throws 400 `INVALID_INPUT`, 409
 * `DEPOSIT_NOT_CORRECTABLE`.
 */
export async function checkBooked(op: Op, row: DepositRow, amount: bigint): Promise<void> {
  if (row.state === 'REVERSED') throw createNotCorrectableError('REVERSED', 'The bank reversed this deposit.')
  if (row.details.adjustedFrom !== undefined)
    throw createNotCorrectableError('ALREADY_ADJUSTED', 'This deposit was already adjusted.')
  const [line, secondLine] = await depositLines(op, row)
  if (!line) throw createNotCorrectableError('NOT_BOOKED', 'No statement line books this deposit.')
  if (secondLine)
    throw createNotCorrectableError('BOOKED_TWICE', 'More than one statement line books this deposit.')
  if (line.amount !== amount)
    throw createFieldError(
      'INVALID_INPUT',
      'amount',
      `The statement books ${line.amount} for this deposit, not ${amount}.`,
    )
  if (amount === row.amount)
    throw createNotCorrectableError('NO_DIFFERENCE', 'The bank booked exactly the amount of this deposit.')
}

/** The adjusted deposit, and new deposits for any excess that the bank booked. */
export interface AdjustedDeposit {
  readonly row: DepositRow
  readonly parts: readonly DepositRow[]
  readonly writes: readonly Write[]
}

/**
 * Books the difference between a deposit's amount and the amount booked by the bank. Guard: the deposit is
 * unchanged. Throws 400 `AMOUNT_OUT_OF_RANGE`.
 */
export async function adjustDeposit(
  op: Op,
  row: DepositRow,
  booked: bigint,
  note: string,
): Promise<AdjustedDeposit> {
  const difference = booked - row.amount
  const isLess = difference < 0n
  const isInSuspense = row.state === 'SUSPENSE'
  const legs: Leg[] = [
    buildDepositRailLeg(row, -difference),
    { system: isInSuspense || !isLess ? 'suspense' : 'costs', currency: row.currency, amount: difference },
  ]
  if (!(await fitsBalance(op, legs)))
    throw createFieldError(
      'AMOUNT_OUT_OF_RANGE',
      'amount',
      'This amount would exceed the maximum balance of a platform account.',
    )
  const details = {
    ...withNote(row, note),
    adjustedFrom: String(row.amount),
    booked: String(booked),
  }
  const amount = isInSuspense ? booked : row.amount
  const parts =
    isInSuspense || isLess ? [] : [newPart(op, row, { amount: difference, reason: 'BOOKED_MORE', note })]
  const { state, amount: before, updated_at } = row
  const change = { amount, details, updated_at: op.now }
  return {
    row: { ...row, ...change },
    parts,
    writes: [
      update('deposits', row.id, { state, amount: before, updated_at }, change),
      ...post(op, toDepositCause(row), legs),
      ...insertParts(op, parts),
    ],
  }
}
