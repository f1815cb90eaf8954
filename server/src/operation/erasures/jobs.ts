import { present } from '@countersign/contract/core/objects'
import { ERASURE_TRANSITIONS } from '@countersign/contract/states/customer-states'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import type { JobHandler } from '../../kernel/outbox/job-kinds.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { buildNextDocumentRemovals } from '../../people/documents/documents.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { ErasureRow } from '../../storage/rows/erasure.ts'
import type { JobPayloads } from '../../storage/rows/job.ts'
import { findErasure, toErasureView } from './erasures.ts'
import { findPerson, type Person, STEPS } from './steps.ts'

type Payload = JobPayloads['customer.erase']

/**
 * The maximum duration of a run, well below the expiry of the job's claim. Another job continues after it.
 */
const RUN_MS = 1_000
/** The delay before an erasure rechecks rows that bank files need. */
const WAIT_SECONDS = 15 * 60

/**
 * Erases a person's data in small separate transactions, so that payments are not delayed. Steps are
 * idempotent; only the erasure's state changes go through write sets. A round that erased something or waits
 * for a bank file is followed by another, so DONE means that a full round found nothing.
 */
export const eraseCustomer: JobHandler<'customer.erase'> = async (op, payload) => {
  const erasure = await findErasure(op, payload.customerId)
  const person = await findPerson(op, payload.customerId)
  if (!erasure || !person) return []
  const hasStarted = nextState(ERASURE_TRANSITIONS, erasure.state, 'begin') === null
  if (payload.isEarly) return hasStarted ? [] : run(op, person, payload, () => [])
  if (nextState(ERASURE_TRANSITIONS, erasure.state, 'finish') === null)
    return hasStarted ? [] : begin(op, erasure)
  const documents = payload.step === undefined ? await buildNextDocumentRemovals(op, person.customerId) : []
  if (documents.length > 0) return [...documents, continueJob(op, { ...payload, hasFound: true })]
  return run(op, person, payload, ({ customerId, hasFound, isWaiting }) => {
    if (hasFound) return [continueJob(op, { customerId })]
    return isWaiting ? waitForFile(op, customerId) : finish(op, erasure)
  })
}

function waitForFile(op: Op, customerId: string): Write[] {
  op.log.info({ customer: customerId }, 'erasure waits for a bank file to be written')
  return [job(op, 'customer.erase', { customerId }, addSeconds(op.now, WAIT_SECONDS))]
}

/** Once begun, the database allows personal data to be erased from the audit trail. */
function begin(op: Op, erasure: ErasureRow): Write[] {
  const { write } = transition(op, 'erasures', ERASURE_TRANSITIONS, erasure, 'begin', {})
  return [write, continueJob(op, { customerId: erasure.id })]
}

function finish(op: Op, erasure: ErasureRow): Write[] {
  const { row, write } = transition(op, 'erasures', ERASURE_TRANSITIONS, erasure, 'finish', {
    erased_at: op.now,
  })
  return [write, event(op, 'CUSTOMER.ERASED', row.id, toErasureView(row))]
}

function continueJob(op: Op, payload: Payload): Write {
  return job(op, 'customer.erase', payload, op.now)
}

/** Continues from the payload's position until all steps are done or the time is up. */
async function run(
  op: Op,
  person: Person,
  payload: Payload,
  onEnd: (payload: Payload) => Write[],
): Promise<readonly Write[]> {
  const steps = STEPS.filter(({ isEarly }) => !payload.isEarly || isEarly)
  // If the payload names a step of another release, which is unknown here, the round starts again.
  let index = Math.max(
    0,
    steps.findIndex(({ name }) => name === payload.step),
  )
  let { after, hasFound = false, isWaiting = false } = payload
  const untilMs = performance.now() + RUN_MS
  for (let step = steps[index]; step; step = steps[index]) {
    if (performance.now() > untilMs)
      return [continueJob(op, { ...payload, step: step.name, hasFound, isWaiting, ...present({ after }) })]
    const result = await step.run(op, person, after)
    hasFound ||= result.found > 0
    isWaiting ||= result.isWaiting === true
    after = result.after
    if (after === undefined) index += 1
  }
  return onEnd({ ...payload, hasFound, isWaiting })
}
