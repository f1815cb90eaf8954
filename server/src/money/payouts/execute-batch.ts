import type { BodyOf } from '@countersign/contract/core/endpoint'
import type { payout_batch_execute } from '@countersign/contract/payments/payout-batches'
import { PAYOUT_BATCH_TRANSITIONS, type PayoutBatchEvent } from '@countersign/contract/states/payout-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import { checkEvent } from '../../kernel/operation/transition.ts'
import { findPlatform, platformChanged } from '../../people/platforms/platforms.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { PayoutBatchRow } from '../../storage/rows/payout.ts'
import { checkAvailable } from '../transfers/transfer-out.ts'
import { Payers } from './judge-line.ts'
import { amountsByCurrency } from './payout-batches.ts'
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
      message: `${faulty} of ${checked} lines cannot be paid. Correct them in another batch, or execute with skipFaulty.`,
      details: { field: 'skipFaulty', faulty },
    })
  const amounts = amountsByCurrency(batch)
  checkTotals(amounts, body.totals)
  const payers = new Payers(op)
  for (const [currency, amount] of amounts) {
    const account = await payers.find(currency)
    checkAvailable(account, account.posted - account.held, amount)
  }
}

/**
 * Checks that no other batch has paid any part of the same file. Guard: the platform is unchanged, so if two
 * such batches are executed concurrently, one of them runs again and fails. Throws 409
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
  if (payoutBatchId === null) return [platformChanged(op, platform)]
  throw new ApiError('PAYOUT_FILE_PAID_BEFORE', {
    message: `${payoutBatchId} has paid a file with the same content. To pay it once more, execute with payAgain.`,
    details: { field: 'payAgain', payoutBatchId },
  })
}

/** Throws 409 `INVALID_STATE_TRANSITION` if the event is impossible in the batch's state. */
export function checkTransition({ state }: PayoutBatchRow, by: PayoutBatchEvent): void {
  checkEvent(PAYOUT_BATCH_TRANSITIONS, state, by, `The batch is ${state}.`)
}

function checkTotals(amounts: ReadonlyMap<string, bigint>, stated: ExecuteBody['totals']): void {
  const isEqual =
    stated.length === amounts.size && stated.every(({ currency, amount }) => amounts.get(currency) === amount)
  if (isEqual && new Set(stated.map(({ currency }) => currency)).size === stated.length) return
  const totals = [...amounts].map(([currency, amount]) => ({ currency, amount }))
  throw new ApiError('PAYOUT_TOTALS_DIFFERENT', { details: { field: 'totals', totals } })
}
