import { ERASURE_TRANSITIONS } from '@countersign/contract/states/customer-states'
import type { Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { removalOfSome } from '../../people/documents/documents.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { ErasureRow } from '../../storage/rows/erasure.ts'
import type { JobPayloads } from '../../storage/rows/job.ts'
import { erasureView, findErasure } from './erasures.ts'
import { findPerson, type Person, STEPS } from './steps.ts'

type Payload = JobPayloads['customer.erase']

/** The time limit of one run before the rest continues in another one: well within a claim. */
const RUN_MS = 1_000

/**
 * Erases a person. Only the states of the erasure are write sets: the steps write in separate small
 * transactions, because they depend on no decision, can be repeated, and must not delay the payments of the
 * same commit. A round that erased something is followed by another one, so that DONE means that a whole
 * round found nothing.
 */
export const eraseCustomer: JobHandler<'customer.erase'> = async (op, payload) => {
  const erasure = await findErasure(op, payload.customerId)
  const person = await findPerson(op, payload.customerId)
  if (!erasure || !person) return []
  const isBegun = nextState(ERASURE_TRANSITIONS, erasure.state, 'begin') === null
  if (payload.isEarly) return isBegun ? [] : run(op, person, payload, () => [])
  if (nextState(ERASURE_TRANSITIONS, erasure.state, 'finish') === null)
    return isBegun ? [] : begin(op, erasure)
  const documents = payload.step === undefined ? await removalOfSome(op, person.customerId) : []
  if (documents.length > 0) return [...documents, again(op, { ...payload, hasFound: true })]
  return run(op, person, payload, ({ hasFound }) =>
    hasFound ? [again(op, { customerId: person.customerId })] : finish(op, erasure),
  )
}

/** From then on personal data can be removed from the audit trail. */
function begin(op: Op, erasure: ErasureRow): Write[] {
  const { write } = transition(op, 'erasures', ERASURE_TRANSITIONS, erasure, 'begin', {})
  return [write, again(op, { customerId: erasure.id })]
}

function finish(op: Op, erasure: ErasureRow): Write[] {
  const { row, write } = transition(op, 'erasures', ERASURE_TRANSITIONS, erasure, 'finish', {
    erased_at: op.now,
  })
  return [write, event(op, 'CUSTOMER.ERASED', row.id, erasureView(row))]
}

function again(op: Op, payload: Payload): Write {
  return job(op, 'customer.erase', payload, op.now)
}

/** Continues from the payload's position, until all steps are done or the time is over. */
async function run(
  op: Op,
  person: Person,
  payload: Payload,
  atTheEnd: (payload: Payload) => Write[],
): Promise<readonly Write[]> {
  const steps = STEPS.filter(({ isEarly }) => !payload.isEarly || isEarly)
  // A step of another release is unknown here, so the round starts again.
  let place = Math.max(
    0,
    steps.findIndex(({ name }) => name === payload.step),
  )
  let { after, hasFound = false } = payload
  const untilMs = performance.now() + RUN_MS
  for (let step = steps[place]; step; step = steps[place]) {
    if (performance.now() > untilMs)
      return [again(op, { ...payload, step: step.name, hasFound, ...(after === undefined ? {} : { after }) })]
    const walked = await step.run(op, person, after)
    hasFound ||= walked.found > 0
    after = walked.after
    if (after === undefined) place += 1
  }
  return atTheEnd({ ...payload, hasFound })
}
