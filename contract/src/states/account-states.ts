export const INTERNAL_ACCOUNT_STATUSES = ['PENDING', 'ACTIVE', 'CLOSED', 'FROZEN'] as const
export type InternalAccountStatus = (typeof INTERNAL_ACCOUNT_STATUSES)[number]
export type InternalAccountEvent = 'approve'

/**
 * The status of an internal account (specification 2.9). While its customer's verification is pending, it is
 * PENDING and cannot receive money.
 */
export const INTERNAL_ACCOUNT_TRANSITIONS = {
  PENDING: { approve: 'ACTIVE' },
  ACTIVE: { approve: null },
  CLOSED: { approve: null },
  FROZEN: { approve: null },
} as const satisfies Record<InternalAccountStatus, Record<InternalAccountEvent, InternalAccountStatus | null>>
export const INTERNAL_ACCOUNT_INITIAL = 'PENDING' satisfies InternalAccountStatus
