import type { Config } from '../../base/settings/config.ts'
import { type App, machineClock, newRequestId } from '../../kernel/operation/app.ts'
import { createCommitter } from '../../storage/commit/committer.ts'
import type { Database } from '../../storage/engine/port.ts'
import { createLookup } from '../../storage/read/lookup.ts'
import { createRead, type Read } from '../../storage/read/read.ts'
import { traceCommitter, traceDatabase, traceLookup } from '../observability/traced-database.ts'
import type { OpenedTracing } from '../observability/tracing.ts'

/** The longest time for which sending the last spans delays the end of a process. */
const LAST_MS_MAX = 5_000

/** The traces of the settings. Their code is loaded only if tracing is on. */
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

/** Sends the last spans, until `endMs` by `performance.now()`. */
export async function closeTraces(tracing: OpenedTracing | undefined, endMs: number): Promise<void> {
  await tracing?.close(Math.min(LAST_MS_MAX, Math.max(0, endMs - performance.now())))
}

interface Bases {
  /** The database without retries: the committer retries and counts itself. */
  readonly bare: Database
  readonly db: Database
  readonly metrics: App['metrics']
  readonly tracing: OpenedTracing | undefined
}

/** Access of operations to the database, and `readApart` for reads outside of any span. */
export type Storage = Pick<App, 'db' | 'read' | 'lookup' | 'committer'> & { readonly readApart: Read }

/** Opens the storage. With tracing, each use is a span. */
export function openStorage({ bare, db, metrics, tracing }: Bases): Storage {
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
