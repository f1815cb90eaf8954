import type { SuccessOf } from '@countersign/contract/core/endpoint'
import { type customer_erasure_get, ERASURE_KEEPS } from '@countersign/contract/customers/erasures'
import { ERASURE_INITIAL } from '@countersign/contract/states/customer-states'
import { addSeconds, type Op } from '../../kernel/operation/app.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { ErasureRow } from '../../storage/rows/erasure.ts'
import { selectErasure } from './store.ts'

type ErasureView = SuccessOf<typeof customer_erasure_get>['body']

const DAY_SECONDS = 24 * 60 * 60

/** The erasure of a customer, if one was requested. */
export async function findErasure(op: Op, customerId: string): Promise<ErasureRow | undefined> {
  return selectErasure(op, customerId)
}

/**
 * Creates the erasure of a deleted customer, with its jobs. Data without a retention period is erased now,
 * other data when its period ends. Guard: no other erasure was requested in the meantime.
 */
export function scheduleErasure(
  op: Op,
  customerId: string,
  deletedAt: Date,
): { readonly row: ErasureRow; readonly writes: readonly Write[] } {
  const retainedUntil = addSeconds(deletedAt, op.personalDataDays * DAY_SECONDS)
  const row: ErasureRow = {
    id: customerId,
    platform_id: op.platform.id,
    state: ERASURE_INITIAL,
    requested_at: op.now,
    erases_at: retainedUntil > op.now ? retainedUntil : op.now,
    erased_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
  const early = job(op, 'customer.erase', { customerId, isEarly: true }, op.now)
  return {
    row,
    writes: [insert('erasures', row), early, job(op, 'customer.erase', { customerId }, row.erases_at)],
  }
}

/** An erasure in its API form. */
export function toErasureView(row: ErasureRow): ErasureView {
  return {
    customerId: row.id,
    status: row.state,
    requestedAt: row.requested_at.toISOString(),
    erasesAt: row.erases_at.toISOString(),
    ...(row.erased_at === null ? {} : { erasedAt: row.erased_at.toISOString() }),
    keeps: ERASURE_KEEPS.map((exception) => ({ ...exception })),
  }
}
