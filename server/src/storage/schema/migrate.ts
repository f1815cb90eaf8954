import { setTimeout } from 'node:timers/promises'
import { type Database, onlyRow, sqlState } from '../engine/port.ts'
import { BASELINE, BASELINE_NAME } from './baseline/baseline.ts'
import { createSchema } from './create-schema.ts'
import { FUNCTIONS, FUNCTIONS_VERSION, type SqlFunction } from './functions/functions.ts'
import { schemaLock } from './schema-lock.ts'

/** A change of tables. Released migrations are never edited: append a new one. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /**
   * - `base`: the baseline, with which a database begins
   * - `add`: compatible with servers of the previous release; applied at startup
   * - `end`: removes what only the previous release needed; applied by `upgrade finish`, once none of its
   * servers runs
   * (decision 0061). From then on builds that do not know it refuse the database.
   */
  readonly step: 'base' | 'add' | 'end'
}

/** The schema of a build. */
export interface Schema {
  readonly migrations: readonly Migration[]
  readonly functions: readonly SqlFunction[]
  readonly functionsVersion: number
}

export const SCHEMA: Schema = {
  migrations: [{ name: BASELINE_NAME, sql: BASELINE, step: 'base' }],
  functions: FUNCTIONS,
  functionsVersion: FUNCTIONS_VERSION,
}

/** The newest migration of this build. */
export const SCHEMA_NAME = SCHEMA.migrations.at(-1)?.name ?? BASELINE_NAME

const MIGRATION_LOCK = 7_202_510_132
const LOCK_NOT_AVAILABLE = '55P03'

/** A statement that waits for a table lock blocks everyone after it, so a start gives up and retries. */
const LOCK_MS_MAX = 500
const TRIES = 120
const PAUSE_MS = 500

export interface MigrateOptions {
  readonly schema?: Schema
  /**
   * True to also take the steps after which servers of the previous release cannot run. Always taken if such
   * servers cannot exist.
   */
  readonly isLast?: boolean
}

/**
 * Brings the database up to this build: first the missing migrations, then the functions whose SQL differs.
 * Processes that start together take turns, and requests of other servers continue. Returns the names of the
 * last steps, which are left for `upgrade finish`; throws a one-line error if this build cannot use the
 * database.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = options.schema ?? SCHEMA
  await createSchema(db)
  const found = await findRecords(db)
  const isLast = options.isLast === true || db.kind === 'embedded' || found === undefined
  const applied = schema.migrations.filter((_, at) => isLast || !isAtTheEnd(schema, at))
  if (!found || !isUpToDate(found, schema, applied, isLast))
    await tryOften(() => db.script(scriptOf(schema, applied, isLast)))
  return schema.migrations
    .filter((migration) => !applied.includes(migration) && !found?.migrations.has(migration.name))
    .map(({ name }) => name)
}

/** True if no later migration only adds: upgrading across two releases finishes the first one too. */
function isAtTheEnd({ migrations }: Schema, at: number): boolean {
  return migrations.slice(at).every(({ step }) => step === 'end')
}

/** Runs work with a short `lock_timeout`, and retries while requests hold its locks. */
export async function tryOften(work: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await work()
      return
    } catch (error) {
      if (sqlState(error) !== LOCK_NOT_AVAILABLE || tries === TRIES) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}

/** Migrations and functions recorded in the database. */
interface Records {
  readonly migrations: ReadonlySet<string>
  readonly additions: ReadonlySet<string>
  readonly functions: ReadonlyMap<string, { readonly hash: string; readonly version: number }>
}

/** Undefined if no build has used the database. */
async function findRecords(db: Database): Promise<Records | undefined> {
  const { rows } = await db.query<{ is_used: boolean }>(
    `SELECT to_regclass('schema_functions') IS NOT NULL AS is_used`,
  )
  if (!onlyRow(rows).is_used) return undefined
  const names = async (table: string) =>
    new Set((await db.query<{ name: string }>(`SELECT name FROM ${table}`)).rows.map(({ name }) => name))
  const functions = await db.query<{ name: string; hash: string; version: number }>(
    'SELECT name, hash, version FROM schema_functions',
  )
  return {
    migrations: await names('migrations'),
    additions: await names('schema_additions'),
    functions: new Map(functions.rows.map(({ name, ...rest }) => [name, rest])),
  }
}

/** True if the database has recorded everything that this build applies, and nothing that it refuses. */
function isUpToDate(
  found: Records,
  { migrations, functions, functionsVersion }: Schema,
  applied: readonly Migration[],
  isLast: boolean,
): boolean {
  const isRecorded = ({ name, step }: Migration) =>
    (step === 'add' ? found.additions : found.migrations).has(name)
  if (!applied.every(isRecorded)) return false
  const known = new Set(migrations.map(({ name }) => name))
  if ([...found.migrations].some((name) => !known.has(name))) return false
  const versions = [...found.functions.values()].map(({ version }) => version)
  if (versions.some((version) => version > functionsVersion)) return true
  if (versions.some((version) => version < functionsVersion)) return false
  if (isLast && found.functions.size > functions.length) return false
  return functions.every(({ name, hash }) => found.functions.get(name)?.hash === hash)
}

/**
 * The migration script for this process: one transaction, all or nothing, with everything that is still
 * missing once it has the lock.
 */
function scriptOf(schema: Schema, applied: readonly Migration[], isLast: boolean): string {
  return `
SELECT ${schemaLock(MIGRATION_LOCK)};
SET LOCAL lock_timeout = ${LOCK_MS_MAX};
CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS schema_additions (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS schema_functions (
  name text PRIMARY KEY, signature text NOT NULL, hash text NOT NULL, version integer NOT NULL
);
${refuseOthers(schema.migrations)}
${applyMigrations(applied)}
${applyFunctions(schema, isLast)}`
}

/** Refuses databases from before the baseline, and those upgraded completely to a newer release. */
function refuseOthers(migrations: Schema['migrations']): string {
  return `
DO $refuse$
DECLARE
  build jsonb := ${asJson(migrations.map(({ name, step }) => ({ name, step })))};
  unknown text := (SELECT string_agg(name, ', ' ORDER BY name) FROM migrations
    WHERE name NOT IN (SELECT m->>'name' FROM jsonb_array_elements(build) AS m));
BEGIN
  IF unknown IS NULL THEN
    RETURN;
  END IF;
  IF EXISTS (SELECT FROM jsonb_array_elements(build) AS m
      WHERE m->>'step' = 'base' AND m->>'name' NOT IN (SELECT name FROM migrations)) THEN
    RAISE EXCEPTION 'This database was made by a build from before the first release, and cannot be upgraded. '
      'Start with a new data directory, or with an empty PostgreSQL database.';
  END IF;
  RAISE EXCEPTION 'This database has had migrations that this build does not know (%). '
    'Run the build that it was used with last, or a newer one.', unknown;
END $refuse$;`
}

function applyMigrations(migrations: readonly Migration[]): string {
  return `
DO $migrate$
DECLARE migration record;
BEGIN
  FOR migration IN
    SELECT m->>'name' AS name, m->>'sql' AS sql, m->>'step' AS step
    FROM jsonb_array_elements(${asJson(migrations)}) WITH ORDINALITY AS list (m, place) ORDER BY place
  LOOP
    CONTINUE WHEN EXISTS (SELECT 1 FROM migrations WHERE name = migration.name)
      OR EXISTS (SELECT 1 FROM schema_additions WHERE name = migration.name);
    EXECUTE migration.sql;
    IF migration.step = 'add' THEN
      INSERT INTO schema_additions (name) VALUES (migration.name);
    ELSE
      INSERT INTO migrations (name) VALUES (migration.name);
    END IF;
  END LOOP;
END $migrate$;`
}

/**
 * Creates or replaces functions that differ, unless a newer build did: its functions do everything that this
 * build needs. A recorded function that this build lacks is dropped with the last step.
 */
function applyFunctions({ functions, functionsVersion: version }: Schema, isLast: boolean): string {
  return `
DO $apply$
DECLARE build jsonb := ${asJson(functions)}; step record; old_trigger record;
BEGIN
  IF EXISTS (SELECT 1 FROM schema_functions AS had WHERE had.version > ${version}) THEN
    RETURN;
  END IF;
  -- The text of a function makes its triggers, which may have had another function or table before.
  FOR old_trigger IN
    SELECT t.tgname AS name, t.tgrelid::regclass AS on_table
    FROM schema_functions AS had JOIN pg_trigger AS t ON t.tgfoid = to_regproc(had.name) AND NOT t.tgisinternal
      AND t.tgparentid = 0
    WHERE had.hash NOT IN (SELECT f->>'hash' FROM jsonb_array_elements(build) AS f)
      AND (${isLast} OR had.name IN (SELECT f->>'name' FROM jsonb_array_elements(build) AS f))
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %s', old_trigger.name, old_trigger.on_table);
  END LOOP;
  FOR step IN
    SELECT coalesce(f->>'name', had.name) AS name, had.signature AS old_signature, f->>'signature' AS signature,
      f->>'hash' AS hash, f->>'sql' AS sql
    FROM jsonb_array_elements(build) WITH ORDINALITY AS list (f, place)
      FULL JOIN schema_functions AS had ON had.name = f->>'name'
    WHERE had.hash IS DISTINCT FROM f->>'hash' AND (${isLast} OR f IS NOT NULL) ORDER BY place
  LOOP
    -- With other arguments it would be a second function of that name. Else it is replaced, also for who is calling it.
    IF step.old_signature IS NOT NULL AND step.signature IS DISTINCT FROM step.old_signature THEN
      EXECUTE format('DROP FUNCTION %I', step.name);
    END IF;
    DELETE FROM schema_functions WHERE name = step.name;
    CONTINUE WHEN step.sql IS NULL;
    EXECUTE step.sql;
    INSERT INTO schema_functions (name, signature, hash, version) VALUES (step.name, step.signature, step.hash, 0);
  END LOOP;
  UPDATE schema_functions SET version = ${version} WHERE version <> ${version};
END $apply$;`
}

function asJson(value: unknown): string {
  return `$json$${JSON.stringify(value)}$json$::jsonb`
}
