import { createHash } from 'node:crypto'
import type { QueryConfig, QueryResult } from 'pg'
import { messageOf } from '../../formats/thrown.ts'
import { asUnusable, type QueryAnswer, sqlState } from './port.ts'
import { portTypes, toParameter } from './types.ts'

/** The most prepared statements of a connection. Each costs the database some tens of kilobytes. */
const NAMED_MAX = 400
/** The number of texts remembered as seen once, so that a text for a single use is never prepared. */
const SEEN_MAX = 2_000

const TRANSACTION_CONTROL = /^\s*(?:begin|start|commit|end|rollback|abort|savepoint|release)\b/i
const CHANGES = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE'])

/** pg closes a connection that is silent for longer. Its types lack this option. */
interface TimedQuery extends QueryConfig {
  readonly query_timeout: number | undefined
}

type Send = (config: QueryConfig) => Promise<QueryResult>

/**
 * Runs statements and prepares repeated ones: a text that is seen for the second time gets a name. The name is a hash
 * of the text, so that a pooler between us and the database that hands out another process's connection cannot run a
 * different statement under our name.
 */
export class Statements {
  readonly #send: Send
  readonly #timeoutMs: number | undefined
  readonly #names = new Map<string, string>()
  readonly #seen = new Set<string>()

  constructor(send: Send, timeoutMs?: number) {
    this.#send = send
    this.#timeoutMs = timeoutMs
  }

  async run<Row>(sql: string, parameters: readonly unknown[] = []): Promise<QueryAnswer<Row>> {
    const config: TimedQuery = {
      name: this.#nameOf(sql),
      text: sql,
      values: parameters.map(toParameter),
      types: portTypes,
      query_timeout: this.#timeoutMs,
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
      if (config.name === undefined || !isLostName(error)) throw error
      // The statement has not run: its name is unknown, or its tables have changed.
      return await this.#send({ ...config, name: undefined })
    }
  }

  #nameOf(sql: string): string | undefined {
    const name = this.#names.get(sql)
    if (name !== undefined) return name
    if (TRANSACTION_CONTROL.test(sql)) throw new Error('every statement is a transaction of its own')
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

/**
 * 26000: no statement of that name (its parsing failed, or a pooler changed connections); 42P05: the name is taken
 * (again a pooler); 0A000 of this wording: a migration changed the columns that the statement gives.
 */
export function isLostName(error: unknown): boolean {
  const state = sqlState(error)
  if (state === '26000' || state === '42P05') return true
  return state === '0A000' && messageOf(error).startsWith('cached plan must not change')
}

function answer<Row>(result: QueryResult): QueryAnswer<Row> {
  // The count of a SELECT is the number of rows that it returned, not that it changed.
  return { rows: result.rows as Row[], affected: CHANGES.has(result.command) ? (result.rowCount ?? 0) : 0 }
}
