import { fileURLToPath } from 'node:url'
import type { Cluster } from '../server/test/worlds/server-process.testing.ts'

/** A Citus coordinator and two workers. */
export interface CitusCluster {
  readonly coordinator: Cluster
  readonly workers: readonly Cluster[]
  /** Finds the worker that has a schema. */
  findWorker(schema: string): Promise<Cluster>
  stop(): Promise<void>
}

interface CitusScripts {
  hasCitus(): boolean
  startCitus(options: { inMemory: boolean }): Promise<CitusCluster>
}

async function importScripts(): Promise<CitusScripts> {
  return import(fileURLToPath(new URL('../scripts/cluster/citus.mjs', import.meta.url)))
}

/** True if the extension is installed for this machine's newest PostgreSQL. */
export async function hasCitus(): Promise<boolean> {
  return (await importScripts()).hasCitus()
}

export async function startCitus(): Promise<CitusCluster> {
  return (await importScripts()).startCitus({ inMemory: true })
}
