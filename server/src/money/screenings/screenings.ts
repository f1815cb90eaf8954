import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import { present } from '@countersign/contract/core/objects'
import type { ScreeningDirection } from '@countersign/contract/payments/screenings'
import { SCREENING_INITIAL, SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { toScreenedAddress } from '../../base/formats/screened-addresses.ts'
import { canSee, type Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { transition } from '../../kernel/operation/transition.ts'
import { event } from '../../kernel/outbox/events.ts'
import {
  ScreeningFailed,
  type ScreeningResult,
  type ScreeningWanted,
  toUnreadableResult,
} from '../../kernel/ports/screening.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import type { ScreeningRow } from '../../storage/rows/screening.ts'
import { selectScreening } from './store.ts'

const CLEAR = SCREENING_TRANSITIONS[SCREENING_INITIAL].clear

/** Throws 404 `SCREENING_NOT_FOUND`. */
export async function findScreening(op: Op, id: string): Promise<ScreeningRow> {
  const row = await selectScreening(op, id)
  if (!row || !canSee(op, null))
    throw new ApiError('SCREENING_NOT_FOUND', { details: { field: 'screeningId' } })
  return row
}

/**
 * The screening of a deposit or of a payment, by the id of its transaction. Undefined if it was never
 * screened.
 */
export async function findScreeningBySubject(
  op: Op,
  direction: ScreeningDirection,
  subject: string,
): Promise<ScreeningRow | undefined> {
  return selectScreening(op, deriveScreeningId(direction, subject))
}

function deriveScreeningId(direction: ScreeningDirection, subject: string): string {
  return buildId('Screening', deriveUuid(`Screening ${direction} ${subject}`))
}

/**
 * Screens an address for the first time. `row` is undefined if no screening is configured. The writes store
 * the result and report a hit; guard: no other run has stored a result; error: 503 `UNAVAILABLE` if the
 * address cannot be screened.
 */
export async function screen(
  op: Op,
  request: ScreeningWanted,
): Promise<{ readonly row?: ScreeningRow; readonly writes: readonly Write[] }> {
  if (!op.screening) return { writes: [] }
  const row = newScreening(op, request, await checkAddress(op, op.screening, request))
  const events = row.state === CLEAR ? [] : [event(op, 'SCREENING.WAITING', row.id, toScreeningView(row))]
  return { row, writes: [insert('screenings', row), ...events] }
}

async function checkAddress(
  op: Op,
  screening: NonNullable<Op['screening']>,
  request: ScreeningWanted,
): Promise<ScreeningResult> {
  try {
    const address = toScreenedAddress(request.address, request.network)
    const result =
      address === undefined ? toUnreadableResult(request) : await screening.check({ ...request, address })
    op.metrics.recordScreening(result.outcome)
    return result
  } catch (error) {
    if (!(error instanceof ScreeningFailed)) throw error
    op.metrics.recordScreening('FAILED')
    op.log.error({ subject: request.subject, why: error.message }, 'failed to screen address')
    throw new ApiError('UNAVAILABLE', { message: 'Address screening is unavailable. Try again.' })
  }
}

function newScreening(op: Op, request: ScreeningWanted, result: ScreeningResult): ScreeningRow {
  const { subject, direction, network, address, amount, currency } = request
  const isPayment = direction === 'PAY'
  const isHit = result.outcome === 'HIT'
  return {
    id: deriveScreeningId(direction, subject),
    platform_id: op.platform.id,
    direction,
    network,
    address,
    amount,
    currency,
    transaction_id: isPayment ? subject : null,
    deposit_id: isPayment ? null : subject,
    state: isHit ? SCREENING_INITIAL : CLEAR,
    list: isHit ? result.list : null,
    detail: isHit ? result.detail : null,
    note: null,
    decided_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Records the decision on a screening that is waiting for one. Guard: it is still waiting. */
export function decideScreening(
  op: Op,
  row: ScreeningRow,
  decision: 'release' | 'reject',
  note: string | undefined,
): { readonly row: ScreeningRow; readonly writes: readonly Write[] } {
  const change = { note: note ?? null, decided_at: op.now }
  const moved = transition(op, 'screenings', SCREENING_TRANSITIONS, row, decision, change)
  const decidedEvent = event(op, 'SCREENING.DECIDED', row.id, toScreeningView(moved.row))
  return { row: moved.row, writes: [moved.write, decidedEvent] }
}

/** A screening as the API shows it. */
export function toScreeningView(row: ScreeningRow) {
  if (!isKnownCurrency(row.currency)) throw new Error(`Unknown screening currency ${row.currency}`)
  return {
    ...present({
      transactionId: row.transaction_id,
      depositId: row.deposit_id,
      list: row.list,
      detail: row.detail,
      note: row.note,
      decidedAt: row.decided_at?.toISOString(),
    }),
    id: row.id,
    status: row.state,
    direction: row.direction,
    network: row.network,
    address: row.address,
    amount: { amount: row.amount, currency: toCurrencyRecord(row.currency) },
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}
