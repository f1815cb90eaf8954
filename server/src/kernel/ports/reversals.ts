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
   * Queues a request, or returns the reason why none can be made now: an earlier one has not failed, or it would be too
   * late. Guard: no other request was queued in the meantime.
   */
  request(read: Read, payment: CarriedPayment, now: Date): Promise<RequestedReversal | ReversalFault>
  /** The progress of a request. The first for a payment has the number 1. */
  find(read: Read, payment: CarriedPayment, number: number): Promise<Reversal | undefined>
  findLast(read: Read, payment: CarriedPayment): Promise<Reversal | undefined>
}

export interface RequestedReversal {
  readonly writes: readonly Write[]
  readonly reversal: Reversal
}

export interface ReversalFault {
  readonly fault: 'NOT_SENT' | 'NOT_REVERSIBLE' | 'ALREADY_REQUESTED' | 'TOO_LATE'
  readonly message: string
}

export interface Reversal {
  readonly number: number
  readonly status: (typeof REVERSAL_STATES)[number]
  /** The reason why it has failed. */
  readonly failure?: string
}
