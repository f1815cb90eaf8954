import { getErrorCode, getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { assertSucceeded, type CitusNode, findCitusNode, ON_COORDINATOR } from './distributed-schema.ts'
import { type Database, getOnlyRow, isReadOnly, NoConnection } from './port.ts'
import { Connections } from './postgres-connections.ts'
import { type Naming, Statements } from './postgres-statements.ts'
import { readHosts, type UrlSetting } from './postgres-url.ts'
import { BRIEF_OPTIONS, NODE_OPTIONS, SESSION_SETTINGS } from './session.ts'
import { splitScript } from './split-script.ts'

/** The maximum number of connections per server process: for short statements, and for all others. */
const FAST_MAX = 6
const OTHERS_MAX = 4
/**
 * A connection that does not respond for this long is closed, because the server may have disappeared
 * silently.
 */
const RESPONSE_TIMEOUT_MS = 15_000
/**
 * The minimum time between two renewals of all connections. Until there is a new primary, every statement
 * requests one.
 */
const RENEW_MS_MIN = 500
const VERSION_MIN = 140_000
const UNPREPARED =
  'DATABASE_URL leads to a pooler that loses prepared statements, so statements are no longer prepared. Set DATABASE_PREPARE=off to switch this off at the start.'

/**
 * Opens PostgreSQL at `url` (`postgres://user:password@host:port,host:port/database`). Rejects with a
 * one-line message that names DATABASE_URL, and never shows the password, if the server cannot be reached or
 * is older than PostgreSQL 14.
 */
export async function openPostgres(
  url: string,
  options: {
    poolMax?: number
    responseTimeoutMs?: number
    prepares?: boolean
    setting?: UrlSetting
    schema?: string
  } = {},
): Promise<Database> {
  const { setting = 'DATABASE_URL', prepares = true } = options
  const hosts = readHosts(url, setting, options.schema)
  const others = new Connections(hosts, { max: options.poolMax ?? OTHERS_MAX, options: '' })
  const node = await checkServer(others, hosts.schema).catch(async (error: unknown) => {
    await others.close()
    const cause = error instanceof NoConnection ? error.cause : error
    throw new Error(`${setting}: cannot use PostgreSQL at ${hosts.place}: ${toOneLine(cause)}`, { cause })
  })
  const fast = new Connections(hosts, {
    max: options.poolMax ?? FAST_MAX,
    options: node === undefined ? BRIEF_OPTIONS : NODE_OPTIONS,
  })
  fast.fallback = others
  others.fallback = fast
  const naming: Naming = { isEnabled: prepares, onLost: () => process.emitWarning(UNPREPARED) }
  const timeoutMs = options.responseTimeoutMs ?? RESPONSE_TIMEOUT_MS
  let renewedMs = Number.NEGATIVE_INFINITY
  const renew = () => {
    if (performance.now() - renewedMs < RENEW_MS_MIN) return
    renewedMs = performance.now()
    for (const connections of [fast, others]) connections.renew()
  }
  const createStatements = (connections: Connections) =>
    new Statements(
      async (config) => {
        try {
          return await connections.send(config)
        } catch (error) {
          if (isReadOnly(error)) renew()
          throw error
        }
      },
      { timeoutMs, naming },
    )
  const statements = {
    fast: createStatements(fast),
    others: createStatements(others),
    long: new Statements((config) => others.send(config), { naming }),
  }
  let closed: Promise<unknown> | undefined
  return {
    kind: 'postgres',
    query: (sql, parameters, { connection } = {}) => statements[connection ?? 'others'].run(sql, parameters),
    script: (sql) => runScript(others, node, sql),
    close: async () => {
      closed ??= Promise.all([fast.close(), others.close()])
      await closed
    },
  }
}

/** Runs a migration script, without a time limit. Citus accepts some statements only one at a time. */
async function runScript(connections: Connections, node: CitusNode | undefined, sql: string): Promise<void> {
  if (node !== 'worker') return connections.sendTogether(splitScript(sql))
  assertSucceeded(getOnlyRow((await connections.send({ text: ON_COORDINATOR, values: [sql] })).rows))
}

/**
 * Checks that the server is suitable, and returns its Citus node if the schema is distributed. Throws if the
 * server is not suitable.
 */
async function checkServer(connections: Connections, schema: string): Promise<CitusNode | undefined> {
  const { rows } = await connections.send({
    text: `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      current_user AS role, current_setting('search_path') AS search_path, current_schemas(false)::text[] AS schemas, (SELECT json_object_agg(name, setting) FROM pg_settings WHERE name = ANY($1)) AS settings`,
    values: [Object.keys(SESSION_SETTINGS)],
  })
  const { version, number, role, search_path, schemas, settings }: ServerInfo = getOnlyRow(rows)
  if (number < VERSION_MIN) throw new Error(`it is version ${version}, and 14 or newer is needed`)
  // If the search path contained another schema, a table missing here would be found there. The schema itself
  // may be created later.
  const isInSchema = schemas.length === 0 ? search_path === schema : schemas.join() === schema
  const actual: Readonly<Record<string, string>> = isInSchema ? settings : { ...settings, search_path }
  const wrongSettings = Object.entries({
    ...SESSION_SETTINGS,
    ...(isInSchema ? {} : { search_path: schema }),
  }).filter(([name, value]) => actual[name] !== value)
  if (wrongSettings.length === 0) return findCitusNode((text) => connections.send({ text }))
  const wrongText = wrongSettings.map(([name]) => `${name} = ${actual[name]}`).join(', ')
  const fix = wrongSettings.map(([name, value]) => `ALTER ROLE "${role}" SET ${name} = '${value}';`).join(' ')
  throw new Error(`its connections have ${wrongText}: a pooler has dropped our options. Run ${fix}`)
}

interface ServerInfo {
  readonly version: string
  readonly number: number
  readonly role: string
  readonly search_path: string
  /** The schemas on the search path that exist. */
  readonly schemas: readonly string[]
  readonly settings: Readonly<Record<string, string>>
}

function toOneLine(error: unknown): string {
  // If a host has several addresses, the error is an AggregateError, whose own message is empty.
  return (getErrorMessage(error) || getErrorCode(error) || String(error)).replace(/\s+/g, ' ')
}
