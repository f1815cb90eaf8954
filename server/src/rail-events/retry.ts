import type { ConnectorEvent } from '@countersign/contract/connectors/events'
import type { Write } from '../db/commit/writes.ts'
import type { RailEventRow } from '../db/schema/rail-tables.ts'
import { RAIL_EVENT_TRANSITIONS } from '../db/schema/states.ts'
import { job } from '../jobs/jobs.ts'
import type { JobHandler } from '../jobs/kinds.ts'
import { type Op, plusSeconds } from '../op/app.ts'
import { transition } from '../op/transition.ts'
import { applyReport } from './apply.ts'
import { selectRailEvent } from './store.ts'

const FIRST_SECONDS = 2
/** For so long a report may be ahead of what it is about; later a person alone decides. */
const WAITED_SECONDS_MAX = 7 * 86_400

/**
 * What tries a report again that has come too early: that a deposit was taken back, before the deposit itself or while it is
 * on its way back. None for any other report.
 */
export function retryOf(op: Op, { id, state, type }: RailEventRow): Write[] {
  if (state !== 'WAITING' || type !== 'deposit.reversed') return []
  return [again(op, id, FIRST_SECONDS)]
}

/** Tries a report again that still waits, each time after twice as long. */
export const retryRailEvent: JobHandler<'rail-event.retry'> = async (op, { railEventId, waitedSeconds }) => {
  const row = await selectRailEvent(op, railEventId)
  if (row?.state !== 'WAITING') return []
  const report = row.body as unknown as Extract<ConnectorEvent, { type: 'deposit.reversed' }>
  const { writes, reason } = await applyReport(op, row.rail, report)
  if (reason !== undefined)
    return waitedSeconds < WAITED_SECONDS_MAX ? [again(op, row.id, 2 * waitedSeconds)] : []
  return [
    ...writes,
    transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, row, 'apply', { reason: null }).write,
  ]
}

function again(op: Op, railEventId: string, waitedSeconds: number): Write {
  return job(op, 'rail-event.retry', { railEventId, waitedSeconds }, plusSeconds(op.now, waitedSeconds))
}
