import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/storage/engine/open.ts'
import type { Database } from '../../../src/storage/engine/port.ts'
import { openPostgres } from '../../../src/storage/engine/postgres.ts'
import { checkCell } from '../../../src/storage/schema/cells.ts'
import { assertDistributed, checkDistribution } from '../../../src/storage/schema/citus.ts'
import { migrate, SCHEMA } from '../../../src/storage/schema/migrate.ts'
import { addMonth } from '../../../src/storage/schema/months.ts'
import { playSandbox } from '../../worlds/contract/example-world.testing.ts'
import { RecordingClient } from '../../worlds/contract/recording-client.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'
import type { Cluster } from '../../worlds/server-process.testing.ts'

/** A Citus coordinator and two workers. */
interface CitusCluster {
  readonly coordinator: Cluster
  readonly workers: readonly Cluster[]
  /** Finds the worker that has a schema. */
  findWorker(schema: string): Promise<Cluster>
  stop(): Promise<void>
}

interface CitusScripts {
  hasCitus(): boolean
  startCitus(options: { inMemory: boolean }): Promise<CitusCluster>
}

async function importScripts(): Promise<CitusScripts> {
  return import(fileURLToPath(new URL('../../../../scripts/cluster/citus.mjs', import.meta.url)))
}

/** True if the extension is installed for this machine's newest PostgreSQL. */
async function hasCitus(): Promise<boolean> {
  return (await importScripts()).hasCitus()
}

async function startCitus(): Promise<CitusCluster> {
  return (await importScripts()).startCitus({ inMemory: true })
}

const SCRIPT = new URL('../../../../deploy/citus.sql', import.meta.url).pathname
const isCitusMissing = !(await hasCitus())

/** A plan of PostgreSQL or Citus. */
interface Plan {
  readonly 'Node Type'?: string
  readonly 'Relation Name'?: string
  readonly 'Distributed Query'?: {
    readonly Job: { readonly 'Task Count': number }
    readonly Subplans?: unknown
  }
  readonly [field: string]: unknown
}

describe.skipIf(isCitusMissing)('a cell on a node of Citus (skipped without it)', () => {
  let citus: CitusCluster
  let admin: pg.Client
  let server: TestServer
  /** Statements that the server sent and that succeeded, each with the values of its first use. */
  const statements = new Map<string, readonly unknown[]>()

  const buildUrl = (node: Cluster, role = 'north') => node.url.replace('postgres@', `${role}@`)
  const startServer = (node = citus.coordinator) =>
    openServer({ DATABASE_URL: buildUrl(node), DATABASE_SCHEMA: 'north' }, { openDatabase: openRecorded })
  const openRecorded = async (config: Parameters<typeof openDatabase>[0]): Promise<Database> => {
    const db = await openDatabase(config)
    return {
      ...db,
      query: async (sql, parameters, options) => {
        const result = await db.query<never>(sql, parameters, options)
        if (!statements.has(sql)) statements.set(sql, parameters ?? [])
        return result
      },
    }
  }

  beforeAll(async () => {
    citus = await startCitus()
    admin = new pg.Client({ connectionString: citus.coordinator.url })
    await admin.connect()
    await admin.query('CREATE ROLE north LOGIN; CREATE SCHEMA north AUTHORIZATION north')
    const first = await openPostgres(buildUrl(citus.coordinator), { schema: 'north' })
    await migrate(first)
    await first.close()
    distribute()
    server = await startServer()
  })
  afterAll(async () => {
    await server?.close()
    await admin?.end()
    await citus?.stop()
  })

  const distribute = () =>
    execFileSync(
      'psql',
      ['--quiet', '--set=schema=north', '--set=role=north', `--file=${SCRIPT}`, citus.coordinator.url],
      { stdio: 'pipe' },
    )

  test('serves every endpoint, and each of its statements is planned for one node', async () => {
    const { failed } = await playSandbox(new RecordingClient(await server.newPlatform()))
    const client = new pg.Client({ connectionString: buildUrl(citus.coordinator) })
    await client.connect()
    const faults: string[] = []
    for (const [sql, values] of statements) {
      const plans = await client
        .query({ text: `EXPLAIN (FORMAT JSON) ${sql}`, values: [...values] })
        .then(({ rows }) => rows[0]['QUERY PLAN'] as { Plan: Plan }[])
        .catch((error: Error) => error.message)
      // EXPLAIN on Citus passes no values to the parts of a statement that run one after another.
      if (plans === 'no value found for parameter 1') continue
      const fault = typeof plans === 'string' ? plans : findFault(plans)
      if (fault !== undefined) faults.push(`${fault}: ${sql.replace(/\s+/g, ' ').slice(0, 300)}`)
    }
    await client.end()
    expect({ failed, faults }).toEqual({ failed: [], faults: [] })
    expect(statements.size).toBeGreaterThan(250)
  })

  test('is refused at the start with the statement that fixes it, and an upgrade keeps what commits need', async () => {
    const db = await openPostgres(buildUrl(citus.coordinator), { schema: 'north' })
    try {
      expect(await checkCell(db)).toEqual({ schema: 'north', findings: [] })
      await admin.query(`DO $$ BEGIN EXECUTE 'CREATE TABLE north.apart (id integer PRIMARY KEY)'; END $$`)
      await expect(assertDistributed(db)).rejects.toThrow('The table north.apart is not on the node')
      await admin.query(joinFixes(await checkDistribution(db)))
      await admin.query('ALTER TABLE north.apart OWNER TO north')
      expect(await checkDistribution(db)).toEqual([])
      const commit = SCHEMA.functions.find(({ name }) => name === 'commit_together')
      await admin.query(`DROP FUNCTION north.commit_together`)
      await admin.query(`SET search_path = north; ${commit?.sql}; RESET search_path`)
      await admin.query('ALTER FUNCTION north.commit_together OWNER TO north')
      await expect(assertDistributed(db)).rejects.toThrow('The function north.commit_together does not run')
      await admin.query(joinFixes(await checkDistribution(db)))
      expect(await checkDistribution(db)).toEqual([])
      await admin.query('ALTER FUNCTION north.commit_together RESET plan_cache_mode')
      await expect(assertDistributed(db)).rejects.toThrow('The function north.commit_together does not run')
      const changed = [...SCHEMA.functions].map((one) =>
        one.name === 'commit_together' ? { ...one, sql: `${one.sql} `, hash: 'another' } : one,
      )
      const migrations = [
        ...SCHEMA.migrations,
        { name: '9001-things', sql: 'CREATE TABLE things (id integer PRIMARY KEY)', step: 'add' as const },
      ]
      await migrate(db, { schema: { ...SCHEMA, migrations, functions: changed } })
      expect(await checkDistribution(db)).toEqual([])
      await addMonth(db, 'events', new Date('2031-05-01T00:00:00Z'))
      expect(await checkDistribution(db)).toEqual([])
      await server.newPlatform()
    } finally {
      await db.close()
    }
  })
})

/** Joins the statements that the findings suggest. */
function joinFixes(findings: readonly string[]): string {
  return findings.map((finding) => finding.slice(finding.indexOf(': run ') + 6)).join('\n')
}

/** Finds the part of a plan that does not run on one node. Plans without tables of the schema need no node. */
function findFault(plan: unknown): string | undefined {
  if (typeof plan !== 'object' || plan === null) return undefined
  if (Array.isArray(plan)) return plan.map(findFault).find((fault) => fault !== undefined)
  const { 'Distributed Query': query, ...rest } = plan as Plan
  if (query)
    return query.Job['Task Count'] === 1 ? findFault(query.Subplans) : `${query.Job['Task Count']} tasks`
  if (rest.Schema === 'north') return `reads ${rest['Relation Name']} here`
  return Object.values(rest)
    .map(findFault)
    .find((fault) => fault !== undefined)
}
