import type { Endpoint } from '@countersign/contract/core/endpoint'
import { ErrorBody } from '@countersign/contract/core/errors'
import { LOGGED_BODY_BYTES_MAX } from '@countersign/contract/operation/request-log'
import { parseJson, toJson } from '../../base/json/json.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { LoggedRequestRow } from '../../storage/rows/audit.ts'
import { type Actor, addSeconds, newId } from '../operation/app.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { WaitingRequests } from '../ports/request-log.ts'
import { nameActor } from './actors.ts'
import { canContainMasked, MASKED, maskPath, maskQuery, maskValue } from './masking/mask.ts'
import { insertRequests } from './store.ts'

/** A request and its response as the server saw them. */
export interface SeenRequest {
  readonly platformId: string
  readonly actor: Actor | undefined
  readonly operation: string
  readonly endpoint: LoggedEndpoint
  readonly httpRequestId: string
  /** The request id that the caller sent. */
  readonly callerRequestId: string | undefined
  readonly method: string
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  readonly query: string | undefined
  readonly status: number
  readonly code: string | undefined
  readonly durationMs: number
  readonly idempotencyKey: string | undefined
  readonly address: string
  readonly userAgent: string | undefined
  readonly requestBody: string | undefined
  readonly responseBody: string | undefined
  readonly at: Date
}

/** The parts of an endpoint that determine how to mask its calls. */
export type LoggedEndpoint = Pick<Endpoint, 'path' | 'params' | 'query' | 'body' | 'responses'>

/** Collects the requests of this process. */
export interface RequestLog extends WaitingRequests {
  /** Queues a request, or drops it if the queue is full. Never fails and never blocks. */
  add(request: SeenRequest): void
}

/** Limits of the queue: the number of requests, and of characters in their bodies. */
const WAITING_MAX = 5_000
const WAITING_CHARACTERS_MAX = 16 * 1024 * 1024
/** The maximum number of rows per statement. */
const ROWS_MAX = 500
/** The maximum number of UTF-8 bytes per UTF-16 unit. */
const BYTES_OF_CHARACTER_MAX = 3
/** Longer bodies, such as lists and files, are not parsed for the log. */
const READ_CHARACTERS_MAX = 8 * LOGGED_BODY_BYTES_MAX
const BEGINS_LIKE_JSON = /^[[{]/
const DAY_SECONDS = 24 * 60 * 60

/** Reads of the log itself are not logged. */
const UNLOGGED: ReadonlySet<string> = new Set(['request_list', 'request_get'])

export function createRequestLog(
  db: Database,
  days: number,
  metrics: Pick<Metrics, 'requestsNotLogged'>,
): RequestLog {
  let waiting: SeenRequest[] = []
  let characters = 0
  let dropped = 0
  let underWay: Promise<void> = Promise.resolve()
  const drop = (count: number) => {
    dropped += count
    metrics.requestsNotLogged(count)
  }
  const write = async () => {
    const batch = waiting
    waiting = []
    characters = 0
    for (let offset = 0; offset < batch.length; offset += ROWS_MAX) {
      const rows = batch.slice(offset, offset + ROWS_MAX).map((request) => toRow(request, days))
      try {
        await insertRequests(db, rows)
      } catch (error) {
        drop(batch.length - offset)
        throw error
      }
    }
  }
  return {
    add(request) {
      if (days === 0 || UNLOGGED.has(request.operation) || isMemberRead(request)) return
      const size = (request.requestBody?.length ?? 0) + (request.responseBody?.length ?? 0)
      if (waiting.length >= WAITING_MAX || characters + size > WAITING_CHARACTERS_MAX) return drop(1)
      characters += size
      waiting.push(request)
    },
    flush() {
      // Runs one write at a time. The error of a failed write was already returned to its caller.
      underWay = underWay.catch(() => {}).then(write)
      return underWay
    },
    get dropped() {
      return dropped
    },
  }
}

/** True for reads by team members. They are not logged, because console pages poll constantly. */
function isMemberRead({ method, actor }: SeenRequest): boolean {
  return method === 'GET' && (actor?.kind === 'member' || actor?.kind === 'visitor')
}

function toRow(request: SeenRequest, days: number): LoggedRequestRow {
  const { operation, at, actor } = request
  const logged = toLoggedRequest(request)
  return {
    id: newId('LoggedRequest', at),
    platform_id: request.platformId,
    request: request.httpRequestId,
    caller_request: request.callerRequestId ?? null,
    method: request.method,
    path: toStorable(logged.path),
    query: logged.query === null ? null : toStorable(logged.query),
    status: request.status,
    code: request.code ?? null,
    duration_ms: Math.round(request.durationMs),
    ...((actor && nameActor(actor)) ?? { actor_type: null, actor_id: null, actor_name: null }),
    operation,
    idempotency_key: request.idempotencyKey === undefined ? null : toStorable(request.idempotencyKey),
    address: request.address,
    user_agent: request.userAgent === undefined ? null : toStorable(request.userAgent),
    request_body: logged.requestBody,
    response_body: logged.responseBody,
    created_at: at,
    expires_at: addSeconds(at, days * DAY_SECONDS),
  }
}

/**
 * A request and its response as the log shows them: masked according to the endpoint's schemas, with
 * truncated bodies.
 */
export function toLoggedRequest({
  endpoint: { path: pattern, params: paramsSchema, query: querySchema, body, responses },
  status,
  ...seen
}: Pick<SeenRequest, 'endpoint' | 'path' | 'params' | 'query' | 'status' | 'requestBody' | 'responseBody'>) {
  const hidden = new Set<string>()
  const hide = (value: unknown) => collectTexts(value, hidden)
  const path = maskPath(paramsSchema, { path: seen.path, pattern, params: seen.params })
  if (path !== seen.path) hide(Object.values(seen.params))
  const query = seen.query === undefined ? null : maskQuery(querySchema, seen.query, hide)
  const requestBody = formatBody(seen.requestBody, (value) => maskValue(body, value, 'logs', hide))
  const responseSchema = status < 400 ? responses[status] : ErrorBody
  const responseBody =
    responseSchema && status < 400 && !canContainMasked(responseSchema, seen.responseBody ?? '')
      ? reuseBody(seen.responseBody)
      : formatBody(seen.responseBody, (value) =>
          removeTexts(maskValue(responseSchema ?? undefined, value, 'logs'), status < 400 ? [] : [...hidden]),
        )
  return { path, query, requestBody, responseBody }
}

/** Shorter strings occur in ordinary sentences. */
const ECHO_CHARACTERS_MIN = 4

/** Collects the strings in a masked value, because an error message may repeat them. */
function collectTexts(value: unknown, texts: Set<string>): void {
  if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      collectTexts(name, texts)
      collectTexts(member, texts)
    }
    return
  }
  const text = String(value)
  if (text.length >= ECHO_CHARACTERS_MIN) texts.add(text)
}

/** Replaces strings masked elsewhere. */
function removeTexts(value: unknown, hidden: readonly string[]): unknown {
  if (hidden.length === 0) return value
  if (typeof value === 'string')
    return hidden.reduce((text, hiddenText) => text.replaceAll(hiddenText, MASKED), value)
  if (Array.isArray(value)) return value.map((item) => removeTexts(item, hidden))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [removeTexts(name, hidden), removeTexts(member, hidden)]),
  )
}

/**
 * A body as masked by `mask`, truncated. Bodies that are not JSON, or too long to parse, are omitted because
 * they may contain anything.
 */
function formatBody(text: string | undefined, mask: (value: unknown) => unknown): string | null {
  if (!text || text.length > READ_CHARACTERS_MAX) return null
  try {
    return truncate(toStorable(toJson(mask(parseJson(text)))))
  } catch {
    return null
  }
}

/**
 * A response with nothing to mask, as sent: parsing and serializing it again would cost more than the rest of
 * the log.
 */
function reuseBody(text: string | undefined): string | null {
  if (!text || text.length > READ_CHARACTERS_MAX || !BEGINS_LIKE_JSON.test(text)) return null
  return truncate(toStorable(text))
}

function truncate(text: string): string {
  if (text.length * BYTES_OF_CHARACTER_MAX <= LOGGED_BODY_BYTES_MAX) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= LOGGED_BODY_BYTES_MAX) return text
  return `${bytes
    .subarray(0, LOGGED_BODY_BYTES_MAX - '…'.length * 3)
    .toString()
    .replace(/\uFFFD$/, '')}…`
}

/** Replaces what PostgreSQL cannot store: U+0000 and unpaired surrogates. */
function toStorable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
