import { present } from '@countersign/contract/core/objects'
import type { requests } from '@countersign/contract/operation/request-log'
import type { LoggedRequestRow } from '../../storage/rows/audit.ts'
import { ApiError, type Handlers } from '../operation/operation.ts'
import { listPage } from '../operation/paging.ts'
import { parseOptionalTime } from '../operation/time-range.ts'
import { toActorView } from './actors.ts'
import { selectRequest, selectRequests } from './store.ts'

export const requestLogHandlers: Handlers<typeof requests> = {
  request_list: async (op, { query }) => {
    // Lets callers find their own last request, if this process served it.
    await op.requestLog.flush()
    const { httpRequestId, callerRequestId, method, status, statusClass, path, actorId } = query
    const filters = present({
      ...{ httpRequestId, callerRequestId, method, status, path, actorId },
      statusClass: statusClass && Number(statusClass[0]),
      startDate: parseOptionalTime(query.startDate),
      endDate: parseOptionalTime(query.endDate),
    })
    const list = await listPage(op, query, {
      rows: selectRequests(op.read, op.platform.id, filters),
      table: 'logged_requests',
      view: (rows) => rows.map(toRequestSummaryView),
    })
    return { status: 200, body: { ...list, dropped: op.requestLog.dropped } }
  },

  request_get: async (op, { params }) => {
    await op.requestLog.flush()
    const row = await selectRequest(op.read, op.platform.id, params.httpRequestId)
    if (!row) throw new ApiError('LOGGED_REQUEST_NOT_FOUND', { details: { field: 'httpRequestId' } })
    const bodies = present({ requestBody: row.request_body, responseBody: row.response_body })
    return { status: 200, body: { ...toRequestSummaryView(row), ...bodies } }
  },
}

function toRequestSummaryView(row: LoggedRequestRow) {
  const { actor_type, actor_id, actor_name } = row
  return {
    httpRequestId: row.request,
    at: row.created_at.toISOString(),
    method: row.method as 'GET',
    path: row.path,
    status: row.status,
    durationMs: row.duration_ms,
    operation: row.operation,
    ...(actor_type === null ? {} : { actor: toActorView({ actor_type, actor_id, actor_name }) }),
    ...present({
      callerRequestId: row.caller_request,
      query: row.query,
      code: row.code,
      idempotencyKey: row.idempotency_key,
      address: row.address,
      userAgent: row.user_agent,
    }),
  }
}
