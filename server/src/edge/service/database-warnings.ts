import type { Config } from '../../base/settings/config.ts'
import type { App } from '../../kernel/operation/app.ts'
import type { Database } from '../../storage/engine/port.ts'
import { compareSettings } from '../../storage/engine/shared-settings.ts'
import { describeFailoverLoss } from '../../storage/engine/synchronous.ts'

const RESTORED = 'database was restored into another cluster: event feed continues after its newest event'
const UNFINISHED =
  'upgrade is not finished: run `countersign upgrade finish` once no server of the previous release is running'
const DIFFERENT = 'shared settings differ from the settings of the server that started last'

/** Warns the operator about problems of the database at startup. */
export async function warnOfDatabase(
  db: Database,
  { sharedSettings }: Config,
  log: App['log'],
  startup: { readonly isRestored: boolean; readonly stepsLeft: readonly string[] },
): Promise<void> {
  if (startup.isRestored) log.warn(RESTORED)
  if (startup.stepsLeft.length > 0) log.warn({ steps: startup.stepsLeft }, UNFINISHED)
  // A quote created by one server with its fees may be executed by another one.
  const names = await compareSettings(db, sharedSettings)
  if (names.length > 0) log.warn({ names }, DIFFERENT)
  const loss = await describeFailoverLoss(db)
  if (loss !== undefined) log.warn(loss)
}
