import type { RateTable } from '../../base/pricing/ratios.ts'

/** The source of rates. */
export interface RateProvider {
  /**
   * The current rates, at most about five minutes old while the source works (specification 8). Throws 503
   * `UNAVAILABLE` if no usable rates are left.
   */
  snapshot(): Promise<RateTable>
}
