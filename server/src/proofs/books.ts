import type { Database } from '../db/engine/port.ts'

/** Something that is not as it must be. */
export interface Finding {
  /** What was checked, such as `balance`. */
  readonly check: string
  /** The record that is wrong. */
  readonly id: string
  readonly expected: string
  readonly found: string
}

/** The most findings of one check. */
export const FINDINGS_MAX = 100

/** Each gives a row with `id`, `expected` and `found` for what is wrong, and reads the database at one moment. */
const RULES = {
  balance: `
    WITH moved AS (
      SELECT account_id, sum(amount) AS amount FROM ledger_entries GROUP BY 1
    ), waiting AS (
      SELECT debit_account_id AS account_id, sum(amount) AS held FROM ledger_transfers WHERE state = 'pending' GROUP BY 1
    )
    SELECT a.id,
      format('posted %s, held %s', coalesce(m.amount, 0) * side, coalesce(w.held, 0)) AS expected,
      format('posted %s, held %s', a.posted, a.held) AS found
    FROM (SELECT *, CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END AS side FROM ledger_accounts) AS a
      LEFT JOIN moved AS m ON m.account_id = a.id LEFT JOIN waiting AS w ON w.account_id = a.id
    WHERE a.posted <> coalesce(m.amount, 0) * side OR a.held <> coalesce(w.held, 0)`,
  currency: `
    SELECT platform_id AS id, format('a sum of 0 in %s', currency) AS expected,
      sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END)::text AS found
    FROM ledger_accounts GROUP BY platform_id, currency
    HAVING sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END) <> 0`,
  transfer: `
    SELECT t.id, 'between two accounts of its platform and currency' AS expected,
      format('%s, %s %s', t.state, t.amount, t.currency) AS found
    FROM ledger_transfers AS t
      LEFT JOIN ledger_accounts AS d ON d.id = t.debit_account_id LEFT JOIN ledger_accounts AS c ON c.id = t.credit_account_id
    WHERE t.amount <= 0 OR (d.platform_id = t.platform_id AND d.currency = t.currency) IS NOT TRUE
      OR (t.state = 'posted' AND (c.platform_id = t.platform_id AND c.currency = t.currency) IS NOT TRUE)`,
  hold: `
    SELECT t.id, 'held for a payment or a purchase that is open' AS expected, format('%s %s', t.cause, t.amount) AS found
    FROM ledger_transfers AS t
    WHERE t.state = 'pending' AND NOT EXISTS (SELECT 1 FROM transactions WHERE hold_id = t.id)
      AND NOT EXISTS (SELECT 1 FROM card_transactions WHERE hold_id = t.id)`,
  event: `
    SELECT object_id AS id, format('events 1 to %s', max(sequence)) AS expected,
      format('%s events, from %s', count(*), min(sequence)) AS found
    FROM events GROUP BY object_id HAVING max(sequence) <> count(*) OR min(sequence) <> 1`,
  told: `
    SELECT a.id, format('%s events', a.event_count) AS expected, format('the last one is %s', coalesce(e.last, 0)) AS found
    FROM ledger_accounts AS a
      LEFT JOIN (SELECT object_id, max(sequence) AS last FROM events GROUP BY 1) AS e ON e.object_id = a.id
    WHERE a.event_count <> coalesce(e.last, 0)`,
} as const

/** Checks the ledger against itself: what is stored twice is the same. */
export async function checkBooks(db: Database): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, sql] of Object.entries(RULES)) {
    const { rows } = await db.query<Omit<Finding, 'check'>>(`${sql} ORDER BY 1 LIMIT ${FINDINGS_MAX}`, [], {
      isLong: true,
    })
    findings.push(...rows.map((row) => ({ check, ...row })))
  }
  return findings
}

/** How much there is to check. */
export interface Extent {
  readonly accounts: bigint
  readonly transfers: bigint
  readonly events: bigint
}

export async function measureBooks(db: Database): Promise<Extent> {
  const { rows } = await db.query<Extent>(
    `SELECT (SELECT count(*) FROM ledger_accounts) AS accounts, (SELECT count(*) FROM ledger_transfers) AS transfers,
       (SELECT count(*) FROM events) AS events`,
    [],
    { isLong: true },
  )
  return rows[0]!
}

/** Transfers that have ended, by where the chain has them. One statement, so one moment. */
export interface Coverage {
  readonly ended: bigint
  readonly before: bigint
  readonly chained: bigint
  readonly queued: bigint
}

export async function findCoverage(db: Database): Promise<Coverage> {
  const { rows } = await db.query<Coverage>(
    `SELECT (SELECT count(*) FROM ledger_transfers WHERE state <> 'pending') AS ended,
       (SELECT transfer_count FROM proof_start) AS before,
       (SELECT coalesce(sum(cardinality(transfer_ids)), 0)::bigint FROM proof_blocks) AS chained,
       (SELECT coalesce(sum(cardinality(transfer_ids)), 0)::bigint FROM proof_queue) AS queued`,
    [],
    { isLong: true },
  )
  return rows[0]!
}

/** Transfers that have ended and that neither the chain nor its queue knows. */
export async function findUnknownTransfers(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ id: string }>(
    `WITH known AS (SELECT unnest(transfer_ids) AS transfer_id FROM proof_blocks
       UNION ALL SELECT unnest(transfer_ids) FROM proof_queue)
     SELECT id FROM ledger_transfers WHERE state <> 'pending' AND id NOT IN (SELECT transfer_id FROM known)
     ORDER BY id LIMIT ${FINDINGS_MAX}`,
    [],
    { isLong: true },
  )
  return rows.map(({ id }) => id)
}
