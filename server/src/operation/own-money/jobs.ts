import type { EventType } from '@countersign/contract/events/events'
import type { Op } from '../../kernel/operation/app.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { toFault } from '../../money/payouts/judge-line.ts'
import type { OwnTransferHook } from '../../money/transfers/jobs.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { OwnAccountRow, StoredSweep } from '../../storage/rows/own-money.ts'
import { computeNextSweep, sweepJob, updateOwnAccount } from './own-accounts.ts'
import { selectOwnAccount, selectWithdrawalByTransaction } from './store.ts'
import {
  findOwnMoney,
  getAvailable,
  moveWithdrawal,
  newWithdrawal,
  sendWithdrawal,
  withdrawalEvent,
} from './withdrawals.ts'

const REASON = 'Daily sweep'

/**
 * Sweeps the balance above the minimum and schedules the next sweep in one write set. The guard on the
 * account's version prevents a second sweep of a day after a crash or by another process. After an outage
 * only one sweep runs; a job for any other time is obsolete and does nothing.
 */
export const runSweep: JobHandler<'own-money.sweep'> = async (op, { ownAccountId, at }) => {
  const own = await selectOwnAccount(op, ownAccountId)
  if (!own?.sweep || own.next_sweep_at?.toISOString() !== at) return []
  const next = updateOwnAccount(op, own, [], { next_sweep_at: computeNextSweep(own.sweep, op.now) })
  return [next.write, ...(await sweepAccount(op, own, own.sweep)), ...sweepJob(op, next.row)]
}

/**
 * Creates the withdrawal that sweeps the account, or records that it was refused. Empty if the balance does
 * not exceed the minimum.
 */
async function sweepAccount(op: Op, own: OwnAccountRow, sweep: StoredSweep): Promise<readonly Write[]> {
  const ownMoney = await findOwnMoney(op, own.currency)
  const amount = getAvailable(ownMoney, sweep.source) - BigInt(sweep.minimum)
  if (amount <= 0n) return []
  const draft = newWithdrawal(op, own, {
    source: sweep.source,
    amount,
    reason: REASON,
    remittance_information: null,
    is_sweep: true,
  })
  try {
    const { row, writes } = await sendWithdrawal(op, draft, own, ownMoney)
    return [insert('platform_withdrawals', row), ...writes]
  } catch (error) {
    const { code, message } = toFault(error)
    const { row } = moveWithdrawal(op, draft, 'fail', { code, message })
    return [insert('platform_withdrawals', row), await withdrawalEvent(op, 'FAILED', row)]
  }
}

const ENDS: Readonly<Partial<Record<EventType, 'COMPLETED' | 'FAILED'>>> = {
  'OUTGOING_PAYMENT.COMPLETED': 'COMPLETED',
  'OUTGOING_PAYMENT.FAILED': 'FAILED',
}

/** Reports that a withdrawal's transfer has ended. */
export const reportWithdrawalEnd: OwnTransferHook = async (op, transaction, writes) => {
  const [end] = writes.flatMap((write) =>
    write.write === 'event' && write.objectId === transaction.id ? (ENDS[write.type] ?? []) : [],
  )
  const row = end && (await selectWithdrawalByTransaction(op, transaction.id))
  return row ? [await withdrawalEvent(op, end, row, { ...transaction, state: end })] : []
}
