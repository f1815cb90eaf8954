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

/** The members of an event and of its data, whatever their values. */
function shapeOf(event: unknown): unknown {
  if (typeof event !== 'object' || event === null) return undefined
  const data = 'data' in event && typeof event.data === 'object' ? event.data : null
  return [Object.keys(event).sort(), Object.keys(data ?? {}).sort()]
}

/** The line of an event: its stored recording, unless its form has changed. */
function withStored(stored: Readonly<Record<string, unknown>>) {
  return ([type, event]: readonly [string, unknown]): string => {
    const isCurrent = toJson(shapeOf(stored[type])) === toJson(shapeOf(event))
    return `${toJson([type, isCurrent ? stored[type] : event])}\n`
  }
}

test('every type of event belongs to one webhook of the document, and matches its recording (else: npm run docs)', async () => {
  const webhooks = Object.values<Webhook>(WEBHOOKS)
  expect(webhooks.flatMap((one) => [...eventTypesOf(one)]).sort()).toEqual([...EVENT_TYPES].sort())
  const played = await playEvents()
  expect(EVENT_TYPES.filter((type) => !played.has(type))).toEqual([])
  const recorded = EVENT_TYPES.map((type) => {
    const event = played.get(type)
    return [type, stabilizer([event], event.timestamp)(event)] as const
  })
  if (process.env.UPDATE_DOCS) writeFileSync(FILE, recorded.map(withStored(readStored())).join(''))
  const shapes = (events: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(events).map(([type, event]) => [type, shapeOf(event)]))
  expect(shapes(readStored())).toEqual(shapes(Object.fromEntries(recorded)))
})
