import type { Answer, Caller } from './calls.ts'
import { wait } from './wait.ts'

export type Transaction = Answer<'transaction_get'>['body']

export interface WaitOptions {
  /** How long to wait altogether, in milliseconds of real time. 30 000 unless given. */
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  readonly sleep?: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds since some moment. */
  readonly clock?: () => number
}

const TIMEOUT_MS = 30_000
const INTERVAL_MS = 25
const INTERVAL_MS_MAX = 1_000
const UNDER_WAY: ReadonlySet<string> = new Set(['CREATED', 'PENDING', 'PROCESSING'])

/** The time is up and the transaction is still under way. */
export class StillUnderWayError extends Error {
  override readonly name = 'StillUnderWayError'
  readonly transaction: Transaction

  constructor(transaction: Transaction, timeoutMs: number) {
    super(`${transaction.id} is still ${transaction.status} after ${timeoutMs} ms.`)
    this.transaction = transaction
  }
}

/**
 * Asks for a transaction until it has ended, whichever way (specification 3.3): look at its `status`. A bank can still
 * return a COMPLETED payment later. Rejects with StillUnderWayError when the time is up.
 */
export async function waitForTransaction(
  caller: Caller,
  transactionId: string,
  options: WaitOptions = {},
): Promise<Transaction> {
  const { timeoutMs = TIMEOUT_MS, signal, sleep = wait, clock = () => performance.now() } = options
  const end = clock() + timeoutMs
  for (let intervalMs = INTERVAL_MS; ; intervalMs = Math.min(intervalMs * 2, INTERVAL_MS_MAX)) {
    const { body } = await caller.call('transaction_get', {
      params: { transactionId },
      ...(signal && { signal }),
    })
    if (!UNDER_WAY.has(body.status)) return body
    const leftMs = end - clock()
    if (leftMs <= 0) throw new StillUnderWayError(body, timeoutMs)
    await sleep(Math.min(intervalMs, leftMs), signal)
  }
}
