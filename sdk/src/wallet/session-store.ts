import type { SessionRecord } from './session.ts'

/** Keeps each wallet's session across page reloads. */
export interface SessionStore {
  load(accountId: string): Promise<SessionRecord | undefined>
  save(record: SessionRecord): Promise<void>
  remove(accountId: string): Promise<void>
}

const DATABASE = 'countersign'
const STORE = 'sessions'

/** In the browser's IndexedDB: keys go in as they are, and cannot be exported there either. */
export const INDEXED_DB: SessionStore = {
  load: (accountId) => inStore<SessionRecord | undefined>('readonly', (store) => store.get(accountId)),
  async save(record) {
    await inStore('readwrite', (store) => store.put(record, record.accountId))
  },
  async remove(accountId) {
    await inStore('readwrite', (store) => store.delete(accountId))
  },
}

/** Nowhere: a reload ends the session on this device. */
export const NO_STORE: SessionStore = {
  load: async () => undefined,
  save: async () => {},
  remove: async () => {},
}

async function inStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await resultOf(opening)
  try {
    return await resultOf(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
