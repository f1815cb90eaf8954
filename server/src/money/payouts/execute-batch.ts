import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { payout_batch_execute } from '@countersign/contract/payments/payout-batches'
import { PAYOUT_BATCH_TRANSITIONS, type PayoutBatchEvent } from '@countersign/contract/states/payout-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { findPlatform, markPlatformChanged } from '../../people/platforms/platforms.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { PayoutBatchRow } from '../../storage/rows/payout.ts'
import { checkAvailable } from '../transfers/transfer-out.ts'
import { Payers } from './judge-line.ts'
import { sumByCurrency } from './payout-batches.ts'
import { selectSameFile } from './store.ts'

type ExecuteBody = BodyOf<typeof payout_batch_execute>

/**
 * Checks that a batch can be executed, and that the caller has seen its totals. Throws 409
 * `INVALID_STATE_TRANSITION`, `PAYOUT_BATCH_FAULTY`, `PAYOUT_TOTALS_DIFFERENT`, 400 `INSUFFICIENT_BALANCE`.
 */
export async function checkExecutable(op: Op, batch: PayoutBatchRow, body: ExecuteBody): Promise<void> {
  checkTransition(batch, 'execute')
  const { checked, faulty } = batch
  if (faulty > 0 && (checked === faulty || body.skipFaulty !== true))
    throw new ApiError('PAYOUT_BATCH_FAULTY', {
      message: `${faulty} of ${checked} lines cannot be paid. Correct them in another batch, or set skipFaulty to pay only the other lines.`,
      details: { field: 'skipFaulty', faulty },
    })
  const amounts = sumByCurrency(batch)
  checkTotals(amounts, body.totals)
  const payers = new Payers(op)
  for (const [currency, amount] of amounts) {
    const account = await payers.find(currency)
    checkAvailable(account, account.posted - account.held, amount)
  }
}

/**
 * Checks that no other batch has paid any part of the same file. Guard: the platform is unchanged, so if two
 * batches with the same file are executed concurrently, one of them runs again and fails. Throws 409
 * `PAYOUT_FILE_PAID_BEFORE`.
 */
export async function checkFileIsNew(
  op: Op,
  batch: PayoutBatchRow,
  { payAgain }: ExecuteBody,
): Promise<readonly Write[]> {
  if (batch.file_sha256 === null || payAgain === true) return []
  const platform = await findPlatform(op)
  const payoutBatchId = await selectSameFile(op, batch, { orMay: false })
  if (payoutBatchId === null) return [markPlatformChanged(op, platform)]
  throw new ApiError('PAYOUT_FILE_PAID_BEFORE', {
    message: `${payoutBatchId} has already paid a file with the same content. To pay it again, set payAgain.`,
    details: { field: 'payAgain', payoutBatchId },
  })
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the batch's state. */
export function checkTransition({ state }: PayoutBatchRow, batchEvent: PayoutBatchEvent): void {
  checkEvent(PAYOUT_BATCH_TRANSITIONS, state, batchEvent, `A batch that is ${state} does not allow this.`)
}

function checkTotals(amounts: ReadonlyMap<string, bigint>, statedTotals: ExecuteBody['totals']): void {
  const isEqual =
    statedTotals.length === amounts.size &&
    statedTotals.every(({ currency, amount }) => amounts.get(currency) === amount)
  if (isEqual && new Set(statedTotals.map(({ currency }) => currency)).size === statedTotals.length) return
  const totals = [...amounts].map(([currency, amount]) => ({ currency, amount }))
  throw new ApiError('PAYOUT_TOTALS_DIFFERENT', { details: { field: 'totals', totals } })
}
