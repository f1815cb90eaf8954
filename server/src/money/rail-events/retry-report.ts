import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { transition } from '../../kernel/operation/transition.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { applyEvent } from './apply-evidence.ts'
import type { Report } from './evidence-of-event.ts'
import { selectRailEvent } from './store.ts'

const FIRST_SECONDS = 2
/** The time for which a report is retried before only an operator can decide about it. */
const WAITED_SECONDS_MAX = 7 * 86_400

/**
 * The job that retries a report that may succeed later: the reversal of a deposit that is unknown or being
 * returned, or a deposit that would overflow a balance. Empty for all other reports.
 */
export function buildRetryWrites(op: Op, { id, state, type, reason }: RailEventRow): Write[] {
  const maySucceedLater =
    type === 'deposit.reversed' || (type === 'deposit.received' && reason === 'OUT_OF_RANGE')
  if (state !== 'WAITING' || !maySucceedLater) return []
  return [scheduleRetry(op, id, FIRST_SECONDS)]
}

/** Retries a report that is still waiting, doubling the delay each time. */
export const retryRailEvent: JobHandler<'rail-event.retry'> = async (op, { railEventId, waitedSeconds }) => {
  const row = await selectRailEvent(op, railEventId)
  if (row?.state !== 'WAITING') return []
  const report = row.body as unknown as Report
  const { writes, reason } = await applyEvent(op, row.rail, report)
  if (reason !== undefined)
    return waitedSeconds < WAITED_SECONDS_MAX ? [scheduleRetry(op, row.id, 2 * waitedSeconds)] : []
  return [
    ...writes,
    transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, row, 'apply', { reason: null }).write,
  ]
}

function scheduleRetry(op: Op, railEventId: string, waitedSeconds: number): Write {
  return job(op, 'rail-event.retry', { railEventId, waitedSeconds }, addSeconds(op.now, waitedSeconds))
}
