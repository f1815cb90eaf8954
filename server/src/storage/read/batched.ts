import { wasRefused } from '../engine/port.ts'

/** The maximum number of keys per statement. */
const KEYS_MAX = 256

interface Waiting<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches reads: requests in one turn of the event loop, or during a running statement, share the next
 * statement. Nothing is cached, and `load` returns the values in the order of the keys. If the database
 * refuses several keys, each is read alone and gets only its own error.
 */
export function batchReads<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = []
  let isUnderWay = false

  async function loadAll(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await load(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]!)
    } catch (error) {
      if (batch.length === 1 || !wasRefused(error)) for (const { reject } of batch) reject(error)
      else for (const one of batch) await loadAll([one])
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, KEYS_MAX)
      waiting = waiting.slice(KEYS_MAX)
      await loadAll(batch)
    }
    isUnderWay = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isUnderWay) return
      isUnderWay = true
      setImmediate(drain)
    })
}
