import { wait } from '../time/wait.ts'

export interface WaitOptions {
  /** The timeout in milliseconds of real time. Default: 30 000. */
  readonly timeoutMs?: number
  /** The longest pause between two reads, in milliseconds; the first ones are shorter. Default: 1 000. */
  readonly pollEveryMs?: number
  readonly signal?: AbortSignal
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since a fixed moment. */
  readonly clock?: () => number
}

const TIMEOUT_MS = 30_000
const INTERVAL_MS = 25
const INTERVAL_MS_MAX = 1_000

/** The result of a wait: the awaited value, or the last one at the timeout. */
export interface Waited<T> {
  readonly isOver: boolean
  readonly last: T
  readonly timeoutMs: number
}

/** Reads repeatedly, at growing intervals, until `isOver` accepts the value or the timeout is reached. */
export async function waitUntil<T>(
  look: (signal: AbortSignal | undefined) => Promise<T>,
  isOver: (seen: T) => boolean,
  options: WaitOptions,
): Promise<Waited<T>> {
  const { timeoutMs = TIMEOUT_MS, pollEveryMs = INTERVAL_MS_MAX, signal } = options
  const { sleep = wait, clock = () => performance.now() } = options
  const end = clock() + timeoutMs
  for (let intervalMs = INTERVAL_MS; ; intervalMs *= 2) {
    const last = await look(signal)
    if (isOver(last)) return { isOver: true, last, timeoutMs }
    const leftMs = end - clock()
    if (leftMs <= 0) return { isOver: false, last, timeoutMs }
    await sleep(Math.min(intervalMs, pollEveryMs, leftMs), signal)
  }
}
