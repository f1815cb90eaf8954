import { archive, checkArchives, listArchives } from '../archives/archive.ts'
import type { AdminCommand } from './commands.ts'

/** Commands for what is old and goes to files (docs/archives.md). */
export const ARCHIVE_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'archive make': {
    usage: 'archive make --before MONTH --to FOLDER',
    options: { before: { type: 'string' }, to: { type: 'string' } },
    required: ['before', 'to'],
    run: async (app, { before, to }) => archive(app, String(before), String(to)),
  },
  'archive list': {
    usage: 'archive list',
    options: {},
    required: [],
    run: async (app) => listArchives(app),
  },
  'archive check': {
    usage: 'archive check --in FOLDER',
    options: { in: { type: 'string' } },
    required: ['in'],
    run: async (app, values) => checkArchives(app, String(values.in)),
  },
}
