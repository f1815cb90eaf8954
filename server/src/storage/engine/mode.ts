import { ConfigError } from '../../base/settings/config-error.ts'
import type { Database } from './port.ts'
import { getOnlyRow } from './port.ts'

/**
 * Binds a new database to its mode permanently, because a sandbox's test money and public codes must never
 * count in production. Throws ConfigError if the database belongs to the other mode.
 */
export async function claimMode(db: Database, mode: 'sandbox' | 'production'): Promise<void> {
  await db.query(`INSERT INTO settings VALUES ('mode', $1) ON CONFLICT DO NOTHING`, [mode])
  const { rows } = await db.query<{ value: string }>(`SELECT value FROM settings WHERE name = 'mode'`)
  const { value } = getOnlyRow(rows)
  if (value !== mode)
    throw new ConfigError(
      `COUNTERSIGN_MODE is ${mode}, but this database was created in ${value} mode: use another database for ${mode}.`,
    )
}
