import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/core/screening-states'
import { update, type Write } from '../db/commit/writes.ts'
import type { DepositRow } from '../db/schema/rail-tables.ts'
import { event } from '../events/events.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import type { Op } from '../op/app.ts'
import { depositOf } from '../rails/deposit-rows.ts'
import { findScreeningOf } from '../screenings/screenings.ts'
import { depositView, placeAgain } from './deposits.ts'
import { SCREENING_HIT } from './screen.ts'

const { release: RELEASED, reject: REJECTED } = SCREENING_TRANSITIONS[SCREENING_INITIAL]
const REJECTED_NOTE = 'The screening of its sender was rejected'

/**
 * Does what a person has decided about the address that a deposit came from. Released, it is placed as if it came in now;
 * rejected, it stays in suspense and says so. Nothing where it has left suspense meanwhile.
 */
export const placeScreened: JobHandler<'deposit.screened'> = async (op, payload) => {
  const row = await depositOf(op, payload.depositId)
  if (row.state !== 'SUSPENSE' || row.reason !== SCREENING_HIT) return []
  const screening = await findScreeningOf(op, 'CREDIT', row.id)
  if (screening?.state === REJECTED)
    return [changed(op, row, { ...row, details: { ...row.details, note: screening.note ?? REJECTED_NOTE } })]
  if (screening?.state !== RELEASED) return []
  const placed = await placeAgain(op, row)
  const told =
    placed.row.state === row.state ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(placed.row))] : []
  return [...placed.writes, changed(op, row, placed.row), ...told]
}

/** Writes what has become of a deposit. Guard: it is still in suspense, for the same reason. */
function changed(op: Op, { id, state, reason }: DepositRow, now: DepositRow): Write {
  const { account_id, transaction_id, details } = now
  const change = { account_id, transaction_id, details, state: now.state, reason: now.reason }
  return update('deposits', id, { state, reason }, { ...change, updated_at: op.now })
}
