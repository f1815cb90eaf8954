import type { RateTable } from '../pricing/ratios.ts'

/** Where rates come from. */
export interface RateProvider {
  /**
   * The rates that hold now, at most about five minutes old while the source is well (specification 8). Error: 503
   * `UNAVAILABLE` where there are none that may still be used.
   */
  snapshot(): Promise<RateTable>
}
