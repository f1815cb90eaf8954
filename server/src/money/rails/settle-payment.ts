import type { RailResult } from '../../kernel/ports/rail.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { RailProgress } from '../../storage/rows/job.ts'
import type { RailReplied } from './rail-payments.ts'
import { SETTLEMENT, type Stage } from './settlement-table.ts'

export type Delivered = Extract<RailResult, { outcome: 'delivered' }>
export type Failed = Extract<RailResult, { outcome: 'failed' | 'cancelled' }>
export type Returned = Extract<RailResult, { outcome: 'returned' }>

type Writes = readonly Write[] | Promise<readonly Write[]>

/** A payment with a function for each effect in the table `SETTLEMENT`. Each effect has its own guard. */
export interface SettlingPayment {
  readonly stage: Stage
  callRail(): Promise<RailReplied>
  settle(answer: Delivered): Writes
  fail(answer: Failed): Writes
  bounce(answer: Returned): Writes
  reverse(answer: Returned): Writes
  /** The job that polls the rail again. Its payload records what was done so far. */
  schedulePoll(at: Date, progress: RailProgress): Write
}

/** Asks the rail about a payment, and applies the reply by the table `SETTLEMENT`. */
export async function settlePayment(payment: SettlingPayment): Promise<readonly Write[]> {
  if (payment.stage === 'ENDED') return []
  const { answer, writes } = await payment.callRail()
  const at = 'pollAt' in answer ? answer.pollAt : undefined
  const isDelivered = payment.stage === 'SETTLED' || answer.outcome === 'delivered'
  const progress = isDelivered ? { alreadySubmitted: true, mayComeBack: true } : { alreadySubmitted: true }
  return [
    ...writes,
    ...(await applyEffect(payment, answer)),
    ...(at === undefined ? [] : [payment.schedulePoll(at, progress)]),
  ]
}

function applyEffect(payment: SettlingPayment, answer: RailResult): Writes {
  const cells = SETTLEMENT[payment.stage]
  const effects = { ...NO_EFFECTS, ...payment }
  switch (answer.outcome) {
    case 'accepted':
      return effects[cells.accepted]()
    case 'unknown':
      return effects[cells.unknown]()
    case 'delivered':
      return effects[cells.delivered](answer)
    case 'failed':
      return effects[cells.failed](answer)
    case 'cancelled':
      return effects[cells.cancelled](answer)
    case 'returned':
      return effects[cells.returned](answer)
  }
}

const NO_EFFECTS = { wait: (): Writes => [], none: (): Writes => [] }
