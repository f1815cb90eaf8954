import type { SessionRecord } from './session.ts'

/** Stores a wallet's session so that it survives page reloads. */
export interface SessionStore {
  load(accountId: string): Promise<SessionRecord | undefined>
  save(record: SessionRecord): Promise<void>
  remove(accountId: string): Promise<void>
}

const DATABASE = 'countersign'
const STORE = 'sessions'

/** Stores sessions in the browser's IndexedDB. Keys are stored as non-exportable objects. */
export const INDEXED_DB: SessionStore = {
  load: (accountId) => withStore<SessionRecord | undefined>('readonly', (store) => store.get(accountId)),
  async save(record) {
    await withStore('readwrite', (store) => store.put(record, record.accountId))
  },
  async remove(accountId) {
    await withStore('readwrite', (store) => store.delete(accountId))
  },
}

/** Stores nothing: a reload ends the session on this device. */
export const NO_STORE: SessionStore = {
  load: async () => undefined,
  save: async () => {},
  remove: async () => {},
}

async function withStore<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const opening = indexedDB.open(DATABASE, 1)
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE)
  const database = await toPromise(opening)
  try {
    return await toPromise(act(database.transaction(STORE, mode).objectStore(STORE)))
  } finally {
    database.close()
  }
}

function toPromise<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}
