import type { Database } from '../engine/port.ts'
import { FUNCTIONS, FUNCTIONS_VERSION, type SqlFunction } from '../functions/functions.ts'
import { baseline } from './0001-baseline.ts'
import { verifications } from './0002-verifications.ts'
import { documentTables } from './0003-documents.ts'
import { lookUps } from './0004-look-ups.ts'
import { contactVerification } from './0005-contact-verification.ts'
import { customerImports } from './0006-customer-imports.ts'
import { kycLinks } from './0007-kyc-links.ts'
import { rails } from './0008-rails.ts'
import { bankFiles } from './0009-bank-files.ts'
import { reconciliation } from './0010-reconciliation.ts'
import { books } from './0011-books.ts'
import { positions } from './0012-positions.ts'
import { chains } from './0013-chains.ts'
import { screenings } from './0014-screenings.ts'
import { customerTokens } from './0015-customer-tokens.ts'
import { members } from './0016-members.ts'
import { auditEvents } from './0017-audit-events.ts'
import { loggedRequests } from './0018-logged-requests.ts'
import { reads } from './0019-reads.ts'
import { feed } from './0020-feed.ts'

/** The schema of a build. */
export interface Schema {
  /** Forward only: a released migration is never edited; a change is a new file at the end. */
  readonly migrations: readonly { readonly name: string; readonly sql: string }[]
  readonly functions: readonly SqlFunction[]
  readonly functionsVersion: number
}

export const SCHEMA: Schema = {
  migrations: [
    // The second baseline: a database of the first is refused as one of a build that this one does not know.
    { name: '0001-baseline-2', sql: baseline },
    { name: '0002-verifications', sql: verifications },
    { name: '0003-documents', sql: documentTables },
    { name: '0004-look-ups', sql: lookUps },
    { name: '0005-contact-verification', sql: contactVerification },
    { name: '0006-customer-imports', sql: customerImports },
    { name: '0007-kyc-links', sql: kycLinks },
    { name: '0008-rails', sql: rails },
    { name: '0009-bank-files', sql: bankFiles },
    { name: '0010-reconciliation', sql: reconciliation },
    { name: '0011-books', sql: books },
    { name: '0012-positions', sql: positions },
    { name: '0013-chains', sql: chains },
    { name: '0014-screenings', sql: screenings },
    { name: '0015-customer-tokens', sql: customerTokens },
    { name: '0016-members', sql: members },
    { name: '0017-audit-events', sql: auditEvents },
    { name: '0018-logged-requests', sql: loggedRequests },
    { name: '0019-reads', sql: reads },
    { name: '0020-feed', sql: feed },
  ],
  functions: FUNCTIONS,
  functionsVersion: FUNCTIONS_VERSION,
}

/** The newest migration of this build. */
export const SCHEMA_NAME = SCHEMA.migrations.at(-1)!.name

/** A random number that nothing else on the database server locks. */
const MIGRATION_LOCK = 7_202_510_132

/**
 * Brings the database up to this build: first the missing migrations, then the functions whose text differs. Processes
 * that start together take turns. Throws an error of one line where a newer build has migrated the database.
 */
export async function migrate(db: Database, schema: Schema = SCHEMA): Promise<void> {
  if (!(await isUpToDate(db, schema))) await db.script(scriptOf(schema))
}

/** Whether the database has recorded exactly the schema of this build. */
async function isUpToDate(db: Database, schema: Schema): Promise<boolean> {
  const found = await db.query<{ there: boolean }>(`SELECT to_regclass('sql_functions') IS NOT NULL AS there`)
  if (!found.rows[0]!.there) return false
  const { rows } = await db.query<{ record: string }>(
    `SELECT name AS record FROM migrations UNION ALL SELECT concat_ws(' ', name, hash, version) FROM sql_functions`,
  )
  const recorded = rows.map(({ record }) => record)
  const expected = [
    ...schema.migrations.map(({ name }) => name),
    ...schema.functions.map(({ name, hash }) => `${name} ${hash} ${schema.functionsVersion}`),
  ]
  return recorded.sort().join('\n') === expected.sort().join('\n')
}

/** One transaction, all or nothing: everything that is still missing once this process has the lock. */
function scriptOf({ migrations, functions, functionsVersion }: Schema): string {
  return `
SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS sql_functions (
  name text PRIMARY KEY, signature text NOT NULL, hash text NOT NULL, version integer NOT NULL
);
${refuseNewer(migrations, functionsVersion)}
${applyMigrations(migrations)}
${applyFunctions(functions)}
UPDATE sql_functions SET version = ${functionsVersion} WHERE version <> ${functionsVersion};`
}

function refuseNewer(migrations: Schema['migrations'], functionsVersion: number): string {
  return `
DO $refuse$
DECLARE
  unknown text := (SELECT string_agg(name, ', ' ORDER BY name) FROM migrations
    WHERE name NOT IN (SELECT m->>'name' FROM jsonb_array_elements(${asJson(migrations)}) AS m));
  version integer := (SELECT max(s.version) FROM sql_functions AS s);
BEGIN
  IF unknown IS NOT NULL THEN
    RAISE EXCEPTION 'This database has had migrations that this build does not know (%). '
      'Run the build that it was used with last, or a newer one.', unknown;
  END IF;
  IF version > ${functionsVersion} THEN
    RAISE EXCEPTION 'This database has the SQL functions of a newer build (version %; this build has ${functionsVersion}). '
      'Run the build that it was used with last, or a newer one.', version;
  END IF;
END $refuse$;`
}

function applyMigrations(migrations: Schema['migrations']): string {
  return `
DO $migrate$
DECLARE step record;
BEGIN
  FOR step IN
    SELECT m->>'name' AS name, m->>'sql' AS sql
    FROM jsonb_array_elements(${asJson(migrations)}) WITH ORDINALITY AS list (m, place) ORDER BY place
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM migrations WHERE name = step.name);
    EXECUTE step.sql;
    INSERT INTO migrations (name) VALUES (step.name);
  END LOOP;
END $migrate$;`
}

/** Drops or replaces functions that differ. A recorded function that the build lacks has no text. */
function applyFunctions(functions: readonly SqlFunction[]): string {
  return `
DO $apply$
DECLARE build jsonb := ${asJson(functions)}; step record; old_trigger record;
BEGIN
  -- The text of a function makes its triggers, which may have had another function or table before.
  FOR old_trigger IN
    SELECT t.tgname AS name, t.tgrelid::regclass AS on_table
    FROM sql_functions AS had JOIN pg_trigger AS t ON t.tgfoid = to_regproc(had.name) AND NOT t.tgisinternal
    WHERE had.hash NOT IN (SELECT f->>'hash' FROM jsonb_array_elements(build) AS f)
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', old_trigger.name, old_trigger.on_table);
  END LOOP;
  FOR step IN
    SELECT coalesce(f->>'name', had.name) AS name, had.signature AS old_signature, f->>'signature' AS signature,
      f->>'hash' AS hash, f->>'sql' AS sql
    FROM jsonb_array_elements(build) WITH ORDINALITY AS list (f, place)
      FULL JOIN sql_functions AS had ON had.name = f->>'name'
    WHERE had.hash IS DISTINCT FROM f->>'hash' ORDER BY place
  LOOP
    -- With other arguments it would be a second function of that name. Else it is replaced, also for who is calling it.
    IF step.old_signature IS NOT NULL AND step.signature IS DISTINCT FROM step.old_signature THEN
      EXECUTE format('DROP FUNCTION %I', step.name);
    END IF;
    DELETE FROM sql_functions WHERE name = step.name;
    CONTINUE WHEN step.sql IS NULL;
    EXECUTE step.sql;
    INSERT INTO sql_functions (name, signature, hash, version) VALUES (step.name, step.signature, step.hash, 0);
  END LOOP;
END $apply$;`
}

function asJson(value: unknown): string {
  return `$json$${JSON.stringify(value)}$json$::jsonb`
}
