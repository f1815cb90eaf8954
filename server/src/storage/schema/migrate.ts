import { setTimeout } from 'node:timers/promises'
import { type Database, onlyRow, sqlState } from '../engine/port.ts'
import { FUNCTIONS, FUNCTIONS_VERSION, type SqlFunction } from './functions/functions.ts'
import { baseline } from './steps/0001-baseline.ts'
import { verifications } from './steps/0002-verifications.ts'
import { documentTables } from './steps/0003-documents.ts'
import { lookUps } from './steps/0004-look-ups.ts'
import { contactVerification } from './steps/0005-contact-verification.ts'
import { customerImports } from './steps/0006-customer-imports.ts'
import { kycLinks } from './steps/0007-kyc-links.ts'
import { rails } from './steps/0008-rails.ts'
import { bankFiles } from './steps/0009-bank-files.ts'
import { reconciliation } from './steps/0010-reconciliation.ts'
import { books } from './steps/0011-books.ts'
import { positions } from './steps/0012-positions.ts'
import { chains } from './steps/0013-chains.ts'
import { screenings } from './steps/0014-screenings.ts'
import { customerTokens } from './steps/0015-customer-tokens.ts'
import { members } from './steps/0016-members.ts'
import { auditEvents } from './steps/0017-audit-events.ts'
import { loggedRequests } from './steps/0018-logged-requests.ts'
import { reads } from './steps/0019-reads.ts'
import { feed } from './steps/0020-feed.ts'
import { requestCounts } from './steps/0021-request-counts.ts'
import { proofs } from './steps/0022-proofs.ts'
import { months } from './steps/0024-months.ts'
import { erasures } from './steps/0025-erasures.ts'
import { endOf01 } from './steps/0026-end-of-0.1.ts'
import { bankEvidence } from './steps/0027-bank-evidence.ts'
import { ownAccounts } from './steps/0028-own-accounts.ts'
import { makers } from './steps/0029-makers.ts'
import { callerRequestIds } from './steps/0030-caller-request-ids.ts'
import { bankFileModifiers } from './steps/0031-bank-file-modifiers.ts'
import { openedAccounts } from './steps/0032-opened-accounts.ts'

/** A change of tables. One that has landed is never edited; a change is a new file at the end. */
export interface Migration {
  readonly name: string
  readonly sql: string
  /**
   * - `base`: release 0.1.0 had it.
   * - `add`: servers of the release before live with it. It is applied at the start.
   * - `end`: it removes what only the release before needed. It is applied by `upgrade finish`, once none of its servers runs
   *   (decision 0061). From then on builds that do not know it refuse the database.
   */
  readonly step: 'base' | 'add' | 'end'
}

/** The schema of a build. */
export interface Schema {
  readonly migrations: readonly Migration[]
  readonly functions: readonly SqlFunction[]
  readonly functionsVersion: number
}

const base = (name: string, sql: string): Migration => ({ name, sql, step: 'base' })

export const SCHEMA: Schema = {
  migrations: [
    // The second baseline: a database of the first is refused as one of a build that this one does not know.
    base('0001-baseline-2', baseline),
    base('0002-verifications', verifications),
    base('0003-documents', documentTables),
    base('0004-look-ups', lookUps),
    base('0005-contact-verification', contactVerification),
    base('0006-customer-imports', customerImports),
    base('0007-kyc-links', kycLinks),
    base('0008-rails', rails),
    base('0009-bank-files', bankFiles),
    base('0010-reconciliation', reconciliation),
    base('0011-books', books),
    base('0012-positions', positions),
    base('0013-chains', chains),
    base('0014-screenings', screenings),
    base('0015-customer-tokens', customerTokens),
    base('0016-members', members),
    base('0017-audit-events', auditEvents),
    base('0018-logged-requests', loggedRequests),
    base('0019-reads', reads),
    base('0020-feed', feed),
    { name: '0021-request-counts', sql: requestCounts, step: 'add' },
    { name: '0022-proofs', sql: proofs, step: 'add' },
    { name: '0024-months', sql: months, step: 'add' },
    { name: '0025-erasures', sql: erasures, step: 'add' },
    { name: '0027-bank-evidence', sql: bankEvidence, step: 'add' },
    { name: '0028-own-accounts', sql: ownAccounts, step: 'add' },
    { name: '0029-makers', sql: makers, step: 'add' },
    { name: '0030-caller-request-ids', sql: callerRequestIds, step: 'add' },
    { name: '0031-bank-file-modifiers', sql: bankFileModifiers, step: 'add' },
    { name: '0032-opened-accounts', sql: openedAccounts, step: 'add' },
    { name: '0026-end-of-0.1', sql: endOf01, step: 'end' },
  ],
  functions: FUNCTIONS,
  functionsVersion: FUNCTIONS_VERSION,
}

/** The newest migration of this build. */
export const SCHEMA_NAME = SCHEMA.migrations.at(-1)!.name

/** A random number that nothing else on the database server locks. */
const MIGRATION_LOCK = 7_202_510_132
const LOCK_NOT_AVAILABLE = '55P03'

/** What waits for a lock of a table holds up all who come after it, so a start gives way and tries again. */
const LOCK_MS_MAX = 500
const TRIES = 120
const PAUSE_MS = 500

export interface MigrateOptions {
  readonly schema?: Schema
  /** Also the steps after which servers of the release before cannot run. Always so where there can be none. */
  readonly isLast?: boolean
}

/**
 * Brings the database up to this build: first the missing migrations, then the functions whose text differs. Processes
 * that start together take turns, and requests of other servers go on. Answers the names of the last steps that are left for
 * `upgrade finish`. Throws an error of one line where this build cannot use the database.
 */
export async function migrate(db: Database, options: MigrateOptions = {}): Promise<readonly string[]> {
  const schema = options.schema ?? SCHEMA
  const found = await findRecords(db)
  const isLast = options.isLast === true || db.kind === 'embedded' || found === undefined
  const applied = schema.migrations.filter((_, at) => isLast || !isAtTheEnd(schema, at))
  if (!found || !isUpToDate(found, schema, applied, isLast))
    await tryOften(() => db.script(scriptOf(schema, applied, isLast)))
  return schema.migrations
    .filter((migration) => !applied.includes(migration) && !found?.migrations.has(migration.name))
    .map(({ name }) => name)
}

/** Whether nothing is added after a migration: an upgrade over two releases ends the first one by the way. */
function isAtTheEnd({ migrations }: Schema, at: number): boolean {
  return migrations.slice(at).every(({ step }) => step === 'end')
}

/** Does work with a short `lock_timeout` again while requests hold what it has to lock. */
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

/** What a database has recorded. */
interface Records {
  readonly migrations: ReadonlySet<string>
  readonly additions: ReadonlySet<string>
  readonly functions: ReadonlyMap<string, { readonly hash: string; readonly version: number }>
}

/** Undefined where no build has used the database. */
async function findRecords(db: Database): Promise<Records | undefined> {
  const { rows } = await db.query<{ there: boolean; released: boolean }>(
    `SELECT to_regclass('schema_functions') IS NOT NULL AS there, to_regclass('migrations') IS NOT NULL AS released`,
  )
  const { released, there } = onlyRow(rows)
  if (!released) return undefined
  if (!there) return { migrations: new Set(), additions: new Set(), functions: new Map() }
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

/** Whether the database has recorded all that this build applies, and nothing that it refuses. */
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

/** One transaction, all or nothing: everything that is still missing once this process has the lock. */
function scriptOf(schema: Schema, applied: readonly Migration[], isLast: boolean): string {
  return `
SELECT pg_advisory_xact_lock(${MIGRATION_LOCK});
SET LOCAL lock_timeout = ${LOCK_MS_MAX};
CREATE TABLE IF NOT EXISTS migrations (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS schema_additions (name text PRIMARY KEY, applied_at timestamptz NOT NULL DEFAULT now());
CREATE TABLE IF NOT EXISTS schema_functions (
  name text PRIMARY KEY, signature text NOT NULL, hash text NOT NULL, version integer NOT NULL
);
${continueRelease01()}
${refuseEnded(schema.migrations)}
${applyMigrations(applied)}
${applyFunctions(schema, isLast)}`
}

/** Release 0.1.0 reads its functions in `sql_functions`, and starts where nothing has changed there. */
function continueRelease01(): string {
  return `
DO $continue$
BEGIN
  IF to_regclass('sql_functions') IS NOT NULL AND NOT EXISTS (SELECT 1 FROM schema_functions) THEN
    INSERT INTO schema_functions (name, signature, hash, version) SELECT name, signature, hash, version FROM sql_functions;
  END IF;
END $continue$;`
}

function refuseEnded(migrations: Schema['migrations']): string {
  return `
DO $refuse$
DECLARE
  unknown text := (SELECT string_agg(name, ', ' ORDER BY name) FROM migrations
    WHERE name NOT IN (SELECT m->>'name' FROM jsonb_array_elements(${asJson(migrations)}) AS m));
BEGIN
  IF unknown IS NOT NULL THEN
    RAISE EXCEPTION 'This database has had migrations that this build does not know (%). '
      'Run the build that it was used with last, or a newer one.', unknown;
  END IF;
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
 * Makes or replaces functions that differ, unless a newer build has: its functions do all that this build asks for. A recorded
 * function that the build lacks is dropped with the last step.
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
