import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex } from 'node:stream'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import type { Database } from '../../../server/src/db/engine/port.ts'
import { Statements } from '../../../server/src/db/engine/postgres-statements.ts'
import { SESSION_OPTIONS } from '../../../server/src/db/engine/session.ts'
import { migrate } from '../../../server/src/db/schema/migrate.ts'

/** The database under all runs of this process, which begin with an empty one, and a folder for their files. */
export interface Engine {
  readonly db: Database
  readonly folder: string
  /** Empties all tables. */
  clear(): Promise<void>
  close(): Promise<void>
}

/** Where it exists, files are in memory there. */
const IN_MEMORY = '/dev/shm'

/** The server's embedded database, without a disk and in this thread: what is lost in a simulation is decided above it. */
export async function openEngine(): Promise<Engine> {
  const folder = await mkdtemp(join(existsSync(IN_MEMORY) ? IN_MEMORY : tmpdir(), 'countersign-sim-'))
  const engine = await PGlite.create()
  const db = await connect(engine)
  await migrate(db)
  const filled = await filledTables(db)
  return {
    db,
    folder,
    clear: () => db.script(clearing(filled)),
    async close() {
      await db.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function connect(engine: PGlite): Promise<Database> {
  const client = new pg.Client({
    stream: () => new EngineStream(engine) as never,
    host: 'embedded',
    user: 'postgres',
    database: 'postgres',
    ssl: false,
    options: SESSION_OPTIONS,
  })
  await client.connect()
  const statements = new Statements((config) => client.query(config))
  return {
    kind: 'embedded',
    query: (sql, parameters) => statements.run(sql, parameters),
    script: async (sql) => {
      await client.query(sql)
    },
    close: async () => {
      await client.end()
      await engine.close()
    },
  }
}

/** The engine as the socket that pg's client writes to. */
class EngineStream extends Duplex {
  readonly #engine: PGlite

  constructor(engine: PGlite) {
    super()
    this.#engine = engine
  }

  connect(): this {
    process.nextTick(() => this.emit('connect'))
    return this
  }

  setNoDelay(): this {
    return this
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, callback: () => void): void {
    const parts: Buffer[] = []
    if (chunk[0] === 0) parts.push(Buffer.from(this.#engine.execProtocolRawSync(chunk)))
    else
      void this.#engine.execProtocolRawStream(chunk, {
        syncToFs: false,
        onRawData: (part) => parts.push(Buffer.from(part)),
      })
    this.push(Buffer.concat(parts))
    callback()
  }

  override _final(callback: () => void): void {
    this.push(null)
    callback()
  }
}

/** What the migrations have written is there in every database. */
async function filledTables(db: Database): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT tablename::text AS name FROM pg_tables WHERE schemaname = 'public'
     AND (xpath('/row/c/text()', query_to_xml(format('SELECT count(*) AS c FROM %I', tablename), false, true, '')))[1]::text <> '0'`,
  )
  return rows.map(({ name }) => name)
}

/** Tables that refuse to lose rows do so by triggers, which replicas do not have. */
function clearing(filled: readonly string[]): string {
  return `
SET LOCAL session_replication_role = replica;
DO $$ DECLARE t text; BEGIN
  FOR t IN SELECT quote_ident(tablename) FROM pg_tables
    WHERE schemaname = 'public' AND tablename NOT IN (${filled.map((name) => `'${name}'`).join(', ')}) LOOP
    EXECUTE 'DELETE FROM ' || t;
  END LOOP;
END $$;
SELECT setval(format('%I.%I', schemaname, sequencename)::regclass, start_value, false) FROM pg_sequences WHERE schemaname = 'public';`
}
