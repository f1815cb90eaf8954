import type { EndpointName } from '@countersign/contract/api'
import type { Client, Reply } from '../client.testing.ts'
import { approvableSchedule, change, schedule } from '../records/schedules.testing.ts'
import type { Ids } from './bodies.testing.ts'
import { validBody } from './calls.testing.ts'
import type { Call, Scene } from './scene.testing.ts'

interface Place {
  readonly client: Client
  readonly ids: Ids
}

const bodyFor = (ids: Ids) => validBody('payment_schedule_create', ids) as object
const idOf = ({ id }: Reply['body']) => ({ PaymentSchedule: String(id) })

async function active({ client, ids }: Place) {
  return idOf(await schedule(client, bodyFor(ids)))
}

async function paused(place: Place) {
  const ids = await active(place)
  await change(place.client, ids.PaymentSchedule, 'pause')
  return ids
}

async function approvable({ client, ids }: Place) {
  return idOf(await approvableSchedule(client, bodyFor(ids)))
}

/** The schedule that each call needs. */
export const PREPARED_SCHEDULES = {
  payment_schedule_approve: approvable,
  payment_schedule_skip: active,
  payment_schedule_pause: active,
  payment_schedule_resume: paused,
  payment_schedule_cancel: active,
}

/** Dates that are near, so that the page shows them as far from its calls as they are. */
const example = (ids: Ids) => ({
  ...bodyFor(ids),
  rule: { type: 'WEEKLY', weekdays: ['FRI'] },
  startDate: undefined,
})

/** A new schedule, and what was done to it before the call. */
const after =
  (what?: 'pause' | 'skip') =>
  async ({ client, ids }: Scene): Promise<Call> => {
    const made = idOf(await schedule(client, example(ids)))
    if (what) await change(client, made.PaymentSchedule, what)
    return { ids: made }
  }

/** Calls of a payment schedule for the reference page. */
export const SCHEDULE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  payment_schedule_create: ({ ids }) => ({ body: example(ids) }),
  payment_schedule_list: () => ({ query: { status: 'ACTIVE' } }),
  payment_schedule_get: after(),
  payment_schedule_approve: async ({ client, ids }) => ({
    ids: idOf(await approvableSchedule(client, example(ids))),
  }),
  payment_schedule_skip: after(),
  payment_schedule_pause: after(),
  payment_schedule_resume: after('pause'),
  payment_schedule_cancel: after(),
  payment_occurrence_list: after('skip'),
}
