import { execFile } from 'node:child_process'
import * as path from 'node:path'
import { promisify } from 'node:util'
import { query } from '../cluster/cluster.mjs'
import { Program, until } from '../cluster/program.mjs'
import { freePort } from '../free-port.mjs'
import { startCluster } from '../postgres.mjs'
import { say } from '../run.mjs'
import { findMissedEvents, verifyBooks } from './checks.mjs'
import { Follower } from './load.mjs'

/** Asynchronous, because the cluster's network cables run in this process, so nothing may block it. */
const exec = promisify(execFile)
const DATABASE = 'countersign'

/**
 * Moves the database to another cluster with pg_dump and pg_restore. A follower resumes there after the last
 * event that it saw, and misses nothing.
 * @param {import('../cluster/cluster.mjs').Cluster} cluster
 * @param {import('./load.mjs').Load} load
 * @param {Follower} follower
 * @returns {Promise<string[]>} what is wrong
 */
export async function checkRestore(cluster, load, follower) {
  const { Countersign } = await import('@countersign/sdk')
  const backup = path.join(cluster.base.folder, 'backup')
  await follower.stop()
  // The resumed follower starts after the first half of the events, as if it had missed the others.
  const before = follower.seen.slice(0, Math.floor(follower.seen.length / 2))
  const bin = cluster.base.programs.postgres
  await exec(path.join(bin, 'pg_dump'), ['-Fc', '-f', backup, '-d', cluster.urlOf(DATABASE, 'proxy')])
  const other = await startCluster()
  const port = await freePort()
  await query(other.port, 'postgres', `CREATE DATABASE ${DATABASE}`)
  const databaseUrl = other.url.replace(/postgres$/, DATABASE)
  await exec(path.join(bin, 'pg_restore'), ['--exit-on-error', '-d', databaseUrl, backup])
  const server = new Program('restored-server', {
    ...cluster.program('server1').options,
    env: { ...cluster.program('server1').options.env, PORT: String(port), DATABASE_URL: databaseUrl },
  })
  try {
    server.start()
    await until('the server of the restored database is ready', async () => {
      return (await fetch(`http://127.0.0.1:${port}/readyz`)).ok
    })
    const { tokenId, clientSecret, baseUrl } = cluster.credentials
    const base = `http://127.0.0.1:${port}${new URL(baseUrl).pathname}`
    const countersign = new Countersign({ baseUrl: base, tokenId, clientSecret })
    const resumed = new Follower(countersign, before.at(-1))
    for (const { accountId } of load.payers ?? []) await countersign.sandbox.fund(accountId, { amount: 1n })
    const wrong = [
      ...(await verifyBooks(server.options)),
      ...(await findMissedEvents(other.port, DATABASE, resumed, before)),
    ]
    await resumed.stop()
    say(
      `pg_restore into another cluster: the follower resumed after event ${before.length}, and has ${before.length + resumed.seen.length}`,
    )
    return wrong.map((problem) => `after pg_restore: ${problem}`)
  } finally {
    await server.end('SIGKILL')
    await other.stop()
  }
}
