import { setTimeout as pause } from 'node:timers/promises'
import { present } from '@countersign/contract/core/objects'
import type { EventType } from '@countersign/contract/events/events'
import type { PlatformEvent } from '@countersign/sdk'
import { printResult, type Shell } from '../connection/shell.ts'
import { isEventType } from '../terminal/event-types.ts'
import { Failure } from '../terminal/failure.ts'
import { io } from '../terminal/io.ts'
import { TRIGGERS, type TriggerIds, WITHOUT_STEPS } from './trigger-steps.ts'

const WAIT_MS = 20_000
const INTERVAL_MS = 200

/** `countersign trigger --list` */
export function listTriggers(): void {
  for (const [type, steps] of Object.entries(TRIGGERS))
    io().stdout.write(`${type.padEnd(40)}${steps.label}\n`)
}

/** `countersign trigger`: performs the steps that cause the event, and waits for it. Throws Failure. */
export async function triggerEvent(shell: Shell, text: string, ids: TriggerIds): Promise<void> {
  const type = text.toUpperCase()
  if (!isEventType(type))
    throw new Failure(`"${text}" is not an event type. List the event types: countersign trigger --list`)
  const steps = TRIGGERS[type]
  if (!steps)
    throw new Failure(
      `${type} cannot be triggered: ${WITHOUT_STEPS[type]}. See the events that can be triggered: countersign trigger --list`,
    )
  const { countersign } = shell
  const { data } = await countersign.events.list({ sortOrder: 'desc', limit: 1 })
  await steps.run(countersign, ids)
  const event = await waitFor(shell, type, data[0]?.id)
  printResult(shell, event, [`${event.id}  ${event.type}  ${event.objectId}`])
}

async function waitFor(
  { countersign }: Shell,
  type: EventType,
  after: string | undefined,
): Promise<PlatformEvent> {
  const endMs = performance.now() + WAIT_MS
  while (performance.now() < endMs) {
    const { data } = await countersign.events.list({ type, ...present({ after }), limit: 1 })
    if (data[0]) return data[0]
    // The sandbox runs background jobs when its clock advances.
    await countersign.sandbox.advanceClock({ seconds: 1 })
    await pause(INTERVAL_MS)
  }
  throw new Failure(`The steps succeeded, but ${type} did not arrive within ${WAIT_MS / 1_000} s.`)
}
