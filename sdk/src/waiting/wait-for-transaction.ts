import type { Answer, Caller } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type Transaction = Answer<'transaction_get'>['body']

const IN_PROGRESS: ReadonlySet<string> = new Set(['CREATED', 'PENDING', 'PROCESSING'])

/** The transaction is not final within the timeout. */
export class StillUnderWayError extends Error {
  override readonly name = 'StillUnderWayError'
  readonly transaction: Transaction

  constructor(transaction: Transaction, timeoutMs: number) {
    super(`${transaction.id} is still ${transaction.status} after ${timeoutMs} ms.`)
    this.transaction = transaction
  }
}

/**
 * Polls a transaction until it is final, whatever the outcome (specification 3.3): check its `status`. A bank
 * can still return a COMPLETED payment later. Rejects with StillUnderWayError on timeout.
 */
export async function waitForTransaction(
  caller: Caller,
  transactionId: string,
  options: WaitOptions = {},
): Promise<Transaction> {
  const params = { transactionId }
  return waitUntilFinal(
    async (signal) => (await caller.call('transaction_get', { params, ...(signal && { signal }) })).body,
    options,
  )
}

/** Like `waitForTransaction`, but with another way to fetch the transaction, such as an agent's. */
export async function waitUntilFinal(
  read: (signal: AbortSignal | undefined) => Promise<Transaction>,
  options: WaitOptions,
): Promise<Transaction> {
  const { isFinished, last, timeoutMs } = await waitUntil(
    read,
    ({ status }) => !IN_PROGRESS.has(status),
    options,
  )
  if (!isFinished) throw new StillUnderWayError(last, timeoutMs)
  return last
}
