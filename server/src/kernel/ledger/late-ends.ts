/** Times for reading the transfers of a period by their ids, which begin with the time of their creation. */

/** The maximum difference between the clocks of two servers: a transfer may seem to end before it was made. */
export const SKEW_MS = 10 * 60 * 1000
/** `ledger_late_ends` has the transfers that ended later than this after their creation. */
export const LATE_MS = 24 * 60 * 60 * 1000
