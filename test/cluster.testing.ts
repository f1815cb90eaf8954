import { fileURLToPath } from 'node:url'

/** A PostgreSQL cluster of a test's own, for settings and transactions that would disturb every other test. */
export interface Cluster {
  readonly url: string
  readonly port: number
  /** The folder of its programs. */
  readonly bin: string
  /** Ends the server and keeps its files. */
  pause(): Promise<void>
  resume(): Promise<void>
  stop(): Promise<void>
}

type Standby = Omit<Cluster, 'bin' | 'pause' | 'resume'>
type Pooler = Pick<Cluster, 'url' | 'stop'>
type PoolMode = 'session' | 'transaction'

interface Scripts {
  startCluster(): Promise<Cluster>
  startStandby(primary: Cluster): Promise<Standby>
  startPooler(cluster: Cluster, mode: PoolMode): Promise<Pooler>
  hasPooler(): boolean
}

async function scripts(): Promise<Scripts> {
  return import(fileURLToPath(new URL('../scripts/postgres.mjs', import.meta.url)))
}

export async function startCluster(): Promise<Cluster> {
  return (await scripts()).startCluster()
}

/** A standby that follows it. */
export async function startStandby(primary: Cluster): Promise<Standby> {
  return (await scripts()).startStandby(primary)
}

/** A pgbouncer before it; it is stopped first. */
export async function startPooler(cluster: Cluster, mode: PoolMode): Promise<Pooler> {
  return (await scripts()).startPooler(cluster, mode)
}

/** True if this machine has pgbouncer. */
export async function hasPooler(): Promise<boolean> {
  return (await scripts()).hasPooler()
}
