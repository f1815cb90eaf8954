import { createHash } from 'node:crypto'
import type { QueryConfig, QueryResult } from 'pg'
import { messageOf } from '../../base/formats/thrown-errors.ts'
import { asUnusable, type QueryAnswer, sqlState } from './port.ts'
import { portTypes, toParameter } from './types.ts'

/**
 * The maximum number of prepared statements per connection. Each costs the database some tens of kilobytes.
 */
const NAMED_MAX = 400
/** The number of statements remembered as seen once, so that a single-use statement is never prepared. */
const SEEN_MAX = 2_000

const TRANSACTION_CONTROL = /^\s*(?:begin|start|commit|end|rollback|abort|savepoint|release)\b/i
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** pg closes a connection silent for longer. Its types lack this option. */
interface TimedQuery extends QueryConfig {
  readonly query_timeout: number | undefined
}

type Send = (config: QueryConfig) => Promise<QueryResult>

/** True while statements are prepared. Connections through one pooler share it. */
export interface Naming {
  isOn: boolean
  /** Called once, when a name was lost. */
  readonly onLost: () => void
}

interface StatementsOptions {
  readonly timeoutMs?: number
  /** If absent, a lost name changes nothing for the next statement. */
  readonly naming?: Naming
}

/**
 * Runs statements and prepares repeated ones: a statement seen for the second time gets a name. The name is a
 * hash of the SQL, so a pooler that hands out another process's connection cannot run a different statement
 * under it. Behind a pooler that changes connections between statements each name would be lost again and
 * again, so the first loss ends the names.
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

  async run<Row>(sql: string, parameters: readonly unknown[] = []): Promise<QueryAnswer<Row>> {
    const config: TimedQuery = {
      name: this.#nameOf(sql),
      text: sql,
      values: parameters.map(toParameter),
      types: portTypes,
      query_timeout: this.#options.timeoutMs,
    }
    try {
      return answer(await this.#sendNamed(config))
    } catch (error) {
      throw asUnusable(error)
    }
  }

  async #sendNamed(config: TimedQuery): Promise<QueryResult> {
    try {
      return await this.#send(config)
    } catch (error) {
      const isLost = isLostName(error)
      if (config.name === undefined || !(isLost || isChangedPlan(error))) throw error
      if (isLost) this.#endNames()
      // The statement has not run: its name is unknown, or its tables have changed.
      return await this.#send({ ...config, name: undefined })
    }
  }

  #endNames(): void {
    const { naming } = this.#options
    if (!naming?.isOn) return
    naming.isOn = false
    naming.onLost()
  }

  #nameOf(sql: string): string | undefined {
    if (this.#options.naming?.isOn === false) return checkStatement(sql)
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

/** Throws for a statement that would leave a transaction open. */
function checkStatement(sql: string): undefined {
  if (TRANSACTION_CONTROL.test(sql)) throw new Error('every statement is its own transaction')
}

/**
 * 26000: unknown statement name (its parsing failed, or a pooler changed connections); 42P05: the name is
 * taken.
 */
function isLostName(error: unknown): boolean {
  const state = sqlState(error)
  return state === '26000' || state === '42P05'
}

/** A migration changed the columns that a prepared statement returns. */
export function isChangedPlan(error: unknown): boolean {
  return sqlState(error) === '0A000' && messageOf(error).startsWith('cached plan must not change')
}

function answer<Row>(result: QueryResult): QueryAnswer<Row> {
  // The count of a SELECT is the number of rows that it returned, not that it changed.
  return { rows: result.rows, affected: CHANGES.has(result.command) ? (result.rowCount ?? 0) : 0 }
}
