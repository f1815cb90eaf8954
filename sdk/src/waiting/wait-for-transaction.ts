import type { Answer, Caller } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type Transaction = Answer<'transaction_get'>['body']

const UNDER_WAY: ReadonlySet<string> = new Set(['CREATED', 'PENDING', 'PROCESSING'])

/** The transaction did not end within the timeout. */
export class StillUnderWayError extends Error {
  override readonly name = 'StillUnderWayError'
  readonly transaction: Transaction

  constructor(transaction: Transaction, timeoutMs: number) {
    super(`${transaction.id} is still ${transaction.status} after ${timeoutMs} ms.`)
    this.transaction = transaction
  }
}

/**
 * Polls a transaction until it is final, with any outcome (specification 3.3): check its `status`. A bank can
 * still return a COMPLETED payment later. Rejects with StillUnderWayError on timeout.
 */
export async function waitForTransaction(
  caller: Caller,
  transactionId: string,
  options: WaitOptions = {},
): Promise<Transaction> {
  const params = { transactionId }
  return untilEnded(
    async (signal) => (await caller.call('transaction_get', { params, ...(signal && { signal }) })).body,
    options,
  )
}

/** Waits with another way to read the transaction, such as an agent's. */
export async function untilEnded(
  read: (signal: AbortSignal | undefined) => Promise<Transaction>,
  options: WaitOptions,
): Promise<Transaction> {
  const { isOver, last, timeoutMs } = await waitUntil(read, ({ status }) => !UNDER_WAY.has(status), options)
  if (!isOver) throw new StillUnderWayError(last, timeoutMs)
  return last
}
