/** The failed attempts that one caller may make, and the time after which they are forgotten. */
export interface TryLimit {
  readonly triesMax: number
  readonly seconds: number
}

/**
 * What an attacker may guess: device codes, by one address or by a platform that reads their status; one device code,
 * by anyone; and tokens of agents.
 */
export const TRY_LIMITS = {
  deviceCodesByAddress: { triesMax: 20, seconds: 15 * 60 },
  deviceCodeReads: { triesMax: 20, seconds: 15 * 60 },
  deviceCode: { triesMax: 5, seconds: 15 * 60 },
  agentTokensByAddress: { triesMax: 100, seconds: 15 * 60 },
} as const satisfies Record<string, TryLimit>

export type TryKind = keyof typeof TRY_LIMITS
export type TryLimits = Readonly<Record<TryKind, TryLimit>>

/**
 * Counts failed attempts at secrets, in this process and in real time, because the limit applies to the machine at the
 * other end.
 */
export interface Tries {
  /** Error: 429 `RATE_LIMITED` with `Retry-After`, once `who` has failed too often. */
  check(kind: TryKind, who: string): void
  failed(kind: TryKind, who: string): void
}
