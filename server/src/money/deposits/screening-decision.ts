import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { depositOf } from '../rails/deposit-rows.ts'
import { findScreeningOf } from '../screenings/screenings.ts'
import { depositView, placeAgain, replaceDeposit } from './deposits.ts'
import { SCREENING_HIT } from './screen-sender.ts'

const { release: RELEASED, reject: REJECTED } = SCREENING_TRANSITIONS[SCREENING_INITIAL]
const REJECTED_NOTE = 'The screening of its sender was rejected'

/**
 * Applies a person's decision about the address that a deposit came from. If it is released, it is attributed
 * as if it came in now; if it is rejected, it stays in suspense with that reason. Does nothing if it has left
 * suspense in the meantime.
 */
export const placeScreened: JobHandler<'deposit.screened'> = async (op, payload) => {
  const row = await depositOf(op, payload.depositId)
  if (row.state !== 'SUSPENSE' || row.reason !== SCREENING_HIT) return []
  const screening = await findScreeningOf(op, 'CREDIT', row.id)
  if (screening?.state === REJECTED)
    return [
      replaceDeposit(op, row, { ...row, details: { ...row.details, note: screening.note ?? REJECTED_NOTE } }),
    ]
  if (screening?.state !== RELEASED) return []
  const placed = await placeAgain(op, row)
  const events =
    placed.row.state === row.state ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(placed.row))] : []
  return [...placed.writes, replaceDeposit(op, row, placed.row), ...events]
}
