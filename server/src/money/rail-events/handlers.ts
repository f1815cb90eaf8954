import { FAILURE_EVENT_TYPES } from '@countersign/contract/connectors/events'
import type { railEvents } from '@countersign/contract/connectors/rail-events'
import type { BodyOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { sandbox_rail_event, sandboxDeposits } from '@countersign/contract/sandbox/sandbox-deposits'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { nextState, transition } from '../../kernel/operation/transition.ts'
import { SANDBOX_RAIL } from '../../kernel/ports/rail.ts'
import { insert } from '../../storage/commit/writes.ts'
import { requireColumn } from '../../storage/read/required.ts'
import type { RailEventRow } from '../../storage/rows/rail.ts'
import { RAIL_EVENT_INITIAL, RAIL_EVENT_TRANSITIONS } from '../../storage/rows/states.ts'
import { findRailPayment } from '../rails/rail-payments.ts'
import { findCounterparty } from './apply-account-change.ts'
import { applyEvent } from './apply-evidence.ts'
import type { Report } from './evidence-of-event.ts'
import { buildRailEventRow } from './rail-events.ts'
import { selectRailEvent, selectRailEvents } from './store.ts'

const { apply: APPLIED, resolve: RESOLVED } = RAIL_EVENT_TRANSITIONS[RAIL_EVENT_INITIAL]

/** Reports of the sandbox's simulated bank, applied in the same way as real ones. */
export const sandboxRailEventHandlers: Pick<Handlers<typeof sandboxDeposits>, 'sandbox_rail_event'> = {
  sandbox_rail_event: async (op, { body }) => {
    const report = await buildSandboxReport(op, body)
    const applied = await applyEvent(op, SANDBOX_RAIL, report, 'SANDBOX')
    const row = buildRailEventRow(op, SANDBOX_RAIL, report, applied.reason, applied)
    const view = {
      ...toRailEventHeadView(row),
      ...present({ reason: row.reason }),
      status: row.state === APPLIED ? APPLIED : RAIL_EVENT_INITIAL,
    }
    return { status: 201, body: view, writes: [...applied.writes, insert('rail_events', row)] }
  },
}

async function buildSandboxReport(op: Op, body: BodyOf<typeof sandbox_rail_event>): Promise<Report> {
  const { type, paymentId: id, message, changes, code } = body
  const failure = { code: 'COUNTERPARTY_POST_TX_FAILED', message } as const
  const head = { id: op.newId('RailEvent'), occurredAt: op.now.toISOString() }
  if (type !== 'account.changed') {
    const [field] = Object.keys(present({ changes, code }))
    if (field) throw createFieldError('INVALID_INPUT', field, `${field} is allowed only for account.changed`)
    if (isSetback(type)) return { ...head, type, data: { id, failure } }
    return { ...head, type, data: type === 'payment.cancelled' ? { id, failure } : { id } }
  }
  if (!changes) throw createFieldError('INVALID_INPUT', 'changes', 'changes is required for account.changed')
  const data = { ...(await describePaidAccount(op, id)), id, changes, message, ...present({ code }) }
  return { ...head, type, data }
}

/** The amount of a payment or pull and the account identifier, as a bank would repeat them. */
async function describePaidAccount(op: Op, id: string) {
  const payout = await findRailPayment(op, 'OUT', id)
  const payment = payout ?? (await findRailPayment(op, 'PULL', id))
  const counterparty = payment && (await findCounterparty(op, payment))
  const { amount = 0n, currency = 'USD' } = payment ?? {}
  return {
    isPull: payment?.direction === 'PULL',
    amount: { value: String(amount), currency },
    sentTo: counterparty?.identifier ?? 'unknown',
  }
}

function isSetback(type: Report['type']): type is (typeof FAILURE_EVENT_TYPES)[number] {
  return FAILURE_EVENT_TYPES.some((one) => one === type)
}

export const railEventHandlers: Handlers<typeof railEvents> = {
  rail_event_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectRailEvents(op, query),
      table: 'rail_events',
      view: (rows) => rows.map(toRailEventView),
    }),
  }),

  rail_event_resolve: async (op, { params, body }) => {
    const row = await findWaiting(op, params.railEventId)
    const change = { note: body.note, resolved_at: op.now }
    const moved = transition(op, 'rail_events', RAIL_EVENT_TRANSITIONS, row, 'resolve', change)
    return { status: 200, body: toRailEventView(moved.row), writes: [moved.write] }
  },
}

/** Throws 404 `RAIL_EVENT_NOT_FOUND`, 409 `INVALID_STATE_TRANSITION` if the report is no longer waiting. */
async function findWaiting(op: Op, id: string): Promise<RailEventRow> {
  const row = await selectRailEvent(op, id)
  if (!row || row.state === APPLIED)
    throw new ApiError('RAIL_EVENT_NOT_FOUND', { details: { field: 'railEventId' } })
  if (nextState(RAIL_EVENT_TRANSITIONS, row.state, 'resolve') === null)
    throw new ApiError('INVALID_STATE_TRANSITION', { message: 'This report has already been resolved.' })
  return row
}

function toRailEventView(row: RailEventRow) {
  return {
    ...toRailEventHeadView(row),
    ...present({ note: row.note, resolvedAt: row.resolved_at?.toISOString() }),
    status: row.resolved_at === null ? RAIL_EVENT_INITIAL : RESOLVED,
    // The database guarantees a reason for every report that was not applied.
    reason: requireColumn(row, 'reason'),
  }
}

function toRailEventHeadView({ id, rail, type, body, created_at }: RailEventRow) {
  return { id, rail, type, body, createdAt: created_at.toISOString() }
}
