import { codeOf, messageOf } from '../../formats/thrown.ts'
import { type Database, isReadOnly, NoConnection } from './port.ts'
import { Connections, newPool } from './postgres-connections.ts'
import { Statements } from './postgres-statements.ts'
import { SESSION_OPTIONS } from './session.ts'

/** Connections of one server process: for short statements, and for the others. */
const BRIEF_MAX = 6
const OTHERS_MAX = 4
/** A connection without an answer for this time is closed: its other end may have disappeared silently. */
const ANSWER_TIMEOUT_MS = 15_000
/** The least time between two renewals of all connections: until there is a new primary, each statement asks for one. */
const RENEW_MS_MIN = 500
const VERSION_MIN = 140_000

/**
 * PostgreSQL at `url` (`postgres://user:password@host:port/database`). Rejects with one line that names DATABASE_URL,
 * and never the password, when the server cannot be reached or is older than PostgreSQL 14.
 */
export async function openPostgres(
  url: string,
  options: { poolMax?: number; answerTimeoutMs?: number } = {},
): Promise<Database> {
  const { connectionString, place } = readUrl(url)
  const openPool = (max: number) => () => newPool(connectionString, options.poolMax ?? max)
  const others = new Connections(openPool(OTHERS_MAX))
  try {
    await checkVersion(others)
  } catch (error) {
    await others.close()
    const cause = error instanceof NoConnection ? error.cause : error
    throw new Error(`DATABASE_URL: cannot use PostgreSQL at ${place}: ${oneLine(cause)}`, { cause })
  }
  const brief = new Connections(openPool(BRIEF_MAX))
  const timeoutMs = options.answerTimeoutMs ?? ANSWER_TIMEOUT_MS
  let renewedMs = Number.NEGATIVE_INFINITY
  const renew = () => {
    if (performance.now() - renewedMs < RENEW_MS_MIN) return
    renewedMs = performance.now()
    for (const connections of [brief, others]) connections.renew()
  }
  const statementsOf = (connections: Connections) =>
    new Statements(async (config) => {
      try {
        return await connections.send(config)
      } catch (error) {
        if (isReadOnly(error)) renew()
        throw error
      }
    }, timeoutMs)
  const statements = { brief: statementsOf(brief), others: statementsOf(others) }
  let closed: Promise<unknown> | undefined
  return {
    kind: 'postgres',
    query: (sql, parameters, { isBrief = false } = {}) =>
      (isBrief ? statements.brief : statements.others).run(sql, parameters),
    script: async (sql) => {
      // Sent as one simple query, which PostgreSQL runs as one transaction. A migration takes its time.
      await others.send({ text: sql })
    },
    close: async () => {
      closed ??= Promise.all([brief.close(), others.close()])
      await closed
    },
  }
}

function readUrl(url: string): { connectionString: string; place: string } {
  if (!URL.canParse(url))
    throw new Error('DATABASE_URL must be an address like postgres://user@host:5432/name')
  const address = new URL(url)
  if (address.protocol !== 'postgres:' && address.protocol !== 'postgresql:') {
    throw new Error(`DATABASE_URL must start with postgres:, not with ${address.protocol}`)
  }
  const host = address.hostname || address.searchParams.get('host') || 'localhost'
  const settings = [address.searchParams.get('options'), SESSION_OPTIONS]
  address.searchParams.set('options', settings.filter(Boolean).join(' '))
  // URLSearchParams writes a space as +, which pg reads as a plus sign.
  const connectionString = address.href.replace(/\?.*$/, (query) => query.replaceAll('+', '%20'))
  return { connectionString, place: `${host}:${address.port || '5432'}${address.pathname}` }
}

async function checkVersion(connections: Connections): Promise<void> {
  const { rows } = await connections.send({
    text: "SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number",
  })
  const server: { version: string; number: number } | undefined = rows[0]
  if (server !== undefined && server.number < VERSION_MIN) {
    throw new Error(`it is version ${server.version}, and 14 or newer is needed`)
  }
}

function oneLine(error: unknown): string {
  // A host with several addresses gives an AggregateError, whose own message is empty.
  return (messageOf(error) || codeOf(error) || String(error)).replace(/\s+/g, ' ')
}
