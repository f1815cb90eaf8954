import type { Logger } from 'pino'
import type { HttpResponse } from '../request/call.ts'
import type { Trace } from '../request/trace.ts'

/** Two seconds minus the transmission time of the response. */
const RESPONSE_MS_MAX = 1_800

/** A response, and a function that reverts its effects if it comes too late. */
export interface InTime {
  readonly answer: HttpResponse
  readonly revert: (() => Promise<void>) | undefined
}

/** Responds in time to callers with a deadline. */
export interface Deadline {
  /**
   * Resolves with the result of `decide`, or with `timedOut` at the deadline. Effects of a late decision are
   * reverted.
   */
  answer(
    trace: Trace,
    timedOut: HttpResponse,
    decide: (isLate: () => boolean) => Promise<InTime>,
  ): Promise<HttpResponse>
  /** Resolves once all late decisions are finished. Used when the server closes. */
  waitForAll(): Promise<void>
}

export function createDeadline(log: Logger, responseMsMax = RESPONSE_MS_MAX): Deadline {
  const lateDecisions = new Set<Promise<void>>()
  return {
    answer(trace, timedOut, decide) {
      let isLate = false
      let timer: NodeJS.Timeout
      const timeout = new Promise<HttpResponse>((resolve) => {
        timer = setTimeout(() => {
          isLate = true
          lateDecisions.add(ending)
          resolve(timedOut)
        }, responseMsMax)
      })
      const decision = decide(() => isLate)
      const ending = decision
        .then(({ revert }) => (isLate ? revert?.() : undefined))
        .catch((error: unknown) => {
          if (isLate) log.error({ err: error, ...trace }, 'late authorization failed')
        })
        .finally(() => lateDecisions.delete(ending))
      return Promise.race([decision.then(({ answer }) => answer), timeout]).finally(() => clearTimeout(timer))
    },
    async waitForAll() {
      await Promise.all(lateDecisions)
    },
  }
}
