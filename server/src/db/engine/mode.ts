import { ConfigError } from '../../settings/config.ts'
import type { Database } from './port.ts'

/**
 * Makes a new database one of this mode, for good: what is in a sandbox, its made-up money and the codes that everyone
 * knows, must never be taken for real. Error: ConfigError where the database is of the other mode.
 */
export async function claimMode(db: Database, mode: 'sandbox' | 'production'): Promise<void> {
  await db.query(`INSERT INTO settings VALUES ('mode', $1) ON CONFLICT DO NOTHING`, [mode])
  const { rows } = await db.query<{ value: string }>(`SELECT value FROM settings WHERE name = 'mode'`)
  const [{ value }] = rows as [{ value: string }]
  if (value !== mode)
    throw new ConfigError(
      `COUNTERSIGN_MODE is ${mode}, but this database was made in ${value}: give ${mode} one of its own.`,
    )
}
