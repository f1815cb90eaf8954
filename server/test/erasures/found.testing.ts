import type { Database } from '../../src/db/engine/port.ts'

/** The places of a database where a text is: `table.column`, of any type that can hold one. */
export async function placesOf(db: Database, texts: readonly string[]): Promise<Map<string, string[]>> {
  const { rows: columns } = await db.query<{ table: string; column: string; type: string }>(`
    SELECT c.table_name::text AS table, c.column_name::text AS column, c.data_type::text AS type
    FROM information_schema.columns AS c JOIN information_schema.tables AS t USING (table_schema, table_name)
    WHERE c.table_schema = 'public' AND t.table_type = 'BASE TABLE'
      AND (c.data_type IN ('text', 'jsonb', 'json', 'bytea') OR c.udt_name = '_text')
    ORDER BY 1, 2`)
  const found = new Map<string, string[]>(texts.map((text) => [text, []]))
  for (const { table, column, type } of columns) {
    // A byte that is no character is written as \\ooo.
    const text = type === 'bytea' ? `encode("${column}", 'escape')` : `"${column}"::text`
    const { rows } = await db.query<{ wanted: string }>(
      `SELECT wanted FROM unnest($1::text[]) AS wanted
       WHERE EXISTS (SELECT FROM "${table}" WHERE position(lower(wanted) in lower(${text})) > 0)`,
      [texts],
    )
    for (const { wanted } of rows) found.get(wanted)!.push(`${table}.${column}`)
  }
  return found
}
