import type { ScreeningDirection } from '@countersign/contract/payments/screenings'

/** Who knows the addresses that must not be paid, nor be credited from, without a person's word. */
export interface Screening {
  /**
   * Whether an address is on a list. Has no effect, so it may be asked again. Throws `ScreeningFailed` where nobody can say:
   * then nothing is paid and nothing is credited yet, and it is asked again.
   */
  check(wanted: ScreeningWanted): Promise<ScreeningResult>
}

export interface ScreeningWanted {
  /** `ETHEREUM`, `BASE`, `POLYGON`, …; `EVM` where a deposit names an address of that form and no chain. */
  readonly network: string
  readonly address: string
  /** PAY: before a payment to it. CREDIT: before a deposit from it is credited. */
  readonly direction: ScreeningDirection
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** The id of the transaction or the deposit, the same at every attempt. */
  readonly subject: string
}

export type ScreeningResult =
  | { readonly outcome: 'CLEAR' }
  /** `list` has 1 to 100 characters, `detail` 1 to 500, each on one line. */
  | { readonly outcome: 'HIT'; readonly list: string; readonly detail: string }

/** The answer for an address that cannot be read: nobody can say that it is on no list. */
export function unreadableAddress({ network }: Pick<ScreeningWanted, 'network'>): ScreeningResult {
  return { outcome: 'HIT', list: 'unreadable', detail: `The address cannot be read as one of ${network}` }
}

/** Nobody can say. The message may be logged. */
export class ScreeningFailed extends Error {}
