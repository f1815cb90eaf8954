import { fileURLToPath } from 'node:url'
import type { Cluster } from '../server/test/worlds/server-process.testing.ts'

/** A Citus coordinator and two workers. */
export interface CitusCluster {
  readonly coordinator: Cluster
  readonly workers: readonly Cluster[]
  /** The worker that holds a schema. */
  findWorker(schema: string): Promise<Cluster>
  stop(): Promise<void>
}

interface Scripts {
  hasCitus(): boolean
  startCitus(options: { inMemory: boolean }): Promise<CitusCluster>
}

async function scripts(): Promise<Scripts> {
  return import(fileURLToPath(new URL('../scripts/cluster/citus.mjs', import.meta.url)))
}

/** True if the extension is installed for this machine's newest PostgreSQL. */
export async function hasCitus(): Promise<boolean> {
  return (await scripts()).hasCitus()
}

export async function startCitus(): Promise<CitusCluster> {
  return (await scripts()).startCitus({ inMemory: true })
}
