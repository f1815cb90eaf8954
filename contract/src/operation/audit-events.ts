import { Type } from 'typebox'
import { AuditActor } from '../core/actors.ts'
import { endpoint } from '../core/endpoint.ts'
import { ID_KINDS, Id, IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { keysOf } from '../core/objects.ts'
import { FreeForm, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'

const TAG = 'Audit trail'

/** Kinds of callers that can be filtered by id. */
export const ACTOR_KINDS = ['Member', 'Token', 'Agent', 'Customer'] as const

const anyKind = keysOf(ID_KINDS)

/** A call that changed something. Entries are never modified or deleted. */
export const AuditEvent = Type.Object({
  id: Id('AuditEvent'),
  at: Timestamp(),
  actor: AuditActor,
  walletSessionId: Type.Optional(Id('Session', "The session of the customer's wallet that signed the call")),
  operation: Text(100, { description: 'The name of the call, as in operationId: `config_update`' }),
  objectId: Type.Optional(IdOfAny(anyKind, 'The changed or created record')),
  customerId: Type.Optional(Id('Customer', 'The customer that it belongs to')),
  httpRequestId: Text(128, { description: 'The `X-Request-Id` of the call' }),
  address: Type.Optional(Text(64, { description: 'The network address of the caller' })),
  userAgent: Type.Optional(Text(500, { description: 'The User-Agent header of the call' })),
  before: Type.Optional(FreeForm('The changed properties before the call. Secrets are masked')),
  after: Type.Optional(FreeForm('The changed properties after the call')),
})

const UUID_V7 = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

/**
 * Returns the creation time contained in a request id that is a UUIDv7. The server generates such ids, but
 * callers may choose others.
 */
export function timeOfRequestId(id: string): Date | undefined {
  const parts = UUID_V7.exec(id)
  return parts ? new Date(Number.parseInt(`${parts[1]}${parts[2]}`, 16)) : undefined
}

export const audit_event_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/audit-events',
  tag: TAG,
  summary: 'List audit events',
  description:
    'Lists who has changed what, newest first: every successful call that changed something, with its caller. ' +
    'Refused calls and calls that only read are not in it. Nobody can change or remove an entry.',
  query: Type.Object({
    actorId: Type.Optional(IdOfAny(ACTOR_KINDS, 'Of a member, a token, an agent or a customer')),
    objectId: Type.Optional(IdOfAny(anyKind, 'The record that was changed or created')),
    customerId: Type.Optional(Id('Customer')),
    operation: Type.Optional(Text(100, { description: 'The name of the call: `config_update`' })),
    httpRequestId: Type.Optional(
      Text(128, {
        description:
          'The `X-Request-Id` of the call. An id that the server made contains its time; for another one `startDate` is required',
      }),
    ),
    startDate: Type.Optional(Timestamp('From this time on')),
    endDate: Type.Optional(Timestamp('Before this time')),
    ...pageQuery,
  }),
  responses: { 200: Page(AuditEvent) },
  errors: ['INVALID_INPUT'],
})

export const audit_event_csv = fileOfList(audit_event_list, 'audit events')

export const audit_event_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/audit-events/{auditEventId}',
  tag: TAG,
  summary: 'Read an entry of the audit trail',
  description: 'Shows one change: its author, time and origin, and the changed properties before and after.',
  params: Type.Object({ auditEventId: PathId }),
  responses: { 200: AuditEvent },
  errors: ['AUDIT_EVENT_NOT_FOUND'],
})

export const auditEvents = { audit_event_list, audit_event_csv, audit_event_get }
