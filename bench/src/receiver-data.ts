/**
 * The index of each number that the receiver's thread shares. The thread writes all of them except `delayMs`.
 */
export const Cell = { requests: 0, connections: 1, lastAt: 2, delayMs: 3, port: 4, securePort: 5 } as const

/** The maximum number of stored ages. Later ages overwrite the oldest ones. */
export const AGES_MAX = 1 << 20

export interface ReceiverData {
  readonly cells: Float64Array
  /** The delay of each webhook in ms. The nth webhook's delay has the index n modulo `AGES_MAX`. */
  readonly ages: Float64Array
  readonly hangingPath: string
}
