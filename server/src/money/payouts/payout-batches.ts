import { isKnownCurrency, toCurrencyRecord } from '@countersign/contract/core/currencies'
import type { BodyOf, SuccessOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import type { payout_batch_create, payout_batch_get } from '@countersign/contract/payments/payout-batches'
import { PAYOUT_BATCH_INITIAL, PAYOUT_LINE_INITIAL } from '@countersign/contract/states/payout-states'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { UploadedFile } from '../../kernel/operation/uploaded-file.ts'
import { job } from '../../kernel/outbox/jobs.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { PayoutBatchRow, PayoutLineRow, PayoutTotal } from '../../storage/rows/payout.ts'
import { selectBatch } from './store.ts'

/** A payout, as described in a request or in a row of a file. */
export type LineBody = BodyOf<typeof payout_batch_create>['lines'][number]

type BatchView = SuccessOf<typeof payout_batch_get>['body']

/** Throws 404 `PAYOUT_BATCH_NOT_FOUND`. */
export async function findBatch(op: Op, id: string): Promise<PayoutBatchRow> {
  const batch = await selectBatch(op, id)
  if (!batch) throw new ApiError('PAYOUT_BATCH_NOT_FOUND', { details: { field: 'payoutBatchId' } })
  return batch
}

interface NewBatch {
  readonly name: string | undefined
  readonly file: Pick<UploadedFile, 'id' | 'sha256'> | undefined
  readonly lines: number
}

/** A new batch. `lines` is 0 for a file, whose lines have not been counted yet. */
export function newBatch(op: Op, { name, file, lines }: NewBatch): PayoutBatchRow {
  return {
    id: op.newId('PayoutBatch'),
    platform_id: op.platform.id,
    state: PAYOUT_BATCH_INITIAL,
    name: name ?? null,
    file_id: file?.id ?? null,
    file_sha256: file?.sha256 ?? null,
    same_file_id: null,
    columns: null,
    next_byte: 0n,
    lines,
    checked: 0,
    faulty: 0,
    sent: 0,
    failed: 0,
    next_line: 1,
    totals: [],
    file_error: null,
    completed_at: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** A line that has not been checked. `body` is undefined if the row cannot be read. */
export function newLine(
  op: Op,
  batch: PayoutBatchRow,
  line: number,
  body: LineBody | undefined,
): PayoutLineRow {
  return {
    id: op.newId('PayoutLine'),
    platform_id: op.platform.id,
    batch_id: batch.id,
    line,
    state: PAYOUT_LINE_INITIAL,
    reference: body?.reference ?? null,
    account_id: null,
    currency: body?.currency ?? null,
    amount: body?.amount ?? null,
    rail: null,
    payment_rail: body?.paymentRail ?? null,
    request: present({
      accountId: body?.accountId,
      accountInfo: body?.accountInfo,
      remittanceInformation: body?.remittanceInformation,
    }),
    code: null,
    message: null,
    field: null,
    transaction_id: null,
    created_at: op.now,
    updated_at: op.now,
  }
}

/** Creates the job that checks or pays the next lines. */
export function scheduleNextRun(op: Op, { id }: Pick<PayoutBatchRow, 'id'>): Write {
  return job(op, 'payouts.run', { batchId: id }, op.now)
}

/** Adds lines to totals, which have a fixed order. */
export function addToTotals(totals: readonly PayoutTotal[], lines: readonly PayoutLineRow[]): PayoutTotal[] {
  const sums = new Map<
    string,
    { readonly currency: string; readonly rail: string; lines: number; amount: bigint }
  >()
  const add = (currency: string, rail: string, count: number, amount: bigint) => {
    const key = `${currency} ${rail}`
    const sum = sums.get(key) ?? { currency, rail, lines: 0, amount: 0n }
    sums.set(key, { ...sum, lines: sum.lines + count, amount: sum.amount + amount })
  }
  for (const total of totals) add(total.currency, total.rail, total.lines, BigInt(total.amount))
  for (const { currency, rail, amount } of lines)
    if (currency !== null && rail !== null && amount !== null) add(currency, rail, 1, amount)
  return [...sums]
    .sort(([first], [second]) => (first < second ? -1 : 1))
    .map(([, sum]) => ({ ...sum, amount: String(sum.amount) }))
}

/** The amounts that a batch will pay, by currency. */
export function sumByCurrency({ totals }: Pick<PayoutBatchRow, 'totals'>): ReadonlyMap<string, bigint> {
  const amounts = new Map<string, bigint>()
  for (const { currency, amount } of totals)
    amounts.set(currency, (amounts.get(currency) ?? 0n) + BigInt(amount))
  return amounts
}

export function batchView(row: PayoutBatchRow): BatchView {
  const { lines, checked, faulty, sent, failed } = row
  return present({
    id: row.id,
    status: row.state,
    name: row.name,
    progress: { lines, checked, faulty, sent, failed },
    totals: row.totals.map(({ currency, rail, lines, amount }) => ({
      rail,
      lines,
      total: toMoneyView(BigInt(amount), currency),
    })),
    sameFileAs: row.same_file_id,
    error: row.file_error,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    completedAt: row.completed_at?.toISOString(),
  })
}

export function toPayoutLineView(row: PayoutLineRow) {
  const { code, message, field, amount, currency } = row
  return present({
    id: row.id,
    line: row.line,
    status: row.state,
    reference: row.reference,
    accountId: row.account_id,
    amount:
      amount !== null && currency !== null && isKnownCurrency(currency)
        ? toMoneyView(amount, currency)
        : undefined,
    rail: row.rail,
    paymentRail: row.payment_rail,
    remittanceInformation: row.request.remittanceInformation,
    transactionId: row.transaction_id,
    error: code === null || message === null ? undefined : present({ code, message, field }),
  })
}

function toMoneyView(amount: bigint, currency: string) {
  if (!isKnownCurrency(currency)) throw new Error(`Unknown payout currency ${currency}`)
  return { amount, currency: toCurrencyRecord(currency) }
}
