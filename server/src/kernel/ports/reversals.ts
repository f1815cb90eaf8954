import type { REVERSAL_STATES } from '@countersign/contract/operation/payment-decisions'
import type { Write } from '../../storage/commit/writes.ts'
import type { Read } from '../../storage/read/read.ts'

/** A payment that a rail has carried, by its record. */
export interface CarriedPayment {
  readonly id: string
  readonly platform_id: string
}

/** Requests to the bank at the other end to give back a payment, or to take back a pull. */
export interface Reversals {
  /** Queues the only request for a payment, or returns the reason why it cannot be made. Guard: the request is the first. */
  request(
    read: Read,
    payment: CarriedPayment,
    now: Date,
  ): Promise<RequestedReversal | { readonly fault: string }>
  /** The progress of the request for a payment. */
  find(read: Read, payment: CarriedPayment): Promise<Reversal | undefined>
}

export interface RequestedReversal {
  readonly writes: readonly Write[]
  readonly reversal: Reversal
}

export interface Reversal {
  readonly status: (typeof REVERSAL_STATES)[number]
  /** The reason why it has failed. */
  readonly failure?: string
}
