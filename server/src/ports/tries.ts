/** Failed tries that are allowed of one who tries, and the time after which they are forgotten. */
export interface TryLimit {
  readonly triesMax: number
  readonly seconds: number
}

/**
 * What may be guessed at: device codes by an address, or by a platform that reads them; one device code by anyone; and
 * tokens of agents.
 */
export const TRY_LIMITS = {
  deviceCodesByAddress: { triesMax: 20, seconds: 15 * 60 },
  deviceCodeReads: { triesMax: 20, seconds: 15 * 60 },
  deviceCode: { triesMax: 5, seconds: 15 * 60 },
  agentTokensByAddress: { triesMax: 100, seconds: 15 * 60 },
} as const satisfies Record<string, TryLimit>

export type TryKind = keyof typeof TRY_LIMITS
export type TryLimits = Readonly<Record<TryKind, TryLimit>>

/** Counts failed tries at secrets, in this process and in real time: what is limited is the machine at the other end. */
export interface Tries {
  /** Error: 429 `RATE_LIMITED` with `Retry-After`, once `who` has failed too often. */
  check(kind: TryKind, who: string): void
  failed(kind: TryKind, who: string): void
}
