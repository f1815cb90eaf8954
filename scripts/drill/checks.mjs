import { query } from '../cluster/cluster.mjs'
import { runCommand } from '../cluster/operator-command.mjs'
import { until } from '../cluster/program.mjs'

const DATABASE = 'countersign'

/**
 * Returns the findings of `countersign books verify` for a server's database, each as a line of JSON.
 * @param {import('../cluster/operator-command.mjs').Place} server
 * @returns {Promise<string[]>}
 */
export async function verifyBooks(server) {
  const { findings } = await runCommand(server, 'books', 'verify')
  return findings.map((/** @type {unknown} */ finding) => JSON.stringify(finding))
}

/** Outgoing transfers that did not move money in the ledger exactly once. */
const NOT_MOVED_ONCE = `
  SELECT t.id FROM transactions t LEFT JOIN ledger_transfers m ON m.cause_id = t.id AND m.state <> 'voided'
  WHERE t.kind = 'TRANSFER_OUT' GROUP BY t.id HAVING count(m.id) <> 1`

/**
 * Checks that the database has each acknowledged transfer once. While the load is running, it may also have
 * transfers that are not acknowledged yet.
 * @param {number} port @param {import('./load.mjs').Load} load @param {{ isOver: boolean, database?: string }} options
 */
export async function findLostOrDuplicated(port, load, { isOver, database = DATABASE }) {
  const acknowledged = [...load.acknowledged.values()]
  const rows = await query(port, database, `SELECT id::text FROM transactions WHERE kind = 'TRANSFER_OUT'`)
  const stored = new Set(rows.map(({ id }) => id))
  const lost = acknowledged.filter((id) => !stored.has(stripPrefix(id)))
  const movedDifferently = await query(port, database, NOT_MOVED_ONCE)
  const found = []
  if (movedDifferently.length > 0)
    found.push(`${movedDifferently.length} transfers have not exactly one movement of money`)
  if (lost.length > 0) found.push(`${lost.length} acknowledged transfers are lost, such as ${lost[0]}`)
  if (new Set(acknowledged).size !== acknowledged.length) found.push('two keys returned the same transfer')
  if (isOver && stored.size !== acknowledged.length)
    found.push(`${stored.size} transfers are stored for ${acknowledged.length} keys`)
  return found
}

/**
 * Finds the events of a database that a follower has missed or seen twice. `before` contains the events that
 * an earlier follower saw.
 * @param {number} port @param {string} database @param {import('./load.mjs').Follower} follower
 * @param {readonly string[]} [before]
 */
export async function findMissedEvents(port, database, follower, before = []) {
  const rows = await query(port, database, 'SELECT id::text FROM events')
  const all = () => [...before, ...follower.seen].map(stripPrefix)
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

/** The database stores the id without its type prefix. @param {string} id */
export function stripPrefix(id) {
  return id.slice(id.indexOf(':') + 1)
}
