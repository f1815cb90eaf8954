import { readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseEvents } from '@countersign/contract/document/examples'
import { EVENT_TYPES } from '@countersign/contract/events/events'
import { eventTypesOf, WEBHOOKS, type Webhook } from '@countersign/contract/events/webhooks'
import { expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { playEvents } from '../../worlds/contract/event-world.testing.ts'
import { stabilizer } from '../../worlds/contract/recording-client.testing.ts'

const FILE = fileURLToPath(new URL('../../../../docs/reference/events.jsonl', import.meta.url))
const readStored = () => parseEvents(readFileSync(FILE, 'utf8'))

/** The field names of an event and its data, without values. */
function toShape(event: unknown): unknown {
  if (typeof event !== 'object' || event === null) return undefined
  const data = 'data' in event && typeof event.data === 'object' ? event.data : null
  return [Object.keys(event).sort(), Object.keys(data ?? {}).sort()]
}

/** Prints the stored recording of an event, unless its fields have changed. */
function createLinePrinter(stored: Readonly<Record<string, unknown>>) {
  return ([type, event]: readonly [string, unknown]): string => {
    const isCurrent = toJson(toShape(stored[type])) === toJson(toShape(event))
    return `${toJson([type, isCurrent ? stored[type] : event])}\n`
  }
}

test('every event type belongs to one webhook of the document, and matches its recording (else: npm run docs)', async () => {
  const webhooks = Object.values<Webhook>(WEBHOOKS)
  expect(webhooks.flatMap((webhook) => [...eventTypesOf(webhook)]).sort()).toEqual([...EVENT_TYPES].sort())
  const playedEvents = await playEvents()
  expect(EVENT_TYPES.filter((type) => !playedEvents.has(type))).toEqual([])
  const recorded = EVENT_TYPES.map((type) => {
    const event = playedEvents.get(type)
    return [type, stabilizer([event], event.timestamp)(event)] as const
  })
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, recorded.map(createLinePrinter(readStored())).join(''))
  const toShapes = (events: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(events).map(([type, event]) => [type, toShape(event)]))
  expect(toShapes(readStored())).toEqual(toShapes(Object.fromEntries(recorded)))
})
