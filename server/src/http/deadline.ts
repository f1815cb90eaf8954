import type { Logger } from 'pino'
import type { Answer } from './call.ts'
import type { Trace } from './observe.ts'

/** Two seconds less what the answer needs on its way. */
const ANSWER_MS_MAX = 1_800

/** The answer to a question, and what takes back what was done for it, where it comes too late. */
export interface InTime {
  readonly answer: Answer
  readonly takeBack: (() => Promise<void>) | undefined
}

/** Answers somebody who waits so long only. */
export interface Deadline {
  /** What `decide` comes to, or `timedOut` where that takes too long; what it does after that is taken back. */
  answer(trace: Trace, timedOut: Answer, decide: (isLate: () => boolean) => Promise<InTime>): Promise<Answer>
  /** Decisions that came too late are waited for by nobody but who closes the server. */
  settled(): Promise<void>
}

export function createDeadline(log: Logger, answerMsMax = ANSWER_MS_MAX): Deadline {
  const late = new Set<Promise<void>>()
  return {
    answer(trace, timedOut, decide) {
      let isLate = false
      let timer: NodeJS.Timeout
      const timeout = new Promise<Answer>((resolve) => {
        timer = setTimeout(() => {
          isLate = true
          late.add(ending)
          resolve(timedOut)
        }, answerMsMax)
      })
      const decision = decide(() => isLate)
      const ending = decision
        .then(({ takeBack }) => (isLate ? takeBack?.() : undefined))
        .catch((error: unknown) => {
          if (isLate) log.error({ err: error, ...trace }, 'an authorization that was late failed')
        })
        .finally(() => late.delete(ending))
      return Promise.race([decision.then(({ answer }) => answer), timeout]).finally(() => clearTimeout(timer))
    },
    async settled() {
      await Promise.all(late)
    },
  }
}
