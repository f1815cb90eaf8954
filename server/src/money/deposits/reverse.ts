import { balanceUpdated, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { type Leg, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import { moveTransaction } from '../../kernel/transactions/moves.ts'
import { findTransaction, transactionView } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { required } from '../../storage/read/required.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { causeOf, moveDeposit, railLeg } from '../rails/deposit-rows.ts'
import { takeBack } from '../rails/reverse-credit.ts'
import { depositView } from './deposits.ts'

/**
 * The bank has taken the money of a deposit back. What was credited is taken of its account; what the account no longer
 * has, and what has paid a quote, is owed to the platform. Undefined where the deposit has gone back already: a report
 * against the books. Guard: nothing has become of it meanwhile.
 */
export async function reverseDeposit(op: Op, row: DepositRow, detail: string): Promise<Reversal | undefined> {
  switch (row.state) {
    case 'SUSPENSE':
      return reversed(op, row, detail, post(op, causeOf(row), outOf(row, 'suspense')))
    case 'PENDING':
      return reversed(op, row, detail, [
        ...post(op, causeOf(row), outOf(row, 'suspense')),
        ...(await refused(op, row)),
      ])
    case 'CREDITED':
      return takenBack(op, row, detail)
    case 'FUNDED':
      return reversed(op, row, detail, post(op, causeOf(row), outOf(row, 'receivables')))
    case 'REVERSED':
      return { row, writes: [] }
    case 'RETURNING':
    case 'RETURNED':
      return undefined
  }
}

function outOf(row: DepositRow, system: 'suspense' | 'receivables'): Leg[] {
  const { currency, amount } = row
  return [{ system, currency, amount: -amount }, railLeg(row, amount)]
}

/** A deposit that was taken back, and what that does. */
interface Reversal {
  readonly row: DepositRow
  readonly writes: readonly Write[]
}

function reversed(op: Op, row: DepositRow, note: string, moves: readonly Write[]): Reversal {
  const moved = moveDeposit(op, row, 'reverse', { details: { ...row.details, note } })
  const told = event(op, 'DEPOSIT.REVERSED', row.id, depositView(moved.row))
  return { row: moved.row, writes: [...moves, moved.write, told] }
}

/** Ends a payment that waits for its approval or its credit. */
async function refused(op: Op, row: DepositRow): Promise<readonly Write[]> {
  const receipt = await findTransaction(op, required(row, 'transaction_id'))
  if (receipt.state !== 'PENDING' && receipt.state !== 'PROCESSING') return []
  return moveTransaction(op, receipt, 'fail', { failure_reason: 'OFFRAMP_FAILED' }).writes
}

async function takenBack(op: Op, row: DepositRow, note: string): Promise<Reversal> {
  const account = await findInternalAccount(op, required(row, 'account_id'))
  const receipt = await findTransaction(op, required(row, 'transaction_id'))
  const { writes, shortfall } = await takeBack(op, causeOf(row), account, railLeg(row, row.amount))
  const owed = shortfall > 0n ? { shortfall: String(shortfall) } : {}
  const counterparty = {
    ...receipt.details.counterparty,
    fundingReturnedAt: op.now.toISOString(),
    fundingReturnDetail: note,
    ...owed,
  }
  const details = { ...receipt.details, counterparty }
  const moved = moveTransaction(op, receipt, 'return', { failure_reason: 'OFFRAMP_FAILED', details })
  return reversed(op, { ...row, details: { ...row.details, ...owed } }, note, [
    ...writes,
    ...moved.writes,
    event(op, 'INCOMING_PAYMENT.RETURNED', receipt.id, transactionView(moved.row, moved.row)),
    balanceUpdated(op, account),
  ])
}
