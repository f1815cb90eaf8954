import { type App, newRequestId } from '../../kernel/operation/app.ts'
import { type Background, inBackground } from '../../kernel/operation/background.ts'
import { runEndpoint } from './endpoint-run.ts'
import { claimEndpoints, isAnyEnabled, releaseEndpoints } from './sender-store.ts'

/** The interval of looking for endpoints with something due. A commit with events wakes the sender sooner. */
const LOOK_MS = 500
/** The most endpoints that a process sends to at the same time: each has up to 32 requests and 1,024 events in memory. */
const RUNS_MAX = 256
/** A claim reads the feeds of all endpoints: the more there are, the rarer are the claims. */
const REST_SHARE = 10

/** Sends events to the endpoints of all platforms. Of several processes one at a time sends to an endpoint. */
export function keepSending(app: App): Background {
  const claimant = newRequestId(app.clock())
  const stopping = new AbortController()
  const runs = new Map<string, Promise<void>>()
  let isAny = false
  let lookedMs = Number.NEGATIVE_INFINITY
  let restsUntilMs = Number.NEGATIVE_INFINITY
  let isWokenMeanwhile = false
  let isReleased = app.db.kind !== 'embedded'

  const look = async () => {
    // Commits wake it often, so it remembers for a while if there are endpoints.
    if (performance.now() - lookedMs >= LOOK_MS) {
      lookedMs = performance.now()
      isAny = await isAnyEnabled(app.db)
    }
    const room = RUNS_MAX - runs.size
    if (!isAny || room <= 0 || performance.now() < restsUntilMs || stopping.signal.aborted) return
    isWokenMeanwhile = runs.size > 0
    if (!isReleased) await releaseEndpoints(app.db)
    isReleased = true
    const claimsMs = performance.now()
    const found = await claimEndpoints(app.db, claimant, app.clock(), room)
    restsUntilMs = performance.now() + REST_SHARE * (performance.now() - claimsMs)
    for (const claimed of found) {
      const { id } = claimed.endpoint
      const run = runEndpoint(app, claimant, claimed, stopping.signal).finally(() => {
        runs.delete(id)
        if (isWokenMeanwhile) background.wake()
      })
      runs.set(id, run)
    }
  }
  const { tracing } = app
  // The work is not part of the trace that wakes it.
  const lookApart = () => (tracing ? tracing.apart(look) : look())
  const background = inBackground(LOOK_MS, lookApart, (error) =>
    app.log.error({ err: error }, 'looking for webhook endpoints failed'),
  )
  return {
    wake: () => background.wake(),
    async stop() {
      stopping.abort()
      await background.stop()
      await Promise.all(runs.values())
    },
  }
}
