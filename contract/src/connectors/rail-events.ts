import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { FreeForm, OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { ConnectorEvent, EventReceived } from './events.ts'
import { CONNECTOR_EVENT_BYTES_MAX } from './protocol.ts'

/** Why a report waits for a person. */
export const RAIL_EVENT_REASONS = [
  'UNKNOWN_PAYMENT',
  'UNKNOWN_DEPOSIT',
  'CONTRADICTION',
  'OTHER_AMOUNT',
  'UNREADABLE',
  'CHANGE_OF_ACCOUNT',
] as const
export type RailEventReason = (typeof RAIL_EVENT_REASONS)[number]

/**
 * A connector reports: what became of a payment, money that came in, its statement of a day. Signed like a webhook. A
 * repeated event takes effect once.
 */
export const rail_event = endpoint({
  auth: 'rail',
  method: 'POST',
  path: '/rail-events/{rail}',
  tag: 'Connectors',
  summary: 'Report an event',
  params: Type.Object({ rail: PathId }),
  body: ConnectorEvent,
  bodyBytesMax: CONNECTOR_EVENT_BYTES_MAX,
  responses: { 200: EventReceived },
  errors: ['INVALID_SIGNATURE', 'INVALID_INPUT', 'NOT_FOUND'],
})

/** A report that fits nothing that the server knows. */
export const RailEvent = Type.Object({
  id: Id('RailEvent'),
  status: OneOfWords(['WAITING', 'RESOLVED'], 'WAITING: somebody has to look at it'),
  reason: OneOfWords(
    RAIL_EVENT_REASONS,
    'UNKNOWN_PAYMENT, UNKNOWN_DEPOSIT: it names what this rail was never given. CONTRADICTION: it says otherwise than what ' +
      'has ended already. OTHER_AMOUNT: of another amount or currency. UNREADABLE: a file that cannot be read',
  ),
  rail: Text(40),
  type: Text(64, { description: 'As the connector has sent it: payment.returned' }),
  body: FreeForm('The whole report'),
  note: Type.Optional(Prose(500)),
  createdAt: Timestamp(),
  resolvedAt: Type.Optional(Timestamp()),
})

export const rail_event_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/rail-events',
  tag: 'Rails',
  summary: 'List reports that fit nothing',
  description:
    'Shows what rails have reported and the server could not attribute, newest first. Nothing of it moves ' +
    'money.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(['WAITING', 'RESOLVED'])),
    rail: Type.Optional(Text(40)),
    ...pageQuery,
  }),
  responses: { 200: Page(RailEvent) },
  errors: ['INVALID_INPUT'],
})

/** Records that a person has looked at it. */
export const rail_event_resolve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/rail-events/{railEventId}/resolve',
  tag: 'Rails',
  summary: 'Resolve a report',
  description: 'Takes a report off the queue, with a note of what a person has found. No money moves by it.',
  params: Type.Object({ railEventId: PathId }),
  body: Type.Object({ note: Prose(500) }),
  responses: { 200: RailEvent },
  errors: ['INVALID_INPUT', 'RAIL_EVENT_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const railEvents = { rail_event_list, rail_event_resolve }
