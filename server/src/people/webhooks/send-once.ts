import type { Op } from '../../kernel/operation/app.ts'

/** How long a job does not send again: about as long as its claim lasts. */
const ONCE_MS = 30_000
/** More than the deliveries in progress. Each entry has responses of up to 64 KiB. */
const ONCE_ENTRIES_MAX = 256

/** The results of a service's sends, by job. */
type Sent<T> = Map<string, { readonly sinceMs: number; readonly result: Promise<T> }>

/**
 * Sends once per job, however often the job is decided again: a failed guard needs a new decision, not a new attempt. Each
 * service of this process remembers its own.
 */
export function createOnce<T>() {
  const sentBy = new WeakMap<Op['db'], Sent<T>>()
  return (op: Op, send: () => Promise<T>): Promise<T> => {
    const sent: Sent<T> = sentBy.get(op.db) ?? new Map()
    sentBy.set(op.db, sent)
    const now = performance.now()
    for (const [id, { sinceMs }] of sent) {
      if (now - sinceMs < ONCE_MS && sent.size < ONCE_ENTRIES_MAX) break
      sent.delete(id)
    }
    if (op.actor.kind !== 'job') return send()
    const known = sent.get(op.actor.jobId)
    if (known) return known.result
    const result = send()
    sent.set(op.actor.jobId, { sinceMs: now, result })
    return result
  }
}
