import { LOGGED_BODY_BYTES_MAX } from '@countersign/contract/platforms/request-log'
import type { Database } from '../db/engine/port.ts'
import type { LoggedRequestRow } from '../db/schema/audit-tables.ts'
import { parseJson, toJson } from '../json/json.ts'
import { type Actor, newId, plusSeconds } from '../op/app.ts'
import type { Metrics } from '../ports/metrics.ts'
import type { WaitingRequests } from '../ports/request-log.ts'
import { nameOf } from './actors.ts'
import { masked, maySecretsBeIn } from './mask.ts'
import { insertRequests } from './store.ts'

/** A request with its answer, as the server has seen it. */
export interface SeenRequest {
  readonly platformId: string
  readonly actor: Actor | undefined
  readonly operation: string
  readonly requestId: string
  readonly method: string
  readonly path: string
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

/** Takes the requests of this process. */
export interface RequestLog extends WaitingRequests {
  /** Keeps a request, or drops it where too many wait. Never fails and never waits. */
  add(request: SeenRequest): void
}

/** The most requests that wait, and the characters of their bodies. */
const WAITING_MAX = 5_000
const WAITING_CHARACTERS_MAX = 16 * 1024 * 1024
/** The most rows of one statement. */
const ROWS_MAX = 500
/** Of a unit of a text, in UTF-8. */
const BYTES_OF_CHARACTER_MAX = 3
/** Longer bodies are not read for the log: lists and files. */
const READ_CHARACTERS_MAX = 8 * LOGGED_BODY_BYTES_MAX
const BEGINS_LIKE_JSON = /^[[{]/
const DAY_SECONDS = 24 * 60 * 60

/** Whose answers hold secrets by another name, and the log itself. */
const UNANSWERED: ReadonlySet<string> = new Set([
  'sandbox_inbox_list',
  'sandbox_console_link',
  'document_link',
])
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
    const taken = waiting
    waiting = []
    characters = 0
    for (let at = 0; at < taken.length; at += ROWS_MAX) {
      const rows = taken.slice(at, at + ROWS_MAX).map((request) => rowOf(request, days))
      try {
        await insertRequests(db, rows)
      } catch (error) {
        drop(taken.length - at)
        throw error
      }
    }
  }
  return {
    add(request) {
      if (days === 0 || UNLOGGED.has(request.operation) || isOfPerson(request)) return
      const size = (request.requestBody?.length ?? 0) + (request.responseBody?.length ?? 0)
      if (waiting.length >= WAITING_MAX || characters + size > WAITING_CHARACTERS_MAX) return drop(1)
      characters += size
      waiting.push(request)
    },
    flush() {
      // One write at a time. An earlier one that failed was reported to who began it.
      underWay = underWay.catch(() => {}).then(write)
      return underWay
    },
    get dropped() {
      return dropped
    },
  }
}

/** What members look at is not kept: their pages read all the time. */
function isOfPerson({ method, actor }: SeenRequest): boolean {
  return method === 'GET' && (actor?.kind === 'member' || actor?.kind === 'visitor')
}

function rowOf(request: SeenRequest, days: number): LoggedRequestRow {
  const { operation, at, actor } = request
  const answer = UNANSWERED.has(operation) ? undefined : request.responseBody
  return {
    id: newId('LoggedRequest', at),
    platform_id: request.platformId,
    request: request.requestId,
    method: request.method,
    path: storable(request.path),
    query: request.query === undefined ? null : storable(request.query),
    status: request.status,
    code: request.code ?? null,
    duration_ms: Math.round(request.durationMs),
    ...((actor && nameOf(actor)) ?? { actor_type: null, actor_id: null, actor_name: null }),
    operation,
    idempotency_key: request.idempotencyKey === undefined ? null : storable(request.idempotencyKey),
    address: request.address,
    user_agent: request.userAgent === undefined ? null : storable(request.userAgent),
    request_body: bodyShown(request.requestBody, true, request.status < 400),
    response_body: bodyShown(answer, false, true),
    created_at: at,
    expires_at: plusSeconds(at, days * DAY_SECONDS),
  }
}

/**
 * A body with its secrets masked, cut. What is no JSON, or too long to be looked through, is left out: it may hold anything.
 * `isRead`: the server has read or written it as JSON where it begins like it.
 */
export function bodyShown(text: string | undefined, isRequest: boolean, isRead = false): string | null {
  if (!text || text.length > READ_CHARACTERS_MAX) return null
  // Nearly all bodies are without a secret. To read and write them again would cost more than the rest of the log.
  if (isRead && BEGINS_LIKE_JSON.test(text) && !maySecretsBeIn(text, isRequest)) return cut(storable(text))
  try {
    return cut(storable(toJson(masked(parseJson(text), isRequest))))
  } catch {
    return null
  }
}

function cut(text: string): string {
  if (text.length * BYTES_OF_CHARACTER_MAX <= LOGGED_BODY_BYTES_MAX) return text
  const bytes = Buffer.from(text)
  if (bytes.length <= LOGGED_BODY_BYTES_MAX) return text
  return `${bytes
    .subarray(0, LOGGED_BODY_BYTES_MAX - '…'.length * 3)
    .toString()
    .replace(/\uFFFD$/, '')}…`
}

/** PostgreSQL stores no U+0000 and no half of a pair. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\u0000', '\uFFFD')
}
