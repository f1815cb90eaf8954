import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { requireDeposit } from '../rails/deposit-rows.ts'
import { findScreeningBySubject } from '../screenings/screenings.ts'
import { attributeAgain, depositView, replaceDeposit } from './deposits.ts'
import { SCREENING_HIT } from './screen-sender.ts'

const { release: RELEASED, reject: REJECTED } = SCREENING_TRANSITIONS[SCREENING_INITIAL]
const REJECTED_NOTE = "The screening of the sender's address was rejected"

/**
 * Applies the decision about a deposit sender's address. A released deposit is attributed as if it had just
 * arrived; a rejected deposit stays in suspense. Does nothing if the deposit is no longer in suspense.
 */
export const placeScreenedDeposit: JobHandler<'deposit.screened'> = async (op, payload) => {
  const row = await requireDeposit(op, payload.depositId)
  if (row.state !== 'SUSPENSE' || row.reason !== SCREENING_HIT) return []
  const screening = await findScreeningBySubject(op, 'CREDIT', row.id)
  if (screening?.state === REJECTED)
    return [
      replaceDeposit(op, row, { ...row, details: { ...row.details, note: screening.note ?? REJECTED_NOTE } }),
    ]
  if (screening?.state !== RELEASED) return []
  const attributed = await attributeAgain(op, row)
  const events =
    attributed.row.state === row.state
      ? [event(op, 'DEPOSIT.SUSPENDED', row.id, depositView(attributed.row))]
      : []
  return [...attributed.writes, replaceDeposit(op, row, attributed.row), ...events]
}
