import type { SessionRecord } from '@countersign/sdk/wallet'

const DATABASE = 'wallet'
const STORE = 'session'
const KEY = 'current'

/** The session across reloads: the keys go into IndexedDB as they are, and cannot be exported there either. */
export async function keepSession(record: SessionRecord): Promise<void> {
  await inStore('readwrite', (store) => store.put(record, KEY))
}

export async function keptSession(): Promise<SessionRecord | undefined> {
  return inStore('readonly', (store) => store.get(KEY) as IDBRequest<SessionRecord | undefined>)
}

export async function forgetSession(): Promise<void> {
  await inStore('readwrite', (store) => store.delete(KEY))
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
