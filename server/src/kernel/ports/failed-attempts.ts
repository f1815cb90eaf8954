/** The failed attempts that a caller may make, and the time after which they are forgotten. */
export interface AttemptLimit {
  readonly attemptsMax: number
  readonly seconds: number
}

/**
 * Limits for secrets that an attacker could guess: device codes (per address, per code, and per platform
 * reading their status), tokens of agents and customers, session cookies of team members, links to
 * verification pages, a team member's passkey, sign-in link or email code (by anyone, unless it is correct),
 * and requests for codes per email address. IPv6 addresses are counted per /64.
 */
export const ATTEMPT_LIMITS = {
  deviceCodesByAddress: { attemptsMax: 20, seconds: 15 * 60 },
  deviceCodeReads: { attemptsMax: 20, seconds: 15 * 60 },
  deviceCode: { attemptsMax: 5, seconds: 15 * 60 },
  bearerTokensByAddress: { attemptsMax: 100, seconds: 15 * 60 },
  memberCookiesByAddress: { attemptsMax: 1_000, seconds: 15 * 60 },
  memberSignIns: { attemptsMax: 50, seconds: 15 * 60 },
  memberCodesByEmail: { attemptsMax: 5, seconds: 15 * 60 },
  kycLinksByAddress: { attemptsMax: 100, seconds: 15 * 60 },
} as const satisfies Record<string, AttemptLimit>

export type AttemptKind = keyof typeof ATTEMPT_LIMITS
export type AttemptLimits = Readonly<Record<AttemptKind, AttemptLimit>>

/**
 * Counts failed attempts to guess secrets, in this process and in real time, because the limit is about the
 * remote machine.
 */
export interface FailedAttempts {
  /** Throws 429 `RATE_LIMITED` with `Retry-After` if `caller` has failed too often. */
  check(kind: AttemptKind, caller: string): void
  recordFailure(kind: AttemptKind, caller: string): void
}
