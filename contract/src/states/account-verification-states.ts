export const ACCOUNT_VERIFICATION_STATES = ['PENDING', 'VERIFIED', 'FAILED', 'EXPIRED'] as const
export type AccountVerificationState = (typeof ACCOUNT_VERIFICATION_STATES)[number]

export const ACCOUNT_VERIFICATION_EVENTS = ['mistake', 'verify', 'fail', 'expire'] as const
export type AccountVerificationEvent = (typeof ACCOUNT_VERIFICATION_EVENTS)[number]

const FINAL = { mistake: null, verify: null, fail: null, expire: null } as const

/**
 * `mistake`: the amounts were wrong, and attempts remain. `fail`: the last attempt was wrong, a deposit
 * failed or was returned, or the account was changed or removed.
 */
export const ACCOUNT_VERIFICATION_TRANSITIONS = {
  PENDING: { mistake: 'PENDING', verify: 'VERIFIED', fail: 'FAILED', expire: 'EXPIRED' },
  VERIFIED: { ...FINAL, fail: 'FAILED' },
  FAILED: FINAL,
  EXPIRED: FINAL,
} as const satisfies Record<
  AccountVerificationState,
  Record<AccountVerificationEvent, AccountVerificationState | null>
>
export const ACCOUNT_VERIFICATION_INITIAL = 'PENDING' satisfies AccountVerificationState
