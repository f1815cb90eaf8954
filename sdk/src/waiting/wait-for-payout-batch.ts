import type { Answer, Caller } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type PayoutBatch = Answer<'payout_batch_get'>['body']

export interface PayoutWaitOptions extends WaitOptions {
  /** Called with the batch after each poll. */
  readonly onProgress?: (batch: PayoutBatch) => void
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['CHECKING', 'SENDING'])

/** The batch was still being checked or sent when the timeout elapsed. It continues on the server. */
export class PayoutBatchInProgressError extends Error {
  override readonly name = 'PayoutBatchInProgressError'
  readonly payoutBatch: PayoutBatch

  constructor(payoutBatch: PayoutBatch, timeoutMs: number) {
    super(`${payoutBatch.id} is still ${payoutBatch.status} after ${timeoutMs} ms.`)
    this.payoutBatch = payoutBatch
  }
}

/**
 * Polls a payout batch until it has been checked (READY) or, after it was executed, sent (COMPLETED). Rejects
 * with PayoutBatchInProgressError on timeout.
 */
export async function waitForPayoutBatch(
  caller: Caller,
  payoutBatchId: string,
  options: PayoutWaitOptions = {},
): Promise<PayoutBatch> {
  const { onProgress } = options
  const fetchBatch = async (signal: AbortSignal | undefined) => {
    const input = { params: { payoutBatchId }, ...(signal && { signal }) }
    const { body } = await caller.call('payout_batch_get', input)
    onProgress?.(body)
    return body
  }
  const { isFinished, last, timeoutMs } = await waitUntil(
    fetchBatch,
    ({ status }) => !IN_PROGRESS.has(status),
    options,
  )
  if (!isFinished) throw new PayoutBatchInProgressError(last, timeoutMs)
  return last
}
