import type { DeliveryAttempt as AttemptSchema } from '@countersign/contract/events/webhooks'
import type { Static } from 'typebox'

export type Attempt = Static<typeof AttemptSchema>

/** Consecutive attempts with the same result at the same URL, oldest first. */
export interface AttemptGroup {
  readonly isReceived: boolean
  /** `Response 500`, or the error if there was no response. */
  readonly result: string
  readonly url: string
  readonly attempts: readonly Attempt[]
}

/** 409 means that the receiver has already processed the event. */
export function isReceived({ responseStatus: status }: Attempt): boolean {
  return status !== undefined && ((status >= 200 && status < 300) || status === 409)
}

export function describeResult({ responseStatus, error }: Attempt): string {
  return responseStatus === undefined ? `No response: ${error ?? 'unknown'}` : `Response ${responseStatus}`
}

/** Groups consecutive attempts with the same result, so that hundreds of retries take one line. */
export function groupAttempts(attempts: readonly Attempt[]): readonly AttemptGroup[] {
  const groups: AttemptGroup[] = []
  for (const attempt of attempts) {
    const previous = groups.at(-1)
    const result = describeResult(attempt)
    if (previous && previous.result === result && previous.url === attempt.url)
      groups[groups.length - 1] = { ...previous, attempts: [...previous.attempts, attempt] }
    else groups.push({ isReceived: isReceived(attempt), result, url: attempt.url, attempts: [attempt] })
  }
  return groups
}
