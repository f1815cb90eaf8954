import type { RailEventRow, RailPaymentRow } from '../src/storage/rows/rail.ts'

/** A payment that was given to a rail, with a value in nearly every column. */
export function railPayment(platformId: string, id: string, paymentId: string, now: Date): RailPaymentRow {
  return {
    id,
    platform_id: platformId,
    rail: 'bank',
    direction: 'OUT',
    payment_id: paymentId,
    amount: 9_007_199_254_740_993n,
    currency: 'USD',
    state: 'GIVEN',
    reference: 'CS1',
    rail_reference: null,
    transaction_hash: null,
    failure: { code: 'OFFRAMP_FAILED', message: '"quoted" \\' },
    submit_at: now,
    delivered_at: null,
    returned_at: null,
    created_at: now,
    updated_at: now,
  }
}

/** A report that nobody knows the payment of. */
export function railEvent(platformId: string, id: string, now: Date): RailEventRow {
  return {
    id,
    platform_id: platformId,
    rail: 'bank',
    type: 'payment.delivered',
    body: { data: { exact: 9_007_199_254_740_993n } },
    state: 'WAITING',
    reason: 'UNKNOWN_PAYMENT',
    note: null,
    resolved_at: null,
    created_at: now,
  }
}
