import { type Database, sqlState } from './port.ts'

/** Serialization failure and deadlock: the statement met another transaction, and all it did is undone. */
const CONFLICTS: ReadonlySet<string | undefined> = new Set(['40001', '40P01'])
const TRIES_MAX = 10

/**
 * A database that sends a statement again when it met another transaction, ten times at most. Every statement is a
 * transaction of its own, so the second try is the first one that counts. PostgreSQL ends a statement in this way that
 * locks rows; a database that may take its place ends plain reads so as well.
 */
export function retrying(db: Database): Database {
  return {
    kind: db.kind,
    async query(sql, parameters, options) {
      for (let tries = 1; ; tries++) {
        try {
          return await db.query(sql, parameters, options)
        } catch (error) {
          if (tries === TRIES_MAX || !CONFLICTS.has(sqlState(error))) throw error
        }
      }
    },
    script: (sql) => db.script(sql),
    close: () => db.close(),
  }
}
