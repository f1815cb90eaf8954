import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { openPostgres } from '@countersign/server/db/engine/postgres'
import type { Cluster } from './server-process.ts'

const run = promisify(execFile)
const DATABASE = 'pgbench'

/** pgbench's "TPC-B (sort of)" on its own database in a cluster. */
export class Pgbench {
  readonly #cluster: Cluster
  readonly #url: string

  private constructor(cluster: Cluster, url: string) {
    this.#cluster = cluster
    this.#url = url
  }

  /** `scale` is the number of branches, each with 100,000 accounts. */
  static async prepare(cluster: Cluster, scale: number): Promise<Pgbench> {
    const db = await openPostgres(cluster.url, { poolMax: 1 })
    await db.query(`CREATE DATABASE ${DATABASE}`)
    await db.close()
    const url = new URL(cluster.url)
    url.pathname = `/${DATABASE}`
    const pgbench = new Pgbench(cluster, url.href)
    await pgbench.#run(['--initialize', '--quiet', `--scale=${scale}`])
    return pgbench
  }

  /** Transactions per second of a number of clients, each with its own connection. */
  async measure(clients: number, seconds: number): Promise<number> {
    const output = await this.#run([`--client=${clients}`, '--jobs=2', `--time=${seconds}`])
    const tps = /^tps = ([\d.]+)/m.exec(output)?.[1]
    if (tps === undefined) throw new Error(`pgbench printed no rate: ${output}`)
    return Number(tps)
  }

  async #run(args: readonly string[]): Promise<string> {
    return (await run(join(this.#cluster.bin, 'pgbench'), [...args, this.#url])).stdout
  }
}
