import type { RateTable } from '../../base/pricing/ratios.ts'

/** A source of exchange rates. */
export interface RateProvider {
  /**
   * The current rates, at most about five minutes old as long as the source works (specification 8). Throws
   * 503 `UNAVAILABLE` if there are no usable rates.
   */
  snapshot(): Promise<RateTable>
}
