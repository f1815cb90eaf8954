import { keysOf } from '@countersign/contract/core/objects'
import { readRequestTime } from '@countersign/contract/operation/audit-events'
import { sql } from 'kysely'
import { encodeBinaryArray } from '../../storage/commit/binary-array.ts'
import { extractUuid, readUuidTime } from '../../storage/engine/ids.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import { whereIfDefined } from '../../storage/read/where-given.ts'
import type { AuditEventRow, LoggedRequestRow } from '../../storage/rows/audit.ts'
import type { BinaryType } from '../../storage/rows/row-columns.ts'

export interface AuditFilters {
  readonly actorId?: string
  readonly objectId?: string
  readonly customerId?: string
  readonly operation?: string
  readonly httpRequestId?: string
  readonly startDate?: Date
  readonly endDate?: Date
}

/** The entries of a platform that match the filters. */
export function selectAuditEvents(read: Read, platformId: string, filters: AuditFilters) {
  const { actorId, objectId, customerId, operation, httpRequestId, startDate, endDate } = filters
  return (
    read
      .selectFrom('audit_events')
      .selectAll()
      .where('platform_id', '=', platformId)
      .$call((q) => whereIfDefined(q, 'actor_id', '=', actorId))
      // Lets PostgreSQL use the index on actors that are not tokens.
      .$if(actorId !== undefined && !actorId.startsWith('Token:'), (q) =>
        q.where('actor_type', '<>', 'TOKEN'),
      )
      .$call((q) => whereIfDefined(q, 'object_id', '=', objectId))
      .$call((q) => whereIfDefined(q, 'customer_id', '=', customerId))
      .$call((q) => whereIfDefined(q, 'operation', '=', operation))
      .$call((q) => whereIfDefined(q, 'request', '=', httpRequestId))
      .$call((q) => whereIfDefined(q, 'created_at', '>=', startDate))
      .$call((q) => whereIfDefined(q, 'created_at', '<', endDate))
  )
}

/** The primary key starts with the time of an entry, which the id contains. */
export async function selectAuditEvent(
  read: Read,
  platformId: string,
  id: string,
): Promise<AuditEventRow | undefined> {
  return read
    .selectFrom('audit_events')
    .selectAll()
    .where('platform_id', '=', platformId)
    .where('created_at', '=', readUuidTime(extractUuid(id)))
    .where('id', '=', id)
    .executeTakeFirst()
}

export interface RequestFilters {
  readonly httpRequestId?: string
  readonly callerRequestId?: string
  readonly method?: string
  readonly status?: number
  /** The first digit of the status. */
  readonly statusClass?: number
  readonly path?: string
  readonly actorId?: string
  readonly startDate?: Date
  readonly endDate?: Date
}

/** The requests of a platform that match the filters. */
export function selectRequests(read: Read, platformId: string, filters: RequestFilters) {
  const { httpRequestId, callerRequestId, method, status, statusClass, path, actorId, startDate, endDate } =
    filters
  return read
    .selectFrom('logged_requests')
    .selectAll()
    .where('platform_id', '=', platformId)
    .$if(httpRequestId !== undefined, (q) => q.where(isRequest(httpRequestId)))
    .$call((q) => whereIfDefined(q, 'caller_request', '=', callerRequestId))
    .$call((q) => whereIfDefined(q, 'method', '=', method))
    .$call((q) => whereIfDefined(q, 'status', '=', status))
    .$if(statusClass !== undefined, (q) => q.where(sql<boolean>`status / 100 = ${statusClass}::integer`))
    .$if(path !== undefined, (q) => q.where(sql<boolean>`starts_with(path, ${path})`))
    .$call((q) => whereIfDefined(q, 'actor_id', '=', actorId))
    .$call((q) => whereIfDefined(q, 'created_at', '>=', startDate))
    .$call((q) => whereIfDefined(q, 'created_at', '<', endDate))
}

/** The id of a request contains its time, by which rows are found. */
function isRequest(httpRequestId = '') {
  const at = readRequestTime(httpRequestId)
  return at ? sql<boolean>`created_at = ${at} AND request = ${httpRequestId}` : sql<boolean>`false`
}

/** Finds a request by id. */
export async function selectRequest(
  read: Read,
  platformId: string,
  httpRequestId: string,
): Promise<LoggedRequestRow | undefined> {
  return selectRequests(read, platformId, { httpRequestId })
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

const LOGGED = {
  id: 'uuid',
  platform_id: 'uuid',
  request: 'text',
  caller_request: 'text',
  method: 'text',
  path: 'text',
  query: 'text',
  status: 'integer',
  code: 'text',
  duration_ms: 'integer',
  actor_type: 'text',
  actor_id: 'uuid',
  actor_name: 'text',
  operation: 'text',
  idempotency_key: 'text',
  address: 'text',
  user_agent: 'text',
  request_body: 'text',
  response_body: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
} as const satisfies Record<keyof LoggedRequestRow, BinaryType>
const LOGGED_COLUMNS = keysOf(LOGGED)
const INSERT_REQUESTS = `INSERT INTO logged_requests (${LOGGED_COLUMNS.join(', ')})
  SELECT * FROM unnest(${LOGGED_COLUMNS.map((name, index) => `$${index + 1}::${LOGGED[name]}[]`).join(', ')})`

/** Inserts several requests in one statement. */
export async function insertRequests(db: Database, rows: readonly LoggedRequestRow[]): Promise<void> {
  await db.query(
    INSERT_REQUESTS,
    LOGGED_COLUMNS.map((name) =>
      encodeBinaryArray(
        LOGGED[name],
        rows.map((row) => row[name]),
      ),
    ),
  )
}
