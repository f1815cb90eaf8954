import { cpSync } from 'node:fs'
import { mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { openEmbedded } from '../server/src/db/engine/embedded.ts'
import { openPostgres } from '../server/src/db/engine/postgres.ts'
import { migrate } from '../server/src/db/schema/migrate.ts'

/** A migrated, empty embedded database. Making it takes most of a first start. */
export async function makeEmptyDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-empty-'))
  const db = await openEmbedded(folder)
  await migrate(db)
  await db.close()
  return folder
}

/** Copies its files to where a server expects its own. Waiting for each of 1,400 files would take five times as long. */
export async function copyEmptyDatabase(emptyDatabase: string, dataDir: string): Promise<void> {
  cpSync(join(emptyDatabase, 'db'), join(dataDir, 'db'), { recursive: true })
}

export interface PostgresDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

let databases = 0

/** A separate database on a PostgreSQL server: a copy of `template`, or empty. */
export async function createPostgresDatabase(
  serverUrl: string,
  template?: string,
): Promise<PostgresDatabase> {
  const name = `countersign_test_${process.pid}_${++databases}`
  const run = async (sql: string) => {
    const client = new pg.Client({ connectionString: serverUrl })
    await client.connect()
    await client.query(sql)
    await client.end()
  }
  await run(`CREATE DATABASE ${name}${template === undefined ? '' : ` TEMPLATE ${template}`}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { name, url: url.href, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) }
}

/** A migrated, empty database on a PostgreSQL server, without connections. */
export async function makeEmptyPostgresDatabase(serverUrl: string): Promise<PostgresDatabase> {
  const made = await createPostgresDatabase(serverUrl)
  const db = await openPostgres(made.url)
  await migrate(db)
  await db.close()
  return made
}

/** With DATABASE_URL, a separate migrated database on that server. */
export async function ownPostgresDatabase(): Promise<PostgresDatabase | undefined> {
  const serverUrl = process.env.DATABASE_URL
  return serverUrl ? await createPostgresDatabase(serverUrl, inject('emptyPostgresDatabase')) : undefined
}
