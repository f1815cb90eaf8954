import type { Database } from './port.ts'

/**
 * Stores this server's settings. Returns the names of those that differ from the server that was started
 * last, because servers that share a database need the same settings.
 */
export async function compareSettings(
  db: Database,
  settings: Readonly<Record<string, string>>,
): Promise<string[]> {
  const names = Object.keys(settings).sort()
  const { rows } = await db.query<{ name: string; value: string }>(
    'SELECT name, value FROM settings WHERE name = ANY($1)',
    [names],
  )
  const before = new Map(rows.map(({ name, value }) => [name, value]))
  const changed = names.filter((name) => before.get(name) !== settings[name])
  if (changed.length > 0)
    await db.query(
      `INSERT INTO settings SELECT * FROM unnest($1::text[], $2::text[])
       ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
      [changed, changed.map((name) => settings[name])],
    )
  return changed.filter((name) => before.has(name))
}
