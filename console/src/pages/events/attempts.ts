import type { DeliveryAttempt as AttemptSchema } from '@countersign/contract/events/webhooks'
import type { Static } from 'typebox'

export type Attempt = Static<typeof AttemptSchema>

/** Attempts in a row with the same result at the same address, oldest first. */
export interface AttemptGroup {
  readonly isReceived: boolean
  /** `Response 500`, or why there was none. */
  readonly result: string
  readonly url: string
  readonly attempts: readonly Attempt[]
}

/** 409 means that the receiver already has the event. */
export function isReceived({ responseStatus: status }: Attempt): boolean {
  return status !== undefined && ((status >= 200 && status < 300) || status === 409)
}

export function resultOf({ responseStatus, error }: Attempt): string {
  return responseStatus === undefined ? `No response: ${error ?? 'unknown'}` : `Response ${responseStatus}`
}

/** Folds repeated results, so that hundreds of retries are one line. */
export function groupAttempts(attempts: readonly Attempt[]): readonly AttemptGroup[] {
  const groups: AttemptGroup[] = []
  for (const attempt of attempts) {
    const last = groups.at(-1)
    const result = resultOf(attempt)
    if (last && last.result === result && last.url === attempt.url)
      groups[groups.length - 1] = { ...last, attempts: [...last.attempts, attempt] }
    else groups.push({ isReceived: isReceived(attempt), result, url: attempt.url, attempts: [attempt] })
  }
  return groups
}
