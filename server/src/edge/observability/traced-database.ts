import type { NewSpan, Tracing } from '../../kernel/ports/tracing.ts'
import type { Committer } from '../../storage/commit/committer.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Lookup } from '../../storage/read/lookup.ts'

/** Adds a span for each statement of a request or job. Other statements have no span. */
export function traceDatabase(db: Database, tracing: Tracing): Database {
  const spans = new Statements()
  return {
    ...db,
    query: (sql, parameters, options) =>
      tracing.runWithin(spans.findSpan(sql), () => db.query(sql, parameters, options)),
  }
}

/**
 * Adds a span for each lookup, from the call until the row is found. The SQL statement may serve several
 * lookups.
 */
export function traceLookup(lookup: Lookup, tracing: Tracing): Lookup {
  const spans = new Statements({ 'countersign.read.shared': true })
  return (statement, ...key) =>
    tracing.runWithin(spans.findSpan(statement.sql), () => lookup(statement, ...key))
}

/**
 * Adds a span for each write set, from the call to the end of its commit, with the number of sets in the
 * batch.
 */
export function traceCommitter(committer: Committer, tracing: Tracing): Committer {
  return {
    hasDiskSpace: () => committer.hasDiskSpace(),
    commit: (writes) =>
      tracing.runWithin(COMMIT, async (span) => {
        const result = await committer.commit(writes, (sets) =>
          span.note({ 'countersign.commit.sets': sets }),
        )
        span.note({
          'countersign.commit.writes': writes.length,
          ...(result.done
            ? {}
            : { 'countersign.commit.guard': result.guard, 'countersign.commit.refused_by': result.name }),
        })
        return result
      }),
  }
}

const DATABASE_ATTRIBUTES = { 'db.system.name': 'postgresql' }
const COMMIT: NewSpan = { name: 'commit', kind: 'client', attributes: DATABASE_ATTRIBUTES }

/** The program uses several hundred statements; list filters create more. */
const STATEMENTS_MAX = 2_000

/** Caches spans by SQL text. They name the operation and the table, but contain no values. */
class Statements {
  readonly #spans = new Map<string, NewSpan>()
  readonly #attributes: NonNullable<NewSpan['attributes']>

  constructor(attributes: NonNullable<NewSpan['attributes']> = {}) {
    this.#attributes = attributes
  }
  findSpan(sql: string): NewSpan {
    const cached = this.#spans.get(sql)
    if (cached) return cached
    if (this.#spans.size >= STATEMENTS_MAX) this.#spans.clear()
    const { operation, table } = parseStatement(sql)
    const span: NewSpan = {
      name: table === undefined ? operation : `${operation} ${table}`,
      kind: 'client',
      attributes: {
        ...DATABASE_ATTRIBUTES,
        'db.operation.name': operation,
        'db.collection.name': table,
        ...this.#attributes,
      },
    }
    this.#spans.set(sql, span)
    return span
  }
}

/** A statement may also read from a function, whose name is followed by a parenthesis. */
const TABLE = /\b(?:into|update)\s+"?([a-z_]\w*)|\b(?:from|join)\s+"?([a-z_]\w*)\b"?(?!\s*\()/i

/** Parses a statement's first word and first table. The table is undefined if it only calls a function. */
export function parseStatement(sql: string): {
  readonly operation: string
  readonly table: string | undefined
} {
  const operation = /[a-z]+/i.exec(sql)?.[0].toUpperCase() ?? 'SQL'
  const [, written, read] = TABLE.exec(sql) ?? []
  return { operation, table: (written ?? read)?.toLowerCase() }
}
