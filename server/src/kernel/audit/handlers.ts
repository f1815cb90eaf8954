import { present } from '@countersign/contract/core/objects'
import { type auditEvents, readRequestTime } from '@countersign/contract/operation/audit-events'
import type { AuditEventRow } from '../../storage/rows/audit.ts'
import type { Op } from '../operation/app.ts'
import { ApiError, createFieldError, type Handlers } from '../operation/operation.ts'
import { listPage } from '../operation/paging.ts'
import { parseOptionalTime } from '../operation/time-range.ts'
import { toActorView } from './actors.ts'
import { selectAuditEvent, selectAuditEvents } from './store.ts'

export const auditHandlers: Handlers<typeof auditEvents> = {
  audit_event_list: async (op, { query }) => {
    const { actorId, objectId, customerId, operation, httpRequestId } = query
    const filters = present({
      ...{ actorId, objectId, customerId, operation, httpRequestId },
      ...toTimeRange(op, query),
    })
    return {
      status: 200,
      body: await listPage(op, query, {
        rows: selectAuditEvents(op.read, op.platform.id, filters),
        table: 'audit_events',
        view: (rows) => rows.map(auditEventView),
      }),
    }
  },

  audit_event_get: async (op, { params }) => {
    const row = await selectAuditEvent(op.read, op.platform.id, params.auditEventId)
    if (!row) throw new ApiError('AUDIT_EVENT_NOT_FOUND', { details: { field: 'auditEventId' } })
    return { status: 200, body: auditEventView(row) }
  },
}

const HOUR_MS = 3_600_000

interface TimeFilters {
  readonly httpRequestId?: string
  readonly startDate?: string
  readonly endDate?: string
}

/**
 * The time range to search. Entries are indexed by time but not by request, so without a given time the range
 * surrounds the time in the request's id. It extends to the platform's clock, which may be ahead.
 */
function toTimeRange(op: Op, { httpRequestId, startDate, endDate }: TimeFilters) {
  if (httpRequestId === undefined || startDate !== undefined)
    return { startDate: parseOptionalTime(startDate), endDate: parseOptionalTime(endDate) }
  const madeAt = readRequestTime(httpRequestId)?.getTime()
  if (madeAt === undefined)
    throw createFieldError(
      'INVALID_INPUT',
      'startDate',
      'startDate is required with an httpRequestId that the server did not create, because such an id contains no time',
    )
  const last = madeAt + Number(op.platform.clock_offset_ms) + HOUR_MS
  return { startDate: new Date(madeAt - HOUR_MS), endDate: parseOptionalTime(endDate) ?? new Date(last) }
}

function auditEventView(row: AuditEventRow) {
  const { wallet_session_id, object_id, customer_id, address, user_agent, before, after } = row
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    actor: toActorView(row),
    operation: row.operation,
    httpRequestId: row.request,
    ...(wallet_session_id === null ? {} : { walletSessionId: wallet_session_id }),
    ...(object_id === null ? {} : { objectId: object_id }),
    ...(customer_id === null ? {} : { customerId: customer_id }),
    ...(address === null ? {} : { address }),
    ...(user_agent === null ? {} : { userAgent: user_agent }),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }
}
