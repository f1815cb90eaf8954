import { findUpgradeStatus, finishUpgrade } from '../db/schema/upgrade.ts'
import { VERSION } from '../settings/version.ts'
import type { AdminCommand } from './commands.ts'

/** Commands for an upgrade of several servers, one after another, on one PostgreSQL database (decision 0061). */
export const UPGRADE_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'upgrade status': {
    usage: 'upgrade status',
    options: {},
    required: [],
    run: async (app) => ({ version: VERSION, ...(await findUpgradeStatus(app.db)) }),
  },
  'upgrade finish': {
    usage: 'upgrade finish [--force]',
    options: { force: { type: 'boolean' } },
    required: [],
    run: async (app, { force }) => ({
      version: VERSION,
      finished: await finishUpgrade(app.db, force === true),
    }),
  },
}
