import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPostgres } from '@countersign/server/storage/engine/postgres'
import { CONNECTIONS } from './load.ts'
import { type Cluster, readPostgresTime } from './server-process.ts'

const run = promisify(execFile)
/** More branches than clients, so that clients rarely wait for one another's branch. */
const SCALE = 50
const SHORT_SCALE = 2
const DATABASE = 'pgbench'
const CLEANUP = ['VACUUM pgbench_branches', 'VACUUM pgbench_tellers', 'TRUNCATE pgbench_history']

/** Transactions per second, and PostgreSQL's CPU time per transaction. */
export interface TpcB {
  readonly perSecond: number
  readonly postgresUs: number
}

/** Runs pgbench's "TPC-B (sort of)" benchmark on a separate database in a cluster. */
export class Pgbench {
  readonly #cluster: Cluster
  readonly #url: string

  private constructor(cluster: Cluster, url: string) {
    this.#cluster = cluster
    this.#url = url
  }

  /** Creates the database. Undefined without a cluster. */
  static async prepare(cluster: Cluster | undefined, isShort: boolean): Promise<Pgbench | undefined> {
    if (!cluster) return undefined
    const db = await openPostgres(cluster.url, { poolMax: 1 })
    await db.query(`CREATE DATABASE ${DATABASE}`)
    await db.close()
    const url = new URL(cluster.url)
    url.pathname = `/${DATABASE}`
    const pgbench = new Pgbench(cluster, url.href)
    await pgbench.#run(['--initialize', '--quiet', `--scale=${isShort ? SHORT_SCALE : SCALE}`])
    return pgbench
  }

  async measure(seconds: number): Promise<TpcB> {
    // pgbench would do this cleanup itself, but its time must not count.
    const db = await openPostgres(this.#url, { poolMax: 1 })
    for (const statement of CLEANUP) await db.query(statement)
    await db.close()
    // Connecting is not part of a transaction. Therefore, a run with one transaction per client is measured
    // first and subtracted.
    const first = await this.#runTimed('--transactions=1')
    const all = await this.#runTimed(`--time=${seconds}`)
    return {
      perSecond: all.perSecond,
      postgresUs: (all.us - first.us) / (all.transactions - first.transactions),
    }
  }

  async #runTimed(length: string): Promise<{ perSecond: number; transactions: number; us: number }> {
    const before = readPostgresTime()
    const output = await this.#run(['--no-vacuum', `--client=${CONNECTIONS}`, '--jobs=2', length])
    const us = readPostgresTime() - before
    const perSecond = /^tps = ([\d.]+)/m.exec(output)?.[1]
    const transactions = /^number of transactions actually processed: (\d+)/m.exec(output)?.[1]
    if (perSecond === undefined || transactions === undefined)
      throw new Error(`pgbench printed no rate: ${output}`)
    return { perSecond: Number(perSecond), transactions: Number(transactions), us }
  }

  async #run(args: readonly string[]): Promise<string> {
    return (await run(join(this.#cluster.bin, 'pgbench'), [...args, this.#url])).stdout
  }
}
