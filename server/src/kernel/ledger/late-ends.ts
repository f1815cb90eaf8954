/** Limits for reading the transfers of a period by id. Ids begin with the time of creation. */

/**
 * The maximum difference between the clocks of two servers. A transfer may seem to end before it was created.
 */
export const SKEW_MS = 10 * 60 * 1000
/** `ledger_late_ends` lists the transfers that ended later than this after their creation. */
export const LATE_MS = 24 * 60 * 60 * 1000
