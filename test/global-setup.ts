import type { TestProject } from 'vitest/node'
import type { SharedServer } from './shared-server.ts'

/**
 * Each project loads its own copy of this file, but all projects share one server through the global object.
 */
const shared = globalThis as { countersignTestServer?: Promise<SharedServer> }

/**
 * The global setup of projects whose tests need the shared server. The first project starts the server, and
 * stops it at the end.
 */
export async function setup(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  const isFirst = shared.countersignTestServer === undefined
  shared.countersignTestServer ??= import('./shared-server.ts').then(({ startSharedServer }) =>
    startSharedServer(),
  )
  const { provided, stop } = await shared.countersignTestServer
  for (const [name, value] of Object.entries(provided)) project.provide(name as keyof typeof provided, value)
  return isFirst ? () => stop().catch(failRun) : undefined
}

/** vitest only prints errors of a teardown, but a secret in the log must fail the run. */
function failRun(error: unknown): never {
  process.exitCode = 1
  throw error
}
