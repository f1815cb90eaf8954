import type { REVERSAL_STATES } from '@countersign/contract/operation/payment-decisions'
import type { Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'

/** The record of a payment out that a rail has carried. */
export interface CarriedPayment {
  readonly id: string
  readonly platform_id: string
}

/** Requests to a payee's bank to return a payment. */
export interface Reversals {
  /**
   * Queues a request, or returns the reason why it cannot be made now: an earlier request has not failed, or
   * this one would be sent too late. Guard: no other request was queued on the rail in the meantime.
   */
  request(read: Read, payment: CarriedPayment, now: Date): Promise<RequestedReversal | ReversalFault>
  /** All requests for a payment, in order. */
  list(read: Read, payment: CarriedPayment): Promise<readonly Reversal[]>
  /** Withdraws the request that is waiting for a file, if any. Guard: it is still waiting. */
  withdraw(read: Read, payment: CarriedPayment, now: Date): Promise<readonly Write[]>
}

export interface RequestedReversal {
  readonly writes: readonly Write[]
  readonly reversal: Reversal
}

export interface ReversalFault {
  readonly fault: 'NOT_SENT' | 'NOT_REVERSIBLE' | 'ALREADY_REQUESTED' | 'TOO_LATE' | 'TOO_MANY'
  readonly message: string
}

export interface Reversal {
  /** Starts at 1 for each payment. */
  readonly number: number
  readonly status: (typeof REVERSAL_STATES)[number]
  /** Why the request failed. */
  readonly failure?: string
}
