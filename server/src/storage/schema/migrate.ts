import { setTimeout } from 'node:timers/promises'
import { type Database, getOnlyRow, readSqlState } from '../engine/port.ts'
import { BASELINE, BASELINE_NAME } from './baseline/baseline.ts'
import { DELEGATE_COMMIT_SQL, findNode } from './citus.ts'
import { createSchema } from './create-schema.ts'
import { FUNCTIONS, FUNCTIONS_VERSION, type SqlFunction } from './functions/functions.ts'
import { buildSchemaLock } from './schema-lock.ts'

/** A change to the tables. Released migrations must not be edited: append a new one. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /**
   * - `base`: the baseline of a new database
   * - `add`: compatible with servers of the previous release; applied at startup
   * - `end`: removes what only the previous release needed. Applied by `upgrade finish`, once no server of
   *   that release is running (decision 0061). Builds that do not know it then reject the database.
   */
  readonly step: 'base' | 'add' | 'end'
}

/** The database schema of a build. */
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
/** The SQLSTATE of the script if the recorded migrations are no longer those it was built for. */
const OTHER_RECORDS = 'CS009'
/** Lock not available, and changed records. */
const RETRIED: ReadonlySet<string | undefined> = new Set(['55P03', OTHER_RECORDS])

/**
 * A statement that waits for a table lock blocks all statements after it, so startup gives up quickly and
 * retries.
 */
const LOCK_MS_MAX = 500
const ATTEMPTS_MAX = 120
const PAUSE_MS = 500

export interface MigrateOptions {
  readonly schema?: Schema
  /**
   * True to also apply the steps after which servers of the previous release cannot run. They are always
   * applied if such servers cannot exist.
   */
  readonly isLast?: boolean
}

/**
 * Upgrades the database to this build: applies missing migrations, then replaces the functions whose SQL
 * differs. Concurrent processes take turns, and other servers keep serving requests. Returns the names of the
 * steps left for `upgrade finish`; throws a one-line error if this build cannot use the database.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = options.schema ?? SCHEMA
  await createSchema(db)
  let stepsLeft: readonly string[] = []
  await retryOnLock(async () => {
    const records = await findRecords(db)
    const isLast = options.isLast === true || db.kind === 'embedded' || records === undefined
    const applied = schema.migrations.filter((_, index) => isLast || !isFinalStep(schema, index))
    if (!records || !isUpToDate(records, schema, applied, isLast)) {
      rejectIncompatible(schema, records)
      const node = await findNode(db)
      if (node === 'worker')
        throw new Error(
          'The schema must be upgraded, which is impossible through a Citus worker: first start one server, or run countersign cell check, with the coordinator in DATABASE_URL.',
        )
      const script = buildScript(schema, applied, isLast, records)
      await db.script(node ? `${script}\n${DELEGATE_COMMIT_SQL}` : script)
    }
    stepsLeft = schema.migrations
      .filter((migration) => !applied.includes(migration) && !records?.migrations.has(migration.name))
      .map(({ name }) => name)
  })
  return stepsLeft
}

/** True if no later migration is an addition. An upgrade across two releases also finishes the first one. */
function isFinalStep({ migrations }: Schema, index: number): boolean {
  return migrations.slice(index).every(({ step }) => step === 'end')
}

/**
 * Runs work with a short `lock_timeout`. Retries while requests hold the locks, or if another process was
 * faster.
 */
export async function retryOnLock(work: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await work()
      return
    } catch (error) {
      if (!RETRIED.has(readSqlState(error)) || attempt === ATTEMPTS_MAX) throw error
      await setTimeout(PAUSE_MS)
    }
  }
}

/** Migrations and functions recorded in the database. */
interface Records {
  /** All records as text, to check that nothing has changed once the script holds the lock. */
  readonly text: string
  readonly migrations: ReadonlySet<string>
  readonly additions: ReadonlySet<string>
  readonly functions: ReadonlyMap<string, RecordedFunction>
  readonly triggers: readonly Trigger[]
}

interface RecordedFunction {
  readonly name: string
  readonly signature: string
  readonly hash: string
  readonly version: number
}

/** A trigger of a recorded function, and its table. Both names are quoted. */
interface Trigger {
  readonly name: string
  readonly table: string
  readonly function: string
}

const RECORDS = `json_build_object(
  'migrations', (SELECT coalesce(json_agg(name ORDER BY name), '[]') FROM migrations),
  'additions', (SELECT coalesce(json_agg(name ORDER BY name), '[]') FROM schema_additions),
  'functions', (SELECT coalesce(json_agg(json_build_object('name', name, 'signature', signature, 'hash', hash, 'version', version)
    ORDER BY name), '[]') FROM schema_functions))::text`

/** Citus hides tables of shards from queries on pg_class. */
const TRIGGERS = `
SELECT quote_ident(t.tgname) AS name, c.oid::regclass::text AS table, p.proname::text AS function
FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid JOIN pg_proc AS p ON p.oid = t.tgfoid
WHERE p.pronamespace = current_schema()::regnamespace AND NOT t.tgisinternal AND t.tgparentid = 0`

/** Undefined if the database has never been used by a build. */
async function findRecords(db: Database): Promise<Records | undefined> {
  const { rows } = await db.query<{ is_used: boolean }>(
    `SELECT to_regclass('schema_functions') IS NOT NULL AS is_used`,
  )
  if (!getOnlyRow(rows).is_used) return undefined
  const { text } = getOnlyRow((await db.query<{ text: string }>(`SELECT ${RECORDS} AS text`)).rows)
  const recorded: {
    readonly migrations: readonly string[]
    readonly additions: readonly string[]
    readonly functions: readonly RecordedFunction[]
  } = JSON.parse(text)
  return {
    text,
    migrations: new Set(recorded.migrations),
    additions: new Set(recorded.additions),
    functions: new Map(
      recorded.functions.map((recordedFunction) => [recordedFunction.name, recordedFunction]),
    ),
    triggers: (await db.query<Trigger>(TRIGGERS)).rows,
  }
}

/** True if the database has everything that this build applies, and nothing that it rejects. */
function isUpToDate(
  records: Records,
  { migrations, functions, functionsVersion }: Schema,
  applied: readonly Migration[],
  isLast: boolean,
): boolean {
  const isRecorded = ({ name, step }: Migration) =>
    (step === 'add' ? records.additions : records.migrations).has(name)
  if (!applied.every(isRecorded)) return false
  const knownNames = new Set(migrations.map(({ name }) => name))
  if ([...records.migrations].some((name) => !knownNames.has(name))) return false
  const versions = [...records.functions.values()].map(({ version }) => version)
  if (versions.some((version) => version > functionsVersion)) return true
  if (versions.some((version) => version < functionsVersion)) return false
  if (isLast && records.functions.size > functions.length) return false
  return functions.every(({ name, hash }) => records.functions.get(name)?.hash === hash)
}

/**
 * The migration script for this process. It is one transaction of plain statements, because Citus does not
 * distribute tables created within a PL/pgSQL block. It fails if another process has changed the records in
 * the meantime.
 */
function buildScript(
  schema: Schema,
  applied: readonly Migration[],
  isLast: boolean,
  records: Records | undefined,
): string {
  return `
SELECT ${buildSchemaLock(MIGRATION_LOCK)};
SET LOCAL lock_timeout = ${LOCK_MS_MAX};
CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS schema_additions (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS schema_functions (
  name text PRIMARY KEY, signature text NOT NULL, hash text NOT NULL, version integer NOT NULL
);
DO $check$
BEGIN
  IF ${records ? `${RECORDS} <> ${quoteSql(records.text)}` : 'EXISTS (SELECT FROM schema_functions)'} THEN
    RAISE EXCEPTION 'another process has changed the schema' USING ERRCODE = '${OTHER_RECORDS}';
  END IF;
END $check$;
${applyMigrations(applied, records)}
${applyFunctions(schema, isLast, records)}`
}

/** Rejects databases older than the baseline, and those completely upgraded to a newer release. */
function rejectIncompatible({ migrations }: Schema, records: Records | undefined): void {
  const knownNames = new Set(migrations.map(({ name }) => name))
  const unknown = [...(records?.migrations ?? [])].filter((name) => !knownNames.has(name))
  if (unknown.length === 0) return
  if (migrations.some(({ name, step }) => step === 'base' && !records?.migrations.has(name)))
    throw new Error(
      'This database was created before the first release and cannot be upgraded. Start with a new data directory, or with an empty PostgreSQL database.',
    )
  throw new Error(
    `This database has migrations that this build does not know (${unknown.sort().join(', ')}). Run the build that last used it, or a newer one.`,
  )
}

function applyMigrations(migrations: readonly Migration[], records: Records | undefined): string {
  return migrations
    .filter(({ name }) => !records?.migrations.has(name) && !records?.additions.has(name))
    .map(({ name, sql, step }) => {
      const table = step === 'add' ? 'schema_additions' : 'migrations'
      return `${sql};\nINSERT INTO ${table} (name) VALUES (${quoteSql(name)});`
    })
    .join('\n')
}

/**
 * Creates or replaces functions that differ, unless a newer build wrote them: its functions do everything that
 * this build needs. The last step drops recorded functions that this build no longer has.
 */
function applyFunctions(
  { functions, functionsVersion: version }: Schema,
  isLast: boolean,
  records: Records | undefined,
): string {
  const recordedFunctions = records?.functions ?? new Map<string, RecordedFunction>()
  if ([...recordedFunctions.values()].some((recordedFunction) => recordedFunction.version > version))
    return ''
  const names = new Set(functions.map(({ name }) => name))
  const changed = functions.filter(({ name, hash }) => recordedFunctions.get(name)?.hash !== hash)
  const removedNames = isLast ? [...recordedFunctions.keys()].filter((name) => !names.has(name)) : []
  // Replacing a function recreates its triggers, which may have had another function or table before.
  const replaced = new Set([...changed.map(({ name }) => name), ...removedNames])
  const triggers = records?.triggers.filter((trigger) => replaced.has(trigger.function)) ?? []
  return [
    ...triggers.map(({ name, table }) => `DROP TRIGGER ${name} ON ${table};`),
    ...changed.map((recordedFunction) =>
      applyFunction(recordedFunction, recordedFunctions.get(recordedFunction.name)?.signature),
    ),
    ...removedNames.map(
      (name) => `DROP FUNCTION ${name};\nDELETE FROM schema_functions WHERE name = ${quoteSql(name)};`,
    ),
    `UPDATE schema_functions SET version = ${version} WHERE version <> ${version};`,
  ].join('\n')
}

/**
 * With other arguments, `CREATE OR REPLACE` would add a second function with the same name, so the old one is
 * dropped. Otherwise it is replaced, even while it is being called.
 */
function applyFunction({ name, signature, hash, sql }: SqlFunction, before: string | undefined): string {
  return `${before === undefined || before === signature ? '' : `DROP FUNCTION ${name};`}
${sql};
INSERT INTO schema_functions (name, signature, hash, version) VALUES (${[name, signature, hash].map(quoteSql).join(', ')}, 0)
  ON CONFLICT (name) DO UPDATE SET signature = excluded.signature, hash = excluded.hash, version = 0;`
}

function quoteSql(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}
