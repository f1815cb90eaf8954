import type { ScreeningDirection } from '@countersign/contract/payments/screenings'

/**
 * Screens addresses. Nothing is paid to a listed address, or credited from one, without a person's decision.
 */
export interface Screening {
  /**
   * Screens an address. Has no effects, so it can be repeated. Throws `ScreeningFailed` if screening is
   * unavailable: nothing is paid or credited until a retry succeeds.
   */
  check(wanted: ScreeningWanted): Promise<ScreeningResult>
}

export interface ScreeningWanted {
  /** `ETHEREUM`, `BASE`, `POLYGON`, …, or `EVM` if a deposit states an EVM address but no chain. */
  readonly network: string
  readonly address: string
  /** PAY: before a payment to the address. CREDIT: before a deposit from it is credited. */
  readonly direction: ScreeningDirection
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** The id of the transaction or deposit, the same for every attempt. */
  readonly subject: string
}

export type ScreeningResult =
  | { readonly outcome: 'CLEAR' }
  /** `list` has 1 to 100 characters and `detail` 1 to 500, each on a single line. */
  | { readonly outcome: 'HIT'; readonly list: string; readonly detail: string }

/** The result for an unreadable address, which can never be cleared. */
export function toUnreadableResult({ network }: Pick<ScreeningWanted, 'network'>): ScreeningResult {
  return { outcome: 'HIT', list: 'unreadable', detail: `The address is not a valid ${network} address` }
}

/** Screening is unavailable. The message may be logged. */
export class ScreeningFailed extends Error {}
