import type { App } from '../../kernel/operation/app.ts'
import { ping } from './readiness-store.ts'

/** Why the server cannot do what it is for; `cause` is an error of the database. */
export interface Unready {
  readonly message: string
  readonly cause?: unknown
}

/** Undefined if the server is ready: its database answers, takes changes and has room for them. `/readyz` and the metrics agree. */
export async function findUnready({
  db,
  committer,
}: Pick<App, 'db' | 'committer'>): Promise<Unready | undefined> {
  try {
    await ping(db)
  } catch (cause) {
    return { message: 'The database cannot be reached, or takes no changes.', cause }
  }
  return committer.hasRoom() ? undefined : { message: 'The database has no room for changes.' }
}
