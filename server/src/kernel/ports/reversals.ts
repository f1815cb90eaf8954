import type { REVERSAL_STATES } from '@countersign/contract/operation/payment-decisions'
import type { Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'

/** A payment out that a rail has carried, by its record. */
export interface CarriedPayment {
  readonly id: string
  readonly platform_id: string
}

/** Requests to the bank of a payee to give back a payment. */
export interface Reversals {
  /**
   * Queues a request, or returns the reason why none can be made now: an earlier one has not failed, or it would leave
   * too late. Guard: no other request of the rail was queued in the meantime.
   */
  request(read: Read, payment: CarriedPayment, now: Date): Promise<RequestedReversal | ReversalFault>
  /** All requests for a payment, in order. */
  list(read: Read, payment: CarriedPayment): Promise<readonly Reversal[]>
  /** Withdraws the request that waits for a file, if there is one. Guard: it still waits. */
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
  /** The first for a payment has 1. */
  readonly number: number
  readonly status: (typeof REVERSAL_STATES)[number]
  /** The reason why it has failed. */
  readonly failure?: string
}
