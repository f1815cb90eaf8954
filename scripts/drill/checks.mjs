import { query } from '../cluster/cluster.mjs'
import { until } from '../cluster/program.mjs'

const DATABASE = 'countersign'

/** Each gives rows only where something is wrong. */
const RULES = {
  'accounts whose balance is not the sum of their entries': `
    WITH entries AS (SELECT account_id, sum(amount)::bigint AS amount FROM ledger_entries GROUP BY 1),
      holds AS (SELECT debit_account_id AS account_id, sum(amount)::bigint AS held FROM ledger_transfers
        WHERE state = 'pending' GROUP BY 1)
    SELECT a.id FROM ledger_accounts a LEFT JOIN entries e ON e.account_id = a.id LEFT JOIN holds h ON h.account_id = a.id
    WHERE a.posted <> coalesce(e.amount, 0) * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END
      OR a.held <> coalesce(h.held, 0) OR a.held < 0 OR (NOT a.may_overdraw AND a.posted < a.held)`,
  'currencies that do not sum to zero': `
    SELECT currency FROM ledger_accounts GROUP BY currency
    HAVING sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END) <> 0`,
  'objects whose events have gaps': `
    SELECT object_id FROM events GROUP BY 1 HAVING max(sequence) <> count(*) OR min(sequence) <> 1`,
  'transfers without exactly one movement of money': `
    SELECT t.id FROM transactions t LEFT JOIN ledger_transfers m ON m.cause_id = t.id AND m.state <> 'voided'
    WHERE t.kind = 'TRANSFER_OUT' GROUP BY t.id HAVING count(m.id) <> 1`,
}

/**
 * Checks the database of a port. Returns one line per broken rule.
 * @param {number} port @param {string} [database] @param {Readonly<Record<string, string>>} [more] further
 * rules
 * @returns {Promise<string[]>}
 */
export async function brokenRules(port, database = DATABASE, more = {}) {
  const found = []
  for (const [what, sql] of Object.entries({ ...RULES, ...more })) {
    const rows = await query(port, database, sql)
    if (rows.length > 0) found.push(`${rows.length} ${what}`)
  }
  return found
}

/**
 * Checks that the database has each acknowledged transfer once. While load runs, it may have more that are
 * not acknowledged yet.
 * @param {number} port @param {import('./load.mjs').Load} load @param {{ isOver: boolean, database?: string }} options
 */
export async function lostOrDoubled(port, load, { isOver, database = DATABASE }) {
  const acknowledged = [...load.acknowledged.values()]
  const rows = await query(port, database, `SELECT id::text FROM transactions WHERE kind = 'TRANSFER_OUT'`)
  const stored = new Set(rows.map(({ id }) => id))
  const lost = acknowledged.filter((id) => !stored.has(bare(id)))
  const found = []
  if (lost.length > 0) found.push(`${lost.length} acknowledged transfers are lost, such as ${lost[0]}`)
  if (new Set(acknowledged).size !== acknowledged.length) found.push('two keys returned the same transfer')
  if (isOver && stored.size !== acknowledged.length)
    found.push(`${stored.size} transfers are stored for ${acknowledged.length} keys`)
  return found
}

/**
 * The events of a database that a follower has missed or seen twice. `before` has the events that an earlier
 * follower saw.
 * @param {number} port @param {string} database @param {import('./load.mjs').Follower} follower @param
 * {readonly string[]} [before]
 */
export async function missedEvents(port, database, follower, before = []) {
  const rows = await query(port, database, 'SELECT id::text FROM events')
  const all = () => [...before, ...follower.seen].map(bare)
  await until('the follower has seen as many events as are stored', async () => all().length >= rows.length, {
    timeoutMs: 60_000,
  }).catch(() => {})
  const seen = new Set(all())
  const missed = rows.filter(({ id }) => !seen.has(id))
  const found = []
  if (missed.length > 0) found.push(`${missed.length} of ${rows.length} events were missed`)
  if (seen.size !== all().length) found.push(`${all().length - seen.size} events came twice`)
  return found
}

/** The database keeps the id without its kind. @param {string} id */
export function bare(id) {
  return id.slice(id.indexOf(':') + 1)
}
