import type { RailPaymentEvent } from '../../storage/rows/states.ts'

/**
 * The event that a statement entry of each kind reports, and the direction of the payment: out, or pulled.
 */
export const PAYMENT_ENTRIES = {
  PAYMENT: { direction: 'OUT', event: 'deliver', isMoneyOut: true },
  PAYMENT_RETURN: { direction: 'OUT', event: 'return', isMoneyOut: false },
  PULL: { direction: 'PULL', event: 'deliver', isMoneyOut: false },
  PULL_RETURN: { direction: 'PULL', event: 'return', isMoneyOut: true },
} as const satisfies Record<
  string,
  { readonly direction: 'OUT' | 'PULL'; readonly event: RailPaymentEvent; readonly isMoneyOut: boolean }
>

export type PaymentEntryKind = keyof typeof PAYMENT_ENTRIES

export function isPaymentEntry(kind: string): kind is PaymentEntryKind {
  return Object.hasOwn(PAYMENT_ENTRIES, kind)
}
