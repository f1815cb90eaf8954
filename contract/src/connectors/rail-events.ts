import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { keysOf } from '../core/objects.ts'
import { FreeForm, OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { ConnectorEvent, EventReceived } from './events.ts'
import { CONNECTOR_EVENT_BYTES_MAX } from './protocol.ts'

/** The reasons why a report needs manual review. */
export const RAIL_EVENT_WORDS = {
  UNKNOWN_PAYMENT: 'It names no payment, or one that this rail was never given',
  UNKNOWN_MANDATE: 'It names no mandate, or one that this rail does not have',
  UNKNOWN_DEPOSIT: 'It names no deposit, or one that this rail has never reported',
  CONTRADICTION: 'It contradicts a result that is final',
  OTHER_ACCOUNT:
    'It is about an account or a currency that the rail does not have, or an account to which its payment did not go',
  OTHER_AMOUNT: 'Its amount or currency differs from the record. The report has both',
  SAME_NAME: 'It has the id of another deposit',
  OUT_OF_RANGE: 'The money exceeds the maximum of a balance: the credit is retried',
  UNREADABLE: 'It is a file, or a part of one, that cannot be read',
  CHANGE_OF_ACCOUNT:
    "The counterparty's account details have changed in a way that cannot be proposed as a change",
  REVERSAL:
    'It names the reversal of a payment. If it is the money and the reversal was not returned since, ' +
    'decide RETURNED with this line; if a deposit already has the money, match the line with that deposit',
  BANK_WAITS: 'The bank does not proceed until it is contacted or receives a confirmation',
} as const
export type RailEventReason = keyof typeof RAIL_EVENT_WORDS
export const RAIL_EVENT_REASONS: readonly RailEventReason[] = keysOf(RAIL_EVENT_WORDS)

/**
 * A connector reports a payment's outcome, incoming money, or a day's statement. Signed like a webhook. A
 * repeated event has no further effect.
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

/** A report that matches no known record. */
export const RailEvent = Type.Object({
  id: Id('RailEvent'),
  status: OneOfWords(['WAITING', 'RESOLVED'], 'WAITING: it needs manual review'),
  reason: OneOfWords(
    RAIL_EVENT_REASONS,
    RAIL_EVENT_REASONS.map((reason) => `${reason}: ${RAIL_EVENT_WORDS[reason]}`).join('. '),
  ),
  rail: Text(40),
  type: Text(64, { description: 'The type that the connector sent, such as payment.returned' }),
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
  summary: 'List unattributed reports',
  description:
    'Lists rail reports that the server could not attribute, newest first. None of them moves money.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(['WAITING', 'RESOLVED'])),
    rail: Type.Optional(Text(40)),
    ...pageQuery,
  }),
  responses: { 200: Page(RailEvent) },
  errors: ['INVALID_INPUT'],
})

/** Marks the report as reviewed. */
export const rail_event_resolve = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/rail-events/{railEventId}/resolve',
  tag: 'Rails',
  summary: 'Resolve a report',
  description: 'Removes a report from the queue, with a note on what the review found. It moves no money.',
  params: Type.Object({ railEventId: PathId }),
  body: Type.Object({ note: Prose(500) }),
  responses: { 200: RailEvent },
  errors: ['INVALID_INPUT', 'RAIL_EVENT_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const railEvents = { rail_event_list, rail_event_resolve }
