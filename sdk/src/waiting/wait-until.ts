import { wait } from '../time/wait.ts'

export interface WaitOptions {
  /** The timeout in milliseconds. Default: 30 000. */
  readonly timeoutMs?: number
  /** The longest pause between two polls, in milliseconds. The first pauses are shorter. Default: 1 000. */
  readonly pollEveryMs?: number
  readonly signal?: AbortSignal
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Returns milliseconds since some fixed point in time. */
  readonly clock?: () => number
}

const TIMEOUT_MS = 30_000
const INTERVAL_MS = 25
const INTERVAL_MS_MAX = 1_000

/** The result of polling: the accepted value, or the last one before the timeout. */
export interface Waited<T> {
  readonly isFinished: boolean
  readonly last: T
  readonly timeoutMs: number
}

/** Polls with increasing pauses until `isFinished` accepts the value or the timeout is reached. */
export async function waitUntil<T>(
  poll: (signal: AbortSignal | undefined) => Promise<T>,
  isFinished: (value: T) => boolean,
  options: WaitOptions,
): Promise<Waited<T>> {
  const { timeoutMs = TIMEOUT_MS, pollEveryMs = INTERVAL_MS_MAX, signal } = options
  const { sleep = wait, clock = () => performance.now() } = options
  const deadlineMs = clock() + timeoutMs
  for (let intervalMs = INTERVAL_MS; ; intervalMs *= 2) {
    const last = await poll(signal)
    if (isFinished(last)) return { isFinished: true, last, timeoutMs }
    const leftMs = deadlineMs - clock()
    if (leftMs <= 0) return { isFinished: false, last, timeoutMs }
    await sleep(Math.min(intervalMs, pollEveryMs, leftMs), signal)
  }
}
