import type { auditEvents } from '@countersign/contract/platforms/audit-events'
import type { AuditEventRow } from '../db/schema/audit-tables.ts'
import { ApiError, type Handlers } from '../op/operation.ts'
import { page } from '../op/paging.ts'
import { present } from '../op/present.ts'
import { timeIfGiven } from '../op/time-range.ts'
import { actorView } from './actors.ts'
import { selectAuditEvent, selectAuditEvents } from './store.ts'

export const auditHandlers: Handlers<typeof auditEvents> = {
  audit_event_list: async (op, { query }) => {
    const { actorId, objectId, customerId, operation } = query
    const filters = present({
      ...{ actorId, objectId, customerId, operation },
      startDate: timeIfGiven(query.startDate),
      endDate: timeIfGiven(query.endDate),
    })
    return {
      status: 200,
      body: await page(op, query, {
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

function auditEventView(row: AuditEventRow) {
  const { wallet_session_id, object_id, customer_id, address, user_agent, before, after } = row
  return {
    id: row.id,
    at: row.created_at.toISOString(),
    actor: actorView(row),
    operation: row.operation,
    requestId: row.request,
    ...(wallet_session_id === null ? {} : { walletSessionId: wallet_session_id }),
    ...(object_id === null ? {} : { objectId: object_id }),
    ...(customer_id === null ? {} : { customerId: customer_id }),
    ...(address === null ? {} : { address }),
    ...(user_agent === null ? {} : { userAgent: user_agent }),
    ...(before === null ? {} : { before }),
    ...(after === null ? {} : { after }),
  }
}
