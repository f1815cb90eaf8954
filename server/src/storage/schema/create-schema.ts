import { getErrorSentence } from '../../base/formats/thrown-errors.ts'
import { type Database, getOnlyRow, readSqlState } from '../engine/port.ts'
import { buildSchemaLock } from './schema-lock.ts'

const SCHEMA_LOCK = 7_202_510_136
/** Insufficient privilege, and duplicate schema: a schema that the role may not use is not on its path. */
const REFUSALS: ReadonlySet<string | undefined> = new Set(['42501', '42P06'])

/**
 * Creates the schema on the connection's search path unless it exists. Concurrent processes take turns.
 * Throws a one-line error if the role may neither create nor use it.
 */
export async function createSchema(db: Database): Promise<void> {
  const { rows } = await db.query<{ is_there: boolean; name: string; role: string }>(
    `SELECT current_schema() IS NOT NULL AS is_there, current_setting('search_path') AS name, current_user::text AS role`,
  )
  const { is_there, name, role } = getOnlyRow(rows)
  if (is_there) return
  try {
    await db.script(`
SELECT ${buildSchemaLock(SCHEMA_LOCK, "current_setting('search_path')")};
DO $schema$
BEGIN
  IF current_schema() IS NULL THEN
    EXECUTE format('CREATE SCHEMA %I', current_setting('search_path'));
  END IF;
END $schema$;`)
  } catch (error) {
    if (!REFUSALS.has(readSqlState(error))) throw error
    throw new Error(
      `cannot create the schema ${name}: ${getErrorSentence(error)} Run CREATE SCHEMA ${name} AUTHORIZATION "${role}", or GRANT ALL ON SCHEMA ${name} TO "${role}"`,
      { cause: error },
    )
  }
}
