import { Type } from 'typebox'
import { AuditActor } from '../core/actors.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { OneOfWords, Page, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import { ACTOR_KINDS } from './audit-events.ts'

const TAG = 'Request log'

/** Maximum number of stored bytes per body. Longer bodies are truncated. */
export const LOGGED_BODY_BYTES_MAX = 8 * KIB

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

const summaryOfRequest = {
  httpRequestId: Plain(Text(128, { description: 'The `X-Request-Id` of the response. The server makes it' })),
  callerRequestId: Type.Optional(
    Text(128, { description: "The caller's own `X-Request-Id`, if it is of letters, digits and . _ : -" }),
  ),
  at: Timestamp('Real time, even if the clock of a sandbox was moved'),
  method: OneOfWords(METHODS),
  path: Type.String({ description: 'Relative to the base address; the pattern if a part of it is secret' }),
  query: Type.Optional(Type.String()),
  status: Type.Integer({ description: 'Of the answer' }),
  code: Type.Optional(Type.String({ description: 'The code of the error response' })),
  durationMs: Type.Integer({ minimum: 0 }),
  actor: Type.Optional(AuditActor),
  operation: Type.String({ description: 'The name of the call' }),
  idempotencyKey: Type.Optional(Type.String()),
  address: Type.Optional(Type.String({ description: 'The network address of the caller' })),
  userAgent: Type.Optional(Type.String()),
}

/** A logged request without the bodies. */
export const LoggedRequestSummary = Type.Object(summaryOfRequest)

/** A logged request with its response. */
export const LoggedRequest = Type.Object({
  ...summaryOfRequest,
  requestBody: Type.Optional(
    Type.String({
      description:
        'As it was sent, cut after 8 KiB. Ids, numbers and enum values are shown, other text is replaced by ***',
    }),
  ),
  responseBody: Type.Optional(Type.String({ description: 'As it was sent, cut and masked in the same way' })),
})

export const request_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/requests',
  tag: TAG,
  summary: 'List requests',
  description:
    'Finds requests of the last days, newest first, without their bodies: requests of backends, agents and customers, and changes by ' +
    'members. An entry appears about a second after its response. `dropped` counts requests that could not be recorded.',
  query: Type.Object({
    httpRequestId: Type.Optional(Plain(Text(128))),
    callerRequestId: Type.Optional(Text(128, { description: 'The `X-Request-Id` that the caller sent' })),
    method: Type.Optional(OneOfWords(METHODS)),
    status: Type.Optional(Type.Integer({ minimum: 100, maximum: 599 })),
    statusClass: Type.Optional(OneOfWords(['2xx', '4xx', '5xx'])),
    path: Type.Optional(Text(255, { description: 'The beginning of the path: `/customers`' })),
    actorId: Type.Optional(IdOfAny(ACTOR_KINDS, 'Of a member, a token, an agent or a customer')),
    startDate: Type.Optional(Timestamp('From this time on')),
    endDate: Type.Optional(Timestamp('Before this time')),
    ...pageQuery,
  }),
  responses: {
    200: Type.Object({
      ...Page(LoggedRequestSummary).properties,
      dropped: Type.Integer({
        minimum: 0,
        description: 'Requests of all platforms that this process could not keep since it was started',
      }),
    }),
  },
  errors: ['INVALID_INPUT'],
})

export const request_csv = fileOfList(request_list, 'requests')

export const request_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/requests/{httpRequestId}',
  tag: TAG,
  summary: 'Read a request',
  description:
    'Shows one request and its response with their bodies, by the `X-Request-Id` of the response. Text that may be secret or about a ' +
    'person is masked, and so are properties that the endpoint does not know.',
  params: Type.Object({ httpRequestId: PathId }),
  responses: { 200: LoggedRequest },
  errors: ['LOGGED_REQUEST_NOT_FOUND'],
})

export const requests = { request_list, request_csv, request_get }
