/** The numbers that a receiver's thread shares, each one's place. Written by the thread, except `delayMs`. */
export const Cell = { requests: 0, connections: 1, lastAt: 2, delayMs: 3 } as const

/** The number of ages that are kept. */
export const AGES_MAX = 1 << 20

export interface ReceiverData {
  readonly cells: Float64Array
  /** Of the nth request, at n modulo `AGES_MAX`. */
  readonly ages: Float64Array
  readonly hangingPath: string
}
