import type { Config } from '../../base/settings/config.ts'
import { type App, machineClock, newRequestId } from '../../kernel/operation/app.ts'
import { createCommitter } from '../../storage/commit/committer.ts'
import type { Database } from '../../storage/engine/port.ts'
import { createLookup } from '../../storage/read/lookup.ts'
import { createRead, type Read } from '../../storage/read/read.ts'
import { traceCommitter, traceDatabase, traceLookup } from '../observability/traced-database.ts'
import type { OpenedTracing } from '../observability/tracing.ts'

/** The maximum delay of the process exit for sending the last spans. */
const LAST_MS_MAX = 5_000

/** Sets up the configured tracing. Its code is loaded only if tracing is enabled. */
export async function openTraces(
  { tracing }: Config,
  metrics: App['metrics'],
  log: App['log'],
): Promise<OpenedTracing | undefined> {
  if (!tracing) return undefined
  const { openTracing } = await import('../observability/tracing.ts')
  const watch = { log, dropped: metrics.spansDropped }
  return openTracing(tracing, newRequestId(machineClock()), watch)
}

/** Sends the last spans until `endMs` according to `performance.now()`. */
export async function closeTraces(tracing: OpenedTracing | undefined, endMs: number): Promise<void> {
  await tracing?.close(Math.min(LAST_MS_MAX, Math.max(0, endMs - performance.now())))
}

interface StorageParts {
  /** The database without retries: the committer itself retries and counts. */
  readonly bare: Database
  readonly db: Database
  readonly metrics: App['metrics']
  readonly tracing: OpenedTracing | undefined
}

/** The database access of operations. `readApart` reads outside any span. */
export type Storage = Pick<App, 'db' | 'read' | 'lookup' | 'committer'> & { readonly readApart: Read }

/** Opens the storage. If tracing is enabled, each access is a span. */
export function openStorage({ bare, db, metrics, tracing }: StorageParts): Storage {
  const read = createRead(db)
  const lookup = createLookup(db)
  const committer = createCommitter(bare, metrics)
  if (!tracing) return { db, read, lookup, committer, readApart: read }
  const traced = traceDatabase(db, tracing)
  return {
    db: traced,
    read: createRead(traced),
    lookup: traceLookup(lookup, tracing),
    committer: traceCommitter(committer, tracing),
    readApart: read,
  }
}
