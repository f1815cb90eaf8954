import type { Config } from '../../base/settings/config.ts'
import type { App } from '../../kernel/operation/app.ts'
import type { Database } from '../../storage/engine/port.ts'
import { compareSettings } from '../../storage/engine/shared-settings.ts'
import { lossAtFailover } from '../../storage/engine/synchronous.ts'

const RESTORED =
  'the database was restored into another cluster: the feed of events goes on behind its newest event'
const UNFINISHED =
  'the upgrade is not finished: once no server of the release before runs, run `countersign upgrade finish`'
const DIFFERENT = 'settings that all servers of a database share differ from those of the server started last'

/** What the operator should know of the database at the start. */
export async function warnOfDatabase(
  db: Database,
  { sharedSettings }: Config,
  log: App['log'],
  found: { readonly isRestored: boolean; readonly stepsLeft: readonly string[] },
): Promise<void> {
  if (found.isRestored) log.warn(RESTORED)
  if (found.stepsLeft.length > 0) log.warn({ steps: found.stepsLeft }, UNFINISHED)
  // A quote that one server makes with its fees is executed by another.
  const names = await compareSettings(db, sharedSettings)
  if (names.length > 0) log.warn({ names }, DIFFERENT)
  const loss = await lossAtFailover(db)
  if (loss !== undefined) log.warn(loss)
}
