import { VERSION } from '../../base/settings/version.ts'
import { findUpgradeStatus, finishUpgrade } from '../../storage/schema/upgrade.ts'
import type { AdminCommands } from './admin-command.ts'

/** Commands for rolling upgrades of several servers that share one PostgreSQL database (decision 0061). */
export const UPGRADE_COMMANDS = {
  'upgrade status': async (app) => ({ version: VERSION, ...(await findUpgradeStatus(app.db)) }),
  'upgrade finish': async (app, { force }) => ({
    version: VERSION,
    finished: await finishUpgrade(app.db, force === true),
  }),
} satisfies AdminCommands
