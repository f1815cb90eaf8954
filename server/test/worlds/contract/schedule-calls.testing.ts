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

const call = (prepare: (place: Place) => Promise<Ids>) => async (scene: Scene) => ({
  ids: await prepare(scene),
})

/** Calls of a payment schedule for the reference page. */
export const SCHEDULE_CALLS: Partial<Record<EndpointName, (scene: Scene) => Promise<Call> | Call>> = {
  payment_schedule_list: () => ({ query: { status: 'ACTIVE' } }),
  payment_schedule_approve: call(approvable),
  payment_schedule_skip: call(active),
  payment_schedule_pause: call(active),
  payment_schedule_resume: call(paused),
  payment_schedule_cancel: call(active),
  payment_occurrence_list: async (scene) => {
    const ids = await active(scene)
    await change(scene.client, ids.PaymentSchedule, 'skip')
    return { ids }
  },
}
