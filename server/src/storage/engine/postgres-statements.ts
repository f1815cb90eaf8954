import { createHash } from 'node:crypto'
import type { QueryConfig, QueryResult } from 'pg'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { readSqlState, type StatementResult, wrapDatabaseError } from './port.ts'
import { portTypes, toParameter } from './types.ts'

/**
 * The maximum number of prepared statements per connection. Each takes tens of kilobytes of the database's
 * memory.
 */
const NAMED_MAX = 400
/** The number of statements remembered as seen once. Statements used only once are never prepared. */
const SEEN_MAX = 2_000

const TRANSACTION_CONTROL = /^\s*(?:begin|start|commit|end|rollback|abort|savepoint|release)\b/i
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** pg closes a connection that is silent for longer than this. Its types lack the option. */
interface TimedQuery extends QueryConfig {
  readonly query_timeout: number | undefined
}

type Send = (config: QueryConfig) => Promise<QueryResult>

/** True while statements are prepared. All connections through one pooler share it. */
export interface Naming {
  isEnabled: boolean
  /** Called once, when a prepared statement was lost. */
  readonly onLost: () => void
}

interface StatementsOptions {
  readonly timeoutMs?: number
  /** If absent, losing a prepared statement does not affect later statements. */
  readonly naming?: Naming
}

/**
 * Runs statements, and prepares each one when it is used for the second time. A prepared statement is named
 * with a hash of its SQL, so if a pooler hands out the connection of another process, the name cannot run a
 * different statement. A pooler that switches connections between statements would lose names again and
 * again, so naming ends with the first loss.
 */
export class Statements {
  readonly #send: Send
  readonly #options: StatementsOptions
  readonly #names = new Map<string, string>()
  readonly #seen = new Set<string>()

  constructor(send: Send, options: StatementsOptions = {}) {
    this.#send = send
    this.#options = options
  }

  async run<Row>(sql: string, parameters: readonly unknown[] = []): Promise<StatementResult<Row>> {
    const config: TimedQuery = {
      name: this.#findName(sql),
      text: sql,
      values: parameters.map(toParameter),
      types: portTypes,
      query_timeout: this.#options.timeoutMs,
    }
    try {
      return toStatementResult(await this.#sendNamed(config))
    } catch (error) {
      throw wrapDatabaseError(error)
    }
  }

  async #sendNamed(config: TimedQuery): Promise<QueryResult> {
    try {
      return await this.#send(config)
    } catch (error) {
      const isLost = isLostName(error)
      if (config.name === undefined || !(isLost || isChangedPlan(error))) throw error
      if (isLost) this.#stopNaming()
      // The statement has not run, because its name is unknown or its tables have changed.
      return await this.#send({ ...config, name: undefined })
    }
  }

  #stopNaming(): void {
    const { naming } = this.#options
    if (!naming?.isEnabled) return
    naming.isEnabled = false
    naming.onLost()
  }

  #findName(sql: string): string | undefined {
    if (this.#options.naming?.isEnabled === false) return checkStatement(sql)
    const name = this.#names.get(sql)
    if (name !== undefined) return name
    checkStatement(sql)
    if (this.#names.size >= NAMED_MAX) return undefined
    if (this.#seen.delete(sql)) {
      this.#names.set(sql, `c${createHash('sha256').update(sql).digest('hex').slice(0, 32)}`)
      return this.#names.get(sql)
    }
    if (this.#seen.size >= SEEN_MAX) this.#seen.clear()
    this.#seen.add(sql)
    return undefined
  }
}

/** Throws if the statement could leave a transaction open. */
function checkStatement(sql: string): undefined {
  if (TRANSACTION_CONTROL.test(sql))
    throw new Error('transaction control is not supported: every statement is its own transaction')
}

/**
 * 26000: unknown statement name, because parsing failed or a pooler switched connections. 42P05: the name is
 * already in use.
 */
function isLostName(error: unknown): boolean {
  const state = readSqlState(error)
  return state === '26000' || state === '42P05'
}

/** True if a migration has changed the columns that a prepared statement returns. */
export function isChangedPlan(error: unknown): boolean {
  return readSqlState(error) === '0A000' && getErrorMessage(error).startsWith('cached plan must not change')
}

function toStatementResult<Row>(result: QueryResult): StatementResult<Row> {
  // For a SELECT, the count is the number of returned rows, not of changed ones.
  return { rows: result.rows, affected: CHANGES.has(result.command) ? (result.rowCount ?? 0) : 0 }
}
