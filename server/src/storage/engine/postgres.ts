import { codeOf, messageOf } from '../../base/formats/thrown-errors.ts'
import { assertDone, type CitusNode, findCitusNode, ON_COORDINATOR } from './distributed-schema.ts'
import { type Database, isReadOnly, NoConnection, onlyRow } from './port.ts'
import { Connections } from './postgres-connections.ts'
import { type Naming, Statements } from './postgres-statements.ts'
import { readHosts, type UrlSetting } from './postgres-url.ts'
import { BRIEF_OPTIONS, NODE_OPTIONS, SESSION_SETTINGS } from './session.ts'
import { splitScript } from './split-script.ts'

/** Connection limits per server process: for short statements, and for all others. */
const BRIEF_MAX = 6
const OTHERS_MAX = 4
/** A connection without a response for this time is closed: its other end may have disappeared silently. */
const ANSWER_TIMEOUT_MS = 15_000
/**
 * The minimum time between two renewals of all connections: until there is a new primary, every statement
 * requests one.
 */
const RENEW_MS_MIN = 500
const VERSION_MIN = 140_000
const UNPREPARED =
  'DATABASE_URL leads to a pooler that loses prepared statements, so statements are no longer prepared. Set DATABASE_PREPARE=off to switch this off at the start.'

/**
 * PostgreSQL at `url` (`postgres://user:password@host:port,host:port/database`). Rejects with a one-line
 * message that names DATABASE_URL, and never the password, if the server cannot be reached or is older than
 * PostgreSQL 14.
 */
export async function openPostgres(
  url: string,
  options: {
    poolMax?: number
    answerTimeoutMs?: number
    prepares?: boolean
    setting?: UrlSetting
    schema?: string
  } = {},
): Promise<Database> {
  const { setting = 'DATABASE_URL' } = options
  const hosts = readHosts(url, setting, options.schema)
  const others = new Connections(hosts, { max: options.poolMax ?? OTHERS_MAX, options: '' })
  const node = await checkServer(others, hosts.schema).catch(async (error: unknown) => {
    await others.close()
    const cause = error instanceof NoConnection ? error.cause : error
    throw new Error(`${setting}: cannot use PostgreSQL at ${hosts.place}: ${oneLine(cause)}`, { cause })
  })
  const brief = new Connections(hosts, {
    max: options.poolMax ?? BRIEF_MAX,
    options: node === undefined ? BRIEF_OPTIONS : NODE_OPTIONS,
  })
  brief.lender = others
  others.lender = brief
  const naming: Naming = { isOn: options.prepares ?? true, onLost: () => process.emitWarning(UNPREPARED) }
  const timeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  let renewedMs = Number.NEGATIVE_INFINITY
  const renew = () => {
    if (performance.now() - renewedMs < RENEW_MS_MIN) return
    renewedMs = performance.now()
    for (const connections of [brief, others]) connections.renew()
  }
  const statementsOf = (connections: Connections) =>
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
    fast: statementsOf(brief),
    others: statementsOf(others),
    long: new Statements((config) => others.send(config), { naming }),
  }
  let closed: Promise<unknown> | undefined
  return {
    kind: 'postgres',
    query: (sql, parameters, { connection } = {}) => statements[connection ?? 'others'].run(sql, parameters),
    script: (sql) => runScript(others, node, sql),
    close: async () => {
      closed ??= Promise.all([brief.close(), others.close()])
      await closed
    },
  }
}

/** Migrations may take long. Citus takes some statements one at a time only. */
async function runScript(connections: Connections, node: CitusNode | undefined, sql: string): Promise<void> {
  if (node !== 'worker') return connections.sendTogether(splitScript(sql))
  assertDone(onlyRow((await connections.send({ text: ON_COORDINATOR, values: [sql] })).rows))
}

/** Returns the node of Citus that it leads to, if the schema is distributed. Throws if the server does not fit. */
async function checkServer(connections: Connections, schema: string): Promise<CitusNode | undefined> {
  const { rows } = await connections.send({
    text: `SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
      current_user AS role, current_setting('search_path') AS search_path, current_schemas(false)::text[] AS schemas, (SELECT json_object_agg(name, setting) FROM pg_settings WHERE name = ANY($1)) AS settings`,
    values: [Object.keys(SESSION_SETTINGS)],
  })
  const { version, number, role, search_path, schemas, settings }: Answered = onlyRow(rows)
  if (number < VERSION_MIN) throw new Error(`it is version ${version}, and 14 or newer is needed`)
  // With another schema in the path, a table that is missing here would be found there. A schema is created later.
  const isInSchema = schemas.length === 0 ? search_path === schema : schemas.join() === schema
  const had: Readonly<Record<string, string>> = isInSchema ? settings : { ...settings, search_path }
  const other = Object.entries({
    ...SESSION_SETTINGS,
    ...(isInSchema ? {} : { search_path: schema }),
  }).filter(([name, value]) => had[name] !== value)
  if (other.length === 0) return findCitusNode((text) => connections.send({ text }))
  const has = other.map(([name]) => `${name} = ${had[name]}`).join(', ')
  const wanted = other.map(([name, value]) => `ALTER ROLE "${role}" SET ${name} = '${value}';`).join(' ')
  throw new Error(`its connections have ${has}: a pooler has dropped our options. Run ${wanted}`)
}

interface Answered {
  readonly version: string
  readonly number: number
  readonly role: string
  readonly search_path: string
  /** The schemas of the path that exist. */
  readonly schemas: readonly string[]
  readonly settings: Readonly<Record<string, string>>
}

function oneLine(error: unknown): string {
  // A host with several addresses gives an AggregateError, whose own message is empty.
  return (messageOf(error) || codeOf(error) || String(error)).replace(/\s+/g, ' ')
}
