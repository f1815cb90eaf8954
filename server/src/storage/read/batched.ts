import { wasRefused } from '../engine/port.ts'

/** The maximum number of keys per statement. */
const KEYS_MAX = 256

interface Waiting<Key, Value> {
  readonly key: Key
  readonly resolve: (value: Value) => void
  readonly reject: (error: unknown) => void
}

/**
 * Batches reads; requests made in one turn of the event loop, or while a statement runs, share the next
 * statement. Nothing is cached. `load` must return the values in the order of the keys; if the database
 * rejects a batch, each key is read separately, so that only the faulty ones fail.
 */
export function batchReads<Key, Value>(
  load: (keys: readonly Key[]) => Promise<readonly Value[]>,
): (key: Key) => Promise<Value> {
  let waiting: Waiting<Key, Value>[] = []
  let isDraining = false

  async function loadAll(batch: readonly Waiting<Key, Value>[]): Promise<void> {
    try {
      const values = await load(batch.map(({ key }) => key))
      for (const [index, { resolve }] of batch.entries()) resolve(values[index]!)
    } catch (error) {
      if (batch.length === 1 || !wasRefused(error)) for (const { reject } of batch) reject(error)
      else for (const request of batch) await loadAll([request])
    }
  }

  async function drain(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, KEYS_MAX)
      waiting = waiting.slice(KEYS_MAX)
      await loadAll(batch)
    }
    isDraining = false
  }

  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject })
      if (isDraining) return
      isDraining = true
      setImmediate(drain)
    })
}
