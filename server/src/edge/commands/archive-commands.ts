import { archive, checkArchives, listArchives } from '../backups/archive.ts'
import type { AdminCommands } from './admin-command.ts'

/** Commands for archiving old data to files (docs/archives.md). */
export const ARCHIVE_COMMANDS = {
  'archive make': async (app, { before, to }) => archive(app, String(before), String(to)),
  'archive list': async (app) => listArchives(app),
  'archive check': async (app, values) => checkArchives(app, String(values.in)),
} satisfies AdminCommands
