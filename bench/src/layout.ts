/**
 * What the benches of payments ask the database of a server, beside its seeds (`seed.ts`, `copies.ts`): all that depends on the
 * layout of its tables.
 */

/** Finds due work: a payment that has not settled has some. */
export const DUE_WORK = 'SELECT 1 FROM jobs WHERE due_at <= now() LIMIT 1'

/** Of the payments that began at `$1` or later, the share that had settled by `$2`. */
export const SETTLED_SHARE = `SELECT (count(*) FILTER (WHERE settled_at <= $2))::float8 / greatest(count(*), 1) AS share
  FROM transactions WHERE created_at >= $1 AND type = 'OUTGOING'`
