import type { EventType } from '../generated/types.ts'
import { wait } from '../time/wait.ts'
import type { ItemOf } from './calls.ts'
import type { Client } from './client.ts'
import { ConnectionError, CountersignError } from './errors.ts'

/** An event of the feed, as `events.list` gives it. */
export type PlatformEvent = ItemOf<'event_list'>

export interface FollowOptions {
  /** The id of the last seen event: begins after it. Default: begins with the next event. */
  readonly after?: string
  /** Only events of these types. Default: all. */
  readonly types?: readonly EventType[]
  /** At most once a second, and only the latest event per type: for pages that reload changed data. */
  readonly latestOnly?: boolean
  /** Ends the generator, without an error. */
  readonly signal?: AbortSignal
  /** Called when the stream opens, and when it is lost and reconnects, with the reason. */
  readonly onConnection?: (isOpen: boolean, error?: unknown) => void
  /** Waits before the stream reconnects. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

const PAUSE_MS = 500
const PAUSE_MS_MAX = 15_000

/**
 * Every event of the platform as it happens, in order and without duplicates. A broken stream reconnects
 * behind the last event, as often as it takes: store the id of the last handled event, and give it as `after`
 * to a new process. Throws CountersignError if the server refuses the credentials, or an unknown `after`.
 */
export async function* followEvents(
  client: Pick<Client, 'openEvents'>,
  options: FollowOptions = {},
): AsyncGenerator<PlatformEvent, void, undefined> {
  const { types, latestOnly, signal, onConnection, sleep = wait } = options
  let { after } = options
  let pauses = 0
  for (;;) {
    try {
      const messages = await client.openEvents({ after, types, latestOnly, signal })
      onConnection?.(true)
      for await (const { id, event } of messages) {
        pauses = 0
        after = id ?? after
        if (event) yield event as PlatformEvent
      }
      // The server closed the stream cleanly.
      onConnection?.(false)
    } catch (error) {
      if (signal?.aborted) return
      if (!isPassing(error)) throw error
      onConnection?.(false, error)
    }
    if (signal?.aborted) return
    const pauseMs = Math.min(PAUSE_MS * 2 ** Math.min(pauses, 10), PAUSE_MS_MAX)
    pauses += 1
    try {
      await sleep(pauseMs, signal)
    } catch {
      return
    }
  }
}

/** True if the same call may succeed later: the server is unavailable, busy, or being replaced. */
function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof CountersignError && (error.status === 429 || error.status >= 500)
}
