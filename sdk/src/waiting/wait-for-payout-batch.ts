import type { Answer, Caller } from '../client/calls.ts'
import { type WaitOptions, waitUntil } from './wait-until.ts'

export type PayoutBatch = Answer<'payout_batch_get'>['body']

export interface PayoutWaitOptions extends WaitOptions {
  /** Called after each read. */
  readonly onProgress?: (batch: PayoutBatch) => void
}

const IN_PROGRESS: ReadonlySet<string> = new Set(['CHECKING', 'SENDING'])

/** The batch was still checked or sent at the end of the time. It continues. */
export class PayoutBatchInProgressError extends Error {
  override readonly name = 'PayoutBatchInProgressError'
  readonly payoutBatch: PayoutBatch

  constructor(payoutBatch: PayoutBatch, timeoutMs: number) {
    super(`${payoutBatch.id} is still ${payoutBatch.status} after ${timeoutMs} ms.`)
    this.payoutBatch = payoutBatch
  }
}

/**
 * Polls a payout batch until its checks or its payments end: until it is READY, or after its execution
 * COMPLETED. Rejects with PayoutBatchInProgressError on timeout.
 */
export async function waitForPayoutBatch(
  caller: Caller,
  payoutBatchId: string,
  options: PayoutWaitOptions = {},
): Promise<PayoutBatch> {
  const { onProgress } = options
  const look = async (signal: AbortSignal | undefined) => {
    const input = { params: { payoutBatchId }, ...(signal && { signal }) }
    const { body } = await caller.call('payout_batch_get', input)
    onProgress?.(body)
    return body
  }
  const { isOver, last, timeoutMs } = await waitUntil(look, ({ status }) => !IN_PROGRESS.has(status), options)
  if (!isOver) throw new PayoutBatchInProgressError(last, timeoutMs)
  return last
}
