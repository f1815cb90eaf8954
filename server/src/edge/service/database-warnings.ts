import type { Config } from '../../base/settings/config.ts'
import type { App } from '../../kernel/operation/app.ts'
import type { Database } from '../../storage/engine/port.ts'
import { compareSettings } from '../../storage/engine/shared-settings.ts'
import { describeFailoverLoss } from '../../storage/engine/synchronous.ts'

const RESTORED =
  'the database was restored into another cluster: the event feed continues after its newest event'
const UNFINISHED =
  'the upgrade is not finished: once no server of the previous release runs, run `countersign upgrade finish`'
const DIFFERENT = 'settings that all servers of a database share differ from the server that started last'

/** Warns the operator about problems of the database at startup. */
export async function warnOfDatabase(
  db: Database,
  { sharedSettings }: Config,
  log: App['log'],
  found: { readonly isRestored: boolean; readonly stepsLeft: readonly string[] },
): Promise<void> {
  if (found.isRestored) log.warn(RESTORED)
  if (found.stepsLeft.length > 0) log.warn({ steps: found.stepsLeft }, UNFINISHED)
  // One server creates a quote with its fees, and another one may execute it.
  const names = await compareSettings(db, sharedSettings)
  if (names.length > 0) log.warn({ names }, DIFFERENT)
  const loss = await describeFailoverLoss(db)
  if (loss !== undefined) log.warn(loss)
}
