/** The failed attempts allowed per caller, and the time after which they are forgotten. */
export interface AttemptLimit {
  readonly attemptsMax: number
  readonly seconds: number
}

/**
 * Secrets that an attacker may guess: device codes, by one address or by a platform that reads their status;
 * one device code, by anyone; tokens of agents and customers; cookies of team members; one passkey, link or
 * email address of a team member's sign-in, by anyone, unless it proves right; requests for codes for one
 * email address; and links to verification pages. IPv6 addresses are counted by their /64.
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
 * Counts failed guesses of secrets, in this process and in real time, because the limit applies to the remote
 * machine.
 */
export interface FailedAttempts {
  /** Throws 429 `RATE_LIMITED` with `Retry-After` if `caller` has failed too often. */
  check(kind: AttemptKind, caller: string): void
  recordFailure(kind: AttemptKind, caller: string): void
}
