import { fileURLToPath } from 'node:url'

/** A PostgreSQL cluster of a test's own, for settings and transactions that would disturb every other test. */
export interface Cluster {
  readonly url: string
  readonly port: number
  /** The folder of its programs. */
  readonly bin: string
  stop(): Promise<void>
}

export async function startCluster(): Promise<Cluster> {
  const module: { startCluster(): Promise<Cluster> } = await import(
    fileURLToPath(new URL('../scripts/postgres.mjs', import.meta.url))
  )
  return module.startCluster()
}
