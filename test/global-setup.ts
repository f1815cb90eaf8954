import type { TestProject } from 'vitest/node'
import type { SharedServer } from './shared-server.ts'

/** Each project loads its own copy of this file, but all of them share one server through the process. */
const shared = globalThis as { countersignTestServer?: Promise<SharedServer> }

/**
 * The global setup of projects whose tests need the shared server. The first project starts it and stops it
 * at the end.
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

/** vitest only prints an error of a teardown. A secret in the log has to fail the run. */
function failRun(error: unknown): never {
  process.exitCode = 1
  throw error
}
