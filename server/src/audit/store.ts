import { sql } from 'kysely'
import { uuidOf } from '../db/engine/ids.ts'
import type { Database } from '../db/engine/port.ts'
import type { Read } from '../db/read/read.ts'
import { whereGiven } from '../db/read/where-given.ts'
import type { AuditEventRow, LoggedRequestRow } from '../db/schema/audit-tables.ts'
import { toJson } from '../json/json.ts'

export interface AuditFilters {
  readonly actorId?: string
  readonly objectId?: string
  readonly customerId?: string
  readonly operation?: string
  readonly requestId?: string
  readonly startDate?: Date
  readonly endDate?: Date
}

/** The matching entries of a platform. */
export function selectAuditEvents(read: Read, platformId: string, filters: AuditFilters) {
  const { actorId, objectId, customerId, operation, requestId, startDate, endDate } = filters
  return (
    read
      .selectFrom('audit_events')
      .selectAll()
      .where('platform_id', '=', platformId)
      .$call((q) => whereGiven(q, 'actor_id', '=', actorId))
      // Lets the index of those who are no tokens be used.
      .$if(actorId !== undefined && !actorId.startsWith('Token:'), (q) =>
        q.where('actor_type', '<>', 'TOKEN'),
      )
      .$call((q) => whereGiven(q, 'object_id', '=', objectId))
      .$call((q) => whereGiven(q, 'customer_id', '=', customerId))
      .$call((q) => whereGiven(q, 'operation', '=', operation))
      .$call((q) => whereGiven(q, 'request', '=', requestId))
      .$call((q) => whereGiven(q, 'created_at', '>=', startDate))
      .$call((q) => whereGiven(q, 'created_at', '<', endDate))
  )
}

export async function selectAuditEvent(
  read: Read,
  platformId: string,
  id: string,
): Promise<AuditEventRow | undefined> {
  return read
    .selectFrom('audit_events')
    .selectAll()
    .where('id', '=', id)
    .where('platform_id', '=', platformId)
    .executeTakeFirst()
}

export interface RequestFilters {
  readonly requestId?: string
  readonly method?: string
  readonly status?: number
  /** The first digit of the status. */
  readonly statusClass?: number
  readonly path?: string
  readonly actorId?: string
  readonly startDate?: Date
  readonly endDate?: Date
}

/** The matching requests of a platform. */
export function selectRequests(read: Read, platformId: string, filters: RequestFilters) {
  const { requestId, method, status, statusClass, path, actorId, startDate, endDate } = filters
  return read
    .selectFrom('logged_requests')
    .selectAll()
    .where('platform_id', '=', platformId)
    .$call((q) => whereGiven(q, 'request', '=', requestId))
    .$call((q) => whereGiven(q, 'method', '=', method))
    .$call((q) => whereGiven(q, 'status', '=', status))
    .$if(statusClass !== undefined, (q) => q.where(sql<boolean>`status / 100 = ${statusClass}::integer`))
    .$if(path !== undefined, (q) => q.where(sql<boolean>`starts_with(path, ${path})`))
    .$call((q) => whereGiven(q, 'actor_id', '=', actorId))
    .$call((q) => whereGiven(q, 'created_at', '>=', startDate))
    .$call((q) => whereGiven(q, 'created_at', '<', endDate))
}

/** The newest request of this id. */
export async function selectRequest(
  read: Read,
  platformId: string,
  requestId: string,
): Promise<LoggedRequestRow | undefined> {
  return selectRequests(read, platformId, { requestId })
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
}

/** Keeps requests, in one statement. */
export async function insertRequests(db: Database, rows: readonly LoggedRequestRow[]): Promise<void> {
  const stored = rows.map((row) => ({
    ...row,
    id: uuidOf(row.id),
    platform_id: uuidOf(row.platform_id),
    actor_id: row.actor_id === null ? null : uuidOf(row.actor_id),
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
  }))
  await db.query(
    'INSERT INTO logged_requests SELECT * FROM jsonb_populate_recordset(NULL::logged_requests, $1::jsonb)',
    [toJson(stored)],
  )
}
