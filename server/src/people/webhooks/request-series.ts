import { type Answer, NoResponse } from '../../base/http-client/answer.ts'
import type { Reach } from '../../base/http-client/connections.ts'
import { send } from '../../base/http-client/send.ts'

/** Deliveries to one URL in sequence, each after the previous one was received. */
export interface Series {
  readonly url: string
  readonly reach: Reach
  /** Requests of one owner never wait for the requests of another. */
  readonly owner: string
  readonly requests: readonly SignedRequest[]
}

export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A response, or the code of the error that prevented it. */
export type PostOutcome = { readonly response: Answer } | { readonly error: string }

export type SeriesOutcome = PostOutcome & {
  /** The time from the start of the series to the start of the request. */
  readonly startedAfterMs: number
  readonly durationMs: number
}

/**
 * Sends a series. Requests after an unreceived one, or after the time limit, have no outcome. Even the first
 * request has no outcome if it got no connection in time.
 */
export type SendSeries = (series: Series) => Promise<readonly SeriesOutcome[]>

const TIMEOUT_MS = 10_000
const RESPONSE_BYTES_MAX = 64 * 1024
/** A series starts no request after this time, so that its outcomes are recorded soon. */
export const SERIES_MS_MAX = 50

/** Sends a series in this thread. */
export async function sendSeries({ requests, ...target }: Series): Promise<readonly SeriesOutcome[]> {
  const outcomes: SeriesOutcome[] = []
  const seriesStartMs = performance.now()
  for (const request of requests) {
    const startedMs = performance.now()
    const startedAfterMs = startedMs - seriesStartMs
    if (startedAfterMs >= SERIES_MS_MAX) break
    const outcome = await postDelivery(target, request)
    if (!outcome) break
    outcomes.push({ ...outcome, startedAfterMs, durationMs: performance.now() - startedMs })
    if (!('response' in outcome && isReceived(outcome.response.status))) break
  }
  return outcomes
}

/** Sends a request. Undefined if it was not sent because other requests to the host use all connections. */
async function postDelivery(
  { url, reach, owner }: Omit<Series, 'requests'>,
  { headers, body }: SignedRequest,
): Promise<PostOutcome | undefined> {
  try {
    const response = await send(
      { method: 'POST', url, headers, body: Buffer.from(body) },
      {
        timeoutMs: TIMEOUT_MS,
        bytesMax: RESPONSE_BYTES_MAX,
        reach,
        isRepeatable: true,
        owner,
      },
    )
    // Copies the body out of its shared buffer pool, because a message between threads would copy the whole
    // pool.
    return { response: { ...response, body: new Uint8Array(response.body) } }
  } catch (error) {
    if (!(error instanceof NoResponse)) throw error
    return error.isUnsent ? undefined : { error: error.code }
  }
}

/** True for 2xx and for 409, which means that the event was received before. */
export function isReceived(status: number): boolean {
  return (status >= 200 && status < 300) || status === 409
}
