import { cp, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { openEmbedded } from '../server/src/db/embedded.ts'
import { openPostgres } from '../server/src/db/postgres.ts'
import { migrate } from '../server/src/db/schema/migrate.ts'

/** A migrated embedded database that nothing was written to: making it is most of a first start. */
export async function makeEmptyDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-empty-'))
  const db = await openEmbedded(folder)
  await migrate(db)
  await db.close()
  return folder
}

/** Puts a copy of its files where a server looks for its own. */
export async function copyEmptyDatabase(emptyDatabase: string, dataDir: string): Promise<void> {
  await cp(join(emptyDatabase, 'db'), join(dataDir, 'db'), { recursive: true })
}

export interface PostgresDatabase {
  readonly name: string
  readonly url: string
  drop(): Promise<void>
}

let databases = 0

/** A database of its own on a PostgreSQL server: a copy of `template`, or with nothing in it. */
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

/** A migrated database on a PostgreSQL server that nothing was written to and nobody is connected to. */
export async function makeEmptyPostgresDatabase(serverUrl: string): Promise<PostgresDatabase> {
  const made = await createPostgresDatabase(serverUrl)
  const db = await openPostgres(made.url)
  await migrate(db)
  await db.close()
  return made
}

/** With DATABASE_URL, a migrated database of a test's own on that server. */
export async function ownPostgresDatabase(): Promise<PostgresDatabase | undefined> {
  const serverUrl = process.env.DATABASE_URL
  return serverUrl ? await createPostgresDatabase(serverUrl, inject('emptyPostgresDatabase')) : undefined
}
