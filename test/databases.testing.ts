import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { inject } from 'vitest'
import { openEmbedded } from '../server/src/storage/engine/embedded.ts'
import { openPostgres } from '../server/src/storage/engine/postgres.ts'
import { migrate, SCHEMA } from '../server/src/storage/schema/migrate.ts'

/**
 * All servers of a test run have the same master key, because on PostgreSQL they share a database, including
 * its secrets.
 */
export const TEST_MASTER_KEY = '5e'.repeat(32)

const CACHE = fileURLToPath(new URL('../node_modules/.cache/countersign/', import.meta.url))
const ENGINE = new URL('../server/src/storage/engine/', import.meta.url)
/** The sources outside the schema that affect the empty database. */
const SOURCES = [
  new URL('embedded.ts', ENGINE),
  new URL('embedded-worker.mjs', ENGINE),
  new URL('../schema/migrate.ts', ENGINE),
  new URL('../node_modules/@electric-sql/pglite/package.json', import.meta.url),
  new URL(import.meta.url),
]
const UNUSED_MS_MAX = 24 * 3600 * 1000

/**
 * Returns the folder of a migrated, empty embedded database. Creating it takes most of a first start (ten
 * seconds of CPU time), so it is cached until its sources change.
 */
export async function findOrMakeEmptyDatabase(): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(SCHEMA))
  for (const file of SOURCES) hash.update(await readFile(file))
  const folder = join(CACHE, `empty-database-${hash.digest('hex').slice(0, 16)}`)
  await removeUnusedDatabases()
  if (!existsSync(folder)) await makeEmptyDatabase(folder)
  const now = new Date()
  await utimes(folder, now, now)
  return folder
}

/** Creates the database under a temporary name first, so that no run finds an incomplete one. */
async function makeEmptyDatabase(folder: string): Promise<void> {
  const tempFolder = await mkdtemp(join(tmpdir(), 'countersign-empty-'))
  const db = await openEmbedded(tempFolder)
  await migrate(db)
  const otherDatabases = await db.query<{ readonly oid: string }>(
    'SELECT oid::text FROM pg_database WHERE datname <> current_database()',
  )
  await db.close()
  const newFolder = await mkdtemp(join(CACHE, `empty-database-new-`))
  await copyEmptyDatabase(tempFolder, newFolder)
  // PostgreSQL's template databases, which no server opens, make up two fifths of the files.
  for (const { oid } of otherDatabases.rows) await rm(join(newFolder, 'db/base', oid), { recursive: true })
  await rm(tempFolder, { recursive: true })
  await rename(newFolder, folder).catch(async (error) => {
    // Another run created it first.
    if (!existsSync(folder)) throw error
    await rm(newFolder, { recursive: true })
  })
}

/** Removes databases of other schema versions that are no longer in use. */
async function removeUnusedDatabases(): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  for (const name of await readdir(CACHE)) {
    if (!name.startsWith('empty-database-')) continue
    const lastUsedMs = (await stat(join(CACHE, name)).catch(() => undefined))?.mtimeMs
    if (lastUsedMs === undefined || Date.now() - lastUsedMs < UNUSED_MS_MAX) continue
    await rm(join(CACHE, name), { recursive: true, force: true })
  }
}

/** Copies the files into a server's folder. Copying 900 files asynchronously takes five times as long. */
export async function copyEmptyDatabase(emptyDatabase: string, dataDir: string): Promise<void> {
  copyFolder(join(emptyDatabase, 'db'), join(dataDir, 'db'))
}

/** Replaces Node's `cpSync`, which checks each file four times. */
function copyFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, copy] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) copyFolder(source, copy)
    else copyFileSync(source, copy)
  }
}

export interface PostgresDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

/**
 * Files that a shared server leaves in its folder until the end of the run: the name of its PostgreSQL
 * database, and its platforms' secrets.
 */
export const DATABASE_FILE = 'database'
export const SECRETS_FILE = 'secrets'

let databases = 0

/** Creates a database on a PostgreSQL server, as a copy of `template` or empty. */
export async function createPostgresDatabase(
  serverUrl: string,
  template?: string,
): Promise<PostgresDatabase> {
  const name = `countersign_test_${process.pid}_${++databases}`
  await runSql(serverUrl, `CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => dropPostgresDatabase(serverUrl, name) }
}

export function dropPostgresDatabase(serverUrl: string, name: string): Promise<void> {
  return runSql(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`)
}

async function runSql(serverUrl: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: serverUrl })
  await client.connect()
  await client.query(sql)
  await client.end()
}

/** Creates a migrated, empty database on a PostgreSQL server, and closes all connections to it. */
export async function makeEmptyPostgresDatabase(serverUrl: string): Promise<PostgresDatabase> {
  const created = await createPostgresDatabase(serverUrl)
  const db = await openPostgres(created.url)
  await migrate(db)
  await db.close()
  return created
}

/** If DATABASE_URL is set, creates a separate migrated database on that server. */
async function ownPostgresDatabase(): Promise<PostgresDatabase | undefined> {
  const serverUrl = process.env.DATABASE_URL
  return serverUrl ? await createPostgresDatabase(serverUrl, inject('emptyPostgresDatabase')) : undefined
}

/**
 * Returns an empty database for a service that belongs to one test: on the server in DATABASE_URL if set,
 * otherwise files in the data folder.
 */
export async function ownDatabase(dataDir: string): Promise<PostgresDatabase | undefined> {
  const database = await ownPostgresDatabase()
  if (!database) await copyEmptyDatabase(inject('emptyDatabase'), dataDir)
  return database
}

/** Creates a folder for the database of a test file, which has to remove it. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), 'countersign-db-'))
}
