import type { EventType } from '../generated/types.ts'
import { wait } from '../time/wait.ts'
import type { ItemOf } from './calls.ts'
import type { Client } from './client.ts'
import { ConnectionError, CountersignError } from './errors.ts'

/** An event as `events.list` returns it. */
export type PlatformEvent = ItemOf<'event_list'>

export interface FollowOptions {
  /** Starts after the event with this id. Default: starts with the next new event. */
  readonly after?: string
  /** Restricts the stream to these event types. Default: all types. */
  readonly types?: readonly EventType[]
  /**
   * Sends only the latest event of each type, at most once a second. For pages that only need to know what to
   * reload.
   */
  readonly latestOnly?: boolean
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal
  /** Called when the stream connects and when it disconnects. `error` is the reason, if known. */
  readonly onConnection?: (isOpen: boolean, error?: unknown) => void
  /** Replaces the pause before a reconnect. */
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
}

const PAUSE_MS = 500
const PAUSE_MS_MAX = 15_000

/**
 * Yields the platform's events as they happen, in order and without duplicates. Reconnects after the last
 * event whenever the stream breaks. Store the id of the last event you handled, and pass it as `after` when
 * the process restarts; throws CountersignError if the server rejects the credentials or `after` is unknown.
 */
export async function* followEvents(
  client: Pick<Client, 'openEvents'>,
  options: FollowOptions = {},
): AsyncGenerator<PlatformEvent, void, undefined> {
  const { types, latestOnly, signal, onConnection, sleep = wait } = options
  let { after } = options
  let failures = 0
  for (;;) {
    try {
      const messages = await client.openEvents({ after, types, latestOnly, signal })
      onConnection?.(true)
      for await (const { id, event } of messages) {
        failures = 0
        after = id ?? after
        if (event) yield event as PlatformEvent
      }
      // The server closed the stream cleanly.
      onConnection?.(false)
    } catch (error) {
      if (signal?.aborted) return
      if (!isTemporary(error)) throw error
      onConnection?.(false, error)
    }
    if (signal?.aborted) return
    const pauseMs = Math.min(PAUSE_MS * 2 ** Math.min(failures, 10), PAUSE_MS_MAX)
    failures += 1
    try {
      await sleep(pauseMs, signal)
    } catch {
      return
    }
  }
}

/** True if the same call may succeed later, because the server is unavailable, busy or restarting. */
function isTemporary(error: unknown): boolean {
  if (error instanceof ConnectionError) return true
  return error instanceof CountersignError && (error.status === 429 || error.status >= 500)
}
