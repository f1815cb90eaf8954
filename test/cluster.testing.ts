import { fileURLToPath } from 'node:url'

/** A PostgreSQL cluster of a test's own, for settings and transactions that would disturb every other test. */
export interface Cluster {
  readonly url: string
  readonly port: number
  /** The folder of its programs. */
  readonly bin: string
  stop(): Promise<void>
}

interface Scripts {
  startCluster(): Promise<Cluster>
  startStandby(primary: Cluster): Promise<Omit<Cluster, 'bin'>>
}

async function scripts(): Promise<Scripts> {
  return import(fileURLToPath(new URL('../scripts/postgres.mjs', import.meta.url)))
}

export async function startCluster(): Promise<Cluster> {
  return (await scripts()).startCluster()
}

/** A standby that follows it. */
export async function startStandby(primary: Cluster): Promise<Omit<Cluster, 'bin'>> {
  return (await scripts()).startStandby(primary)
}
