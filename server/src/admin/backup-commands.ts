import { checkBackups, makeBackup } from '../backups/backup.ts'
import type { AdminCommand } from './commands.ts'

/** Commands for backups (docs/backups.md). */
export const BACKUP_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'backup make': {
    usage: 'backup make --to FOLDER',
    options: { to: { type: 'string' } },
    required: ['to'],
    run: async (app, { to }) => makeBackup(app, String(to)),
  },
  'backup check': {
    usage: 'backup check',
    options: {},
    required: [],
    run: async (app) => checkBackups(app),
  },
}
