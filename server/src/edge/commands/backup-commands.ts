import { checkBackups, makeBackup } from '../backups/backup.ts'
import type { AdminCommands } from './admin-command.ts'

/** Commands for backups (docs/backups.md). */
export const BACKUP_COMMANDS = {
  'backup make': async (app, { to }) => makeBackup(app, String(to)),
  'backup check': async (app) => checkBackups(app),
} satisfies AdminCommands
