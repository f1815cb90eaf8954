import { buildBalanceEvent, findInternalAccount } from '../../kernel/accounts/accounts.ts'
import { type Cause, post } from '../../kernel/ledger/transfers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { event } from '../../kernel/outbox/events.ts'
import { moveTransaction } from '../../kernel/transactions/moves.ts'
import { findTransaction, toTransactionView } from '../../kernel/transactions/transactions.ts'
import type { Write } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { DepositRow } from '../../storage/rows/rail.ts'
import { getBookedAmount } from '../rails/booked-amount.ts'
import { buildDepositRailLeg, moveDeposit, toDepositCause } from '../rails/deposit-rows.ts'
import { takeBack } from '../rails/reverse-credit.ts'
import { depositView } from './deposits.ts'
import { selectParts } from './store.ts'

/**
 * Reverses a deposit and its parts after the bank has reversed the payment. Debits the available part of the
 * credited amount; the shortfall is owed to the platform. Undefined if the deposit or a part was returned to
 * the sender; guard: the deposit is unchanged.
 */
export async function reverseDeposit(op: Op, row: DepositRow, detail: string): Promise<Reversal | undefined> {
  return new Reverser(op, detail, toDepositCause(row)).reverse(row)
}

/**
 * Reverses a deposit and its parts. Statements refer only to the deposit, so it is the cause of every ledger
 * entry.
 */
class Reverser {
  readonly #op: Op
  readonly #note: string
  readonly #cause: Cause
  /** The amount taken from each account so far. Several parts may have been credited to one account. */
  readonly #taken = new Map<string, bigint>()

  constructor(op: Op, note: string, cause: Cause) {
    this.#op = op
    this.#note = note
    this.#cause = cause
  }

  async reverse(row: DepositRow): Promise<Reversal | undefined> {
    if (row.state === 'REVERSED') return { row, writes: [] }
    const writes: Write[] = []
    for (const part of await selectParts(this.#op, row.id)) {
      const reversal = await this.reverse(part)
      if (!reversal) return undefined
      writes.push(...reversal.writes)
    }
    const rowReversal = await this.#reverseOwn(row)
    return rowReversal && { row: rowReversal.row, writes: [...writes, ...rowReversal.writes] }
  }

  async #reverseOwn(row: DepositRow): Promise<Reversal | undefined> {
    switch (row.state) {
      case 'SUSPENSE':
        return this.#buildReversal(row, this.#outOf(row, 'suspense'))
      case 'PENDING':
        return this.#buildReversal(row, [
          ...this.#outOf(row, 'suspense'),
          ...(await refuseReceipt(this.#op, row)),
        ])
      case 'CREDITED':
        return this.#takeBack(row)
      case 'FUNDED':
        return this.#buildReversal(row, this.#outOf(row, 'receivables'))
      case 'WRITTEN_OFF':
        return this.#buildReversal(row, this.#outOf(row, 'costs'))
      case 'SPLIT':
        return this.#buildReversal(row, [])
      case 'REVERSED':
      case 'RETURNING':
      case 'RETURNED':
        return undefined
    }
  }

  #outOf(row: DepositRow, system: 'suspense' | 'receivables' | 'costs'): Write[] {
    const { currency, amount } = row
    return post(this.#op, this.#cause, [
      { system, currency, amount: -amount },
      buildDepositRailLeg(row, amount),
    ])
  }

  #buildReversal(row: DepositRow, moves: readonly Write[]): Reversal {
    const op = this.#op
    const moved = moveDeposit(op, row, 'reverse', { details: { ...row.details, note: this.#note } })
    const reversalEvent = event(op, 'DEPOSIT.REVERSED', row.id, depositView(moved.row))
    return { row: moved.row, writes: [...moves, ...this.#undoBorneCosts(row), moved.write, reversalEvent] }
  }

  /**
   * The bank reverses only the amount that it booked. If that is less than the deposit, the difference that
   * the platform had paid as costs is reversed too.
   */
  #undoBorneCosts(row: DepositRow): Write[] {
    const { currency } = row
    const difference = row.amount - getBookedAmount(row)
    const borne = difference > 0n ? difference : 0n
    return post(this.#op, this.#cause, [
      buildDepositRailLeg(row, -borne),
      { system: 'costs', currency, amount: borne },
    ])
  }

  async #takeBack(row: DepositRow): Promise<Reversal> {
    const op = this.#op
    const account = await findInternalAccount(op, requireColumn(row, 'account_id'))
    const receipt = await findTransaction(op, requireColumn(row, 'transaction_id'))
    const before = this.#taken.get(account.id) ?? 0n
    const to = buildDepositRailLeg(row, row.amount)
    const { writes, taken, shortfall } = await takeBack(op, this.#cause, account, to, before)
    this.#taken.set(account.id, before + taken)
    const owed = shortfall > 0n ? { shortfall: String(shortfall) } : {}
    const counterparty = {
      ...receipt.details.counterparty,
      fundingReturnedAt: op.now.toISOString(),
      fundingReturnDetail: this.#note,
      ...owed,
    }
    const details = { ...receipt.details, counterparty }
    const moved = moveTransaction(op, receipt, 'return', { failure_reason: 'OFFRAMP_FAILED', details })
    return this.#buildReversal({ ...row, details: { ...row.details, ...owed } }, [
      ...writes,
      ...moved.writes,
      event(op, 'INCOMING_PAYMENT.RETURNED', receipt.id, toTransactionView(moved.row, moved.row)),
      buildBalanceEvent(op, account),
    ])
  }
}

/** A reversed deposit with the writes of its reversal. */
interface Reversal {
  readonly row: DepositRow
  readonly writes: readonly Write[]
}

/** Fails an incoming payment that is waiting for approval or for its credit. */
async function refuseReceipt(op: Op, row: DepositRow): Promise<readonly Write[]> {
  const receipt = await findTransaction(op, requireColumn(row, 'transaction_id'))
  if (receipt.state !== 'PENDING' && receipt.state !== 'PROCESSING') return []
  return moveTransaction(op, receipt, 'fail', { failure_reason: 'OFFRAMP_FAILED' }).writes
}
