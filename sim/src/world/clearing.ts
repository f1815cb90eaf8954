import type { Database } from '../../../server/src/storage/engine/port.ts'

/** True in SQL while tables are being emptied. */
const IS_CLEARING = `current_setting('simulation.is_clearing', true) = 'yes'`

/**
 * Prepares the database for `clear`. The replica role, which runs no triggers, would empty append-only tables
 * too, but changing the role discards all cached plans, and planning again took a third of a run. Instead, a
 * function that keeps its plans empties the tables, and the triggers are skipped meanwhile.
 */
export async function prepareClearing(db: Database): Promise<void> {
  const names = orderByReferences(await selectEmptyTables(db))
  const triggers = await selectDeleteTriggers(db)
  await db.script(`
${triggers.map((definition) => `${addClearingCondition(definition)};`).join('\n')}
CREATE FUNCTION simulation_clear() RETURNS void LANGUAGE plpgsql SET simulation.is_clearing = 'yes' AS $$
BEGIN
  ${names.map((name) => `DELETE FROM ${name};`).join('\n  ')}
  PERFORM setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false)
    FROM pg_sequences WHERE schemaname = current_schema();
END $$;`)
}

/** Empties all tables except those that the migrations have filled. */
export async function clearTables(db: Database): Promise<void> {
  await db.query('SELECT simulation_clear()')
}

interface Table {
  readonly name: string
  /** The tables that its foreign keys reference. */
  readonly refersTo: readonly string[]
  readonly rows: number
}

/** The tables that are empty at the start of a run. A monthly partition is emptied with its parent table. */
async function selectEmptyTables(db: Database): Promise<Table[]> {
  const { rows } = await db.query<Table>(
    `SELECT quote_ident(c.relname) AS name,
       ARRAY(SELECT quote_ident(f.relname) FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
         WHERE k.conrelid = c.oid AND k.contype = 'f') AS "refersTo",
       (xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM %I', c.relname), false, true, '')))[1]::text::integer
         AS rows
     FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition`,
  )
  return rows.filter((table) => table.rows === 0)
}

/** Orders tables so that their rows can be deleted: each table before the tables that it references. */
function orderByReferences(tables: readonly Table[]): string[] {
  const names = new Set<string>()
  const add = ({ name }: Table): void => {
    if (names.has(name)) return
    for (const other of tables) if (other.name !== name && other.refersTo.includes(name)) add(other)
    names.add(name)
  }
  for (const table of tables) add(table)
  return [...names]
}

async function selectDeleteTriggers(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ definition: string }>(
    `SELECT pg_get_triggerdef(oid) AS definition FROM pg_trigger
     WHERE NOT tgisinternal AND tgparentid = 0 AND tgtype & 8 > 0`,
  )
  return rows.map(({ definition }) => definition)
}

function addClearingCondition(definition: string): string {
  return definition
    .replace('CREATE TRIGGER', 'CREATE OR REPLACE TRIGGER')
    .replace('EXECUTE FUNCTION', `WHEN ((${IS_CLEARING}) IS NOT TRUE) EXECUTE FUNCTION`)
}
