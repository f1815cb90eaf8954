import { execFile } from 'node:child_process'
import * as fs from 'node:fs'
import { createRequire } from 'node:module'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { serverPrograms, startCluster } from '../postgres.mjs'
import { ROOT } from '../run.mjs'

const exec = promisify(execFile)
/** @type {typeof import('pg')} */
const pg = createRequire(path.join(ROOT, 'server/package.json'))('pg')

const SETTINGS = {
  shared_preload_libraries: 'citus',
  // Cells are moved to another worker by logical replication.
  wal_level: 'logical',
  'citus.enable_statistics_collection': 'off',
  'citus.node_conninfo': 'sslmode=disable',
}
const WORKERS = 2

/**
 * A coordinator and its workers. `findWorker` finds the worker that holds a schema. `moveTo` moves a schema to
 * another worker; writes wait during the whole copy (`block_writes`) or only at its end (`auto`).
 * @typedef {{ coordinator: import('../postgres.mjs').Cluster, workers: import('../postgres.mjs').Cluster[], findWorker: (schema: string) => Promise<import('../postgres.mjs').Cluster>, moveTo: (schema: string, worker: import('../postgres.mjs').Cluster, mode: 'block_writes' | 'auto') => Promise<void>, stop: () => Promise<void> }} CitusCluster
 */

/** True if this machine's newest PostgreSQL has the extension. */
export function hasCitus() {
  try {
    const control = fs
      .readdirSync('/usr/share/postgresql', { withFileTypes: true })
      .map(({ name }) => path.join('/usr/share/postgresql', name, 'extension/citus.control'))
    const version = path.basename(path.dirname(serverPrograms()))
    return control.some((file) => file.includes(`/${version}/`) && fs.existsSync(file))
  } catch {
    return false
  }
}

/**
 * Starts a coordinator and two workers, to which every user may connect without a password.
 * @param {{ inMemory?: boolean, settings?: Record<string, string> }} [options]
 * @returns {Promise<CitusCluster>}
 */
export async function startCitus(options = {}) {
  /** @type {import('../postgres.mjs').Cluster[]} */
  const nodes = []
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  try {
    for (let node = 0; node <= WORKERS; node += 1)
      nodes.push(await startCluster({ ...options, settings: { ...SETTINGS, ...options.settings } }))
    const [coordinator, ...workers] = nodes
    if (coordinator === undefined) throw new Error('no coordinator')
    await joinNodes(coordinator, workers)
    return {
      ...{ coordinator, workers, stop },
      moveTo: async (schema, { port }, mode) => {
        const sql = `SELECT citus_schema_move($1::text::regnamespace, '127.0.0.1'::text, $2::int, $3::citus.shard_transfer_mode)`
        await query(coordinator.url, sql, [schema, port, mode])
      },
      findWorker: async (schema) => {
        const { rows } = await query(coordinator.url, WORKER_PORT, [schema])
        const found = workers.find(({ port }) => port === rows[0]?.port)
        if (found === undefined) throw new Error(`no worker holds the schema ${schema}`)
        return found
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const WORKER_PORT = `
SELECT n.nodeport AS port FROM pg_dist_schema s JOIN pg_dist_partition p USING (colocationid)
  JOIN pg_dist_shard USING (logicalrelid) JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node n USING (groupid)
WHERE s.schemaid = $1::text::regnamespace LIMIT 1`

/**
 * Creates a role with an empty schema of the same name.
 * @param {import('../postgres.mjs').Cluster} cluster @param {string} name
 */
export async function addRole({ url }, name) {
  await query(url, `CREATE ROLE ${name} LOGIN; CREATE SCHEMA ${name} AUTHORIZATION ${name}`)
}

/**
 * Moves a schema to a node with the operators' script.
 * @param {CitusCluster} citus @param {string} name of the schema and its role
 */
export async function distribute({ coordinator }, name) {
  const script = path.join(ROOT, 'deploy/citus.sql')
  const options = ['--no-psqlrc', '--quiet', `--set=schema=${name}`, `--set=role=${name}`, `--file=${script}`]
  await exec(path.join(coordinator.bin, 'psql'), [...options, coordinator.url])
}

/** @param {import('../postgres.mjs').Cluster} coordinator @param {import('../postgres.mjs').Cluster[]} workers */
async function joinNodes(coordinator, workers) {
  for (const node of [coordinator, ...workers]) await query(node.url, 'CREATE EXTENSION citus')
  await query(coordinator.url, `SELECT citus_set_coordinator_host('127.0.0.1', $1)`, [coordinator.port])
  for (const { port } of workers)
    await query(coordinator.url, `SELECT citus_add_node('127.0.0.1', $1)`, [port])
}

/** @param {string} url @param {string} sql @param {unknown[]} [values] */
async function query(url, sql, values) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(sql, values)
  } finally {
    await client.end()
  }
}
