import type { App } from '../../kernel/operation/app.ts'
import { ping } from './readiness-store.ts'

/** The reason why the server is not ready. `cause` is a database error. */
export interface Unready {
  readonly message: string
  readonly cause?: unknown
}

/**
 * Undefined if the server is ready: its database responds, accepts writes and has disk space. Both `/readyz`
 * and the metrics use this.
 */
export async function findUnready({
  db,
  committer,
}: Pick<App, 'db' | 'committer'>): Promise<Unready | undefined> {
  try {
    await ping(db)
  } catch (cause) {
    return { message: 'The database is unreachable or read-only.', cause }
  }
  return committer.hasDiskSpace() ? undefined : { message: 'The database is out of disk space.' }
}
