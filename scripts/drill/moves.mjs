import { execFile } from 'node:child_process'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { query } from '../cluster/cluster.mjs'
import { pause, until } from '../cluster/program.mjs'
import { say } from '../run.mjs'
import { findLostOrDuplicated, findMissedEvents, verifyBooks } from './checks.mjs'
import { Follower, Load } from './load.mjs'

/**
 * @typedef {import('../cluster/cells.mjs').Cells} Cells
 * @typedef {import('../cluster/cells.mjs').Cell} Cell
 * @typedef {import('../postgres.mjs').Cluster} Cluster
 * @typedef {{ name: string, move: (cells: Cells, cell: Cell) => Promise<unknown> }} Way
 */

/** Asynchronous, because the cells' network links run in this process, so nothing may block it. */
const exec = promisify(execFile)
const DATABASE = 'postgres'
/** Load before and after each move. */
const STEADY_MS = 2000
const AFTER_MS = 2000
/** Longer than any sandbox payment takes. */
const SETTLED_SECONDS = 20 * 60
const REPEATED_KEYS = 200

/** The commands from docs/scale.md. @type {Way[]} */
const PLAIN = [
  {
    name: 'dump and load',
    move: async (cells, cell) => {
      const to = await startTarget(cells, cell)
      await lockOut(cell)
      await copy(cells, cell, to, [])
      await reopenAt(cell, to)
    },
  },
  { name: 'logical replication', move: replicate },
]

/** @type {Way[]} */
const ON_CITUS = [
  {
    name: "citus_schema_move, 'block_writes'",
    move: (cells, cell) => moveOnCitus(cells, cell, 'block_writes'),
  },
  { name: 'citus_schema_move', move: (cells, cell) => moveOnCitus(cells, cell, 'auto') },
]

/**
 * Moves the first cell under load, in each way that its database supports. Returns what is wrong afterwards:
 * a lost acknowledged transfer, a skipped event, or a ledger that does not balance.
 * @param {Cells} cells
 * @returns {Promise<string[]>}
 */
export async function moveUnderLoad(cells) {
  const { Countersign } = await import('@countersign/sdk')
  const [cell] = cells.cells
  if (cell === undefined) throw new Error('No cell was started.')
  const { tokenId, clientSecret } = cell.credentials
  const countersign = new Countersign({ baseUrl: cells.baseUrl, tokenId, clientSecret })
  const follower = new Follower(countersign)
  const authorization = `Basic ${btoa(`${tokenId}:${clientSecret}`)}`
  const load = await new Load(countersign, { base: cells.baseUrl, authorization }).start()
  for (const { name, move } of cells.citus ? ON_CITUS : PLAIN) {
    await pause(STEADY_MS)
    const startMs = performance.now()
    await move(cells, cell)
    const movedMs = performance.now()
    await until('a transfer after the move', async () => load.wrong.length > 0 || load.firstAfter(movedMs))
    await pause(AFTER_MS)
    const gapMs = load.longestGap(startMs, performance.now())
    say(`${name}: ${seconds(movedMs - startMs)}, and at most ${seconds(gapMs)} without a transfer`)
  }
  await load.stop()
  const wrong = await checkFinalState(cell, load, follower, countersign)
  await follower.stop()
  say(`${load.acknowledged.size} transfers acknowledged, ${follower.seen.length} events followed.`)
  say(`Retried attempts: ${load.summary || 'none'}`)
  if (wrong.length === 0) say('Nothing was lost, doubled or missed.')
  return wrong
}

/** @param {Cell} cell @param {Load} load @param {Follower} follower @param {any} countersign */
async function checkFinalState({ name, database, program }, load, follower, countersign) {
  await countersign.sandbox.advanceClock({ seconds: SETTLED_SECONDS })
  const keys = [...load.acknowledged.keys()]
  await load.repeat(keys.filter((_, n) => n % Math.ceil(keys.length / REPEATED_KEYS) === 0))
  const { port } = database.cluster
  await query(port, DATABASE, `ALTER ROLE postgres SET search_path = '${name}'`)
  return [
    ...load.wrong,
    ...(await verifyBooks(program.options)),
    ...(await findLostOrDuplicated(port, load, { isOver: true, database: DATABASE })),
    ...(await findMissedEvents(port, DATABASE, follower)),
  ]
}

/** @param {Cells} cells @param {Cell} cell @param {'block_writes' | 'auto'} mode */
async function moveOnCitus({ citus }, { name }, mode) {
  if (citus === undefined) throw new Error('the cells are not on Citus')
  const from = await citus.findWorker(name)
  const to = citus.workers.find((worker) => worker !== from)
  if (to === undefined) throw new Error('there is only one worker')
  await citus.moveTo(name, to, mode)
}

/** @param {Cells} cells @param {Cell} cell */
async function replicate(cells, cell) {
  const { name } = cell
  const from = cell.database.cluster
  const to = await startTarget(cells, cell)
  await copy(cells, cell, to, ['--schema-only'])
  const options = 'publish_via_partition_root = true'
  await query(
    from.port,
    DATABASE,
    `CREATE PUBLICATION ${name} FOR TABLES IN SCHEMA ${name} WITH (${options})`,
  )
  await query(
    to.port,
    DATABASE,
    `CREATE SUBSCRIPTION ${name} CONNECTION 'host=127.0.0.1 port=${from.port} user=postgres dbname=${DATABASE}' PUBLICATION ${name}`,
  )
  const copied = `SELECT 1 FROM pg_subscription_rel HAVING bool_and(srsubstate = 'r')`
  await until('all tables are copied', async () => (await query(to.port, DATABASE, copied)).length > 0)
  await lockOut(cell)
  const [end] = await query(from.port, DATABASE, 'SELECT pg_current_wal_lsn()::text AS lsn')
  const caughtUp = `SELECT 1 FROM pg_replication_slots WHERE slot_name = '${name}' AND confirmed_flush_lsn >= $1::pg_lsn`
  await until('all changes have arrived', async () => {
    return (await query(from.port, DATABASE, caughtUp, [end?.lsn])).length > 0
  })
  const sequences = await query(
    from.port,
    DATABASE,
    `SELECT format('SELECT setval(%L, %s)', format('%I.%I', schemaname, sequencename), last_value) AS sql
     FROM pg_sequences WHERE schemaname = $1 AND last_value IS NOT NULL`,
    [name],
  )
  for (const { sql } of sequences) await query(to.port, DATABASE, sql)
  await query(to.port, DATABASE, `DROP SUBSCRIPTION ${name}`)
  await reopenAt(cell, to)
}

/** Starts a new PostgreSQL that has the cell's role. @param {Cells} cells @param {Cell} cell */
async function startTarget(cells, { name }) {
  const to = await cells.startCluster()
  await query(to.port, DATABASE, `CREATE ROLE ${name} LOGIN`)
  return to
}

/** Makes the cell's old PostgreSQL reject everything from the cell. @param {Cell} cell */
async function lockOut({ name, database: { cluster } }) {
  await query(cluster.port, DATABASE, `ALTER ROLE ${name} NOLOGIN`)
  const sql = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1'
  await until(
    'no session is left',
    async () => (await query(cluster.port, DATABASE, sql, [name])).length === 0,
  )
}

/** @param {Cells} cells @param {Cell} cell @param {Cluster} to @param {string[]} options */
async function copy({ folder }, { name, database: { cluster } }, to, options) {
  const file = path.join(folder, `${name}.dump`)
  const dump = [`--schema=${name}`, '--format=custom', `--file=${file}`, ...options, cluster.url]
  await exec(path.join(cluster.bin, 'pg_dump'), dump)
  await exec(path.join(to.bin, 'pg_restore'), ['--exit-on-error', `--dbname=${to.url}`, file])
}

/** @param {Cell} cell @param {Cluster} to */
async function reopenAt({ database }, to) {
  await query(to.port, DATABASE, 'ANALYZE')
  database.cluster = to
  database.link.target = () => to.port
}

/** @param {number} ms */
function seconds(ms) {
  return `${(ms / 1000).toFixed(1)} s`
}
