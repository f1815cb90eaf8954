import { type Database, readSqlState } from './port.ts'

/**
 * Serialization failure and deadlock: the statement conflicted with another transaction and was rolled back.
 */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40001', '40P01'])
const ATTEMPTS_MAX = 10

/**
 * A database that retries a statement after a conflict with another transaction, up to ten times. Every
 * statement is its own transaction, so a retried one still takes effect once. PostgreSQL aborts statements
 * that lock rows this way; compatible databases may also abort plain reads.
 */
export function withRetries(db: Database): Database {
  return {
    kind: db.kind,
    async query(sql, parameters, options) {
      for (let attempt = 1; ; attempt++) {
        try {
          return await db.query(sql, parameters, options)
        } catch (error) {
          if (attempt === ATTEMPTS_MAX || !CONFLICTS.has(readSqlState(error))) throw error
        }
      }
    },
    script: (sql) => db.script(sql),
    ...(db.copyFiles ? { copyFiles: db.copyFiles.bind(db) } : {}),
    close: () => db.close(),
  }
}
