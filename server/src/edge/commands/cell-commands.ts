import type { App } from '../../kernel/operation/app.ts'
import { listPlatforms } from '../../people/platforms/platforms.ts'
import { listTokens } from '../../people/tokens/tokens.ts'
import { checkCell, listCells } from '../../storage/schema/cells.ts'
import type { AdminCommands } from './admin-command.ts'

/** Tokens may be given with or without this prefix. */
const TOKEN_PREFIX = 'Token:'

/** Commands for cells, which are schemas with separate servers (docs/scale.md). */
export const CELL_COMMANDS = {
  'cell list': async (app) => ({ data: await listCells(app.db) }),
  'cell check': async (app) => checkCell(app.db),
  'cell map': async (app, { backend }) => ({
    lines: await mapTokens(app, backend === undefined ? app.config.databaseSchema : String(backend)),
  }),
} satisfies AdminCommands

/**
 * Builds the lines of an HAProxy map: the client id of each API token in this cell, and the cell's backend.
 */
async function mapTokens({ read }: App, backend: string): Promise<string[]> {
  const lines: string[] = []
  for (const { id } of await listPlatforms(read))
    for (const token of await listTokens(read, id))
      lines.push(`${token.id.slice(TOKEN_PREFIX.length)} ${backend}`)
  return lines
}
