import type { journal_get } from '@countersign/contract/books/journal'
import type { QueryOf } from '@countersign/contract/core/endpoint'
import { present } from '@countersign/contract/core/objects'
import { toUtcDay } from '../../base/formats/utc-day.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError, type TextBody } from '../../kernel/operation/operation.ts'
import { checkComplete, createChart, type FindChartAccount } from './chart.ts'
import { JOURNAL_WRITERS } from './journal-formats.ts'
import { type PostedRow, selectAccountKinds, selectChart, selectPosted } from './store.ts'
import type { Posted, Writer, WriterSettings } from './writer.ts'

/** Rows per batch: few enough that many downloads fit into memory at the same time. */
const BATCH_ROWS = 500
const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Writes the journal of a period to a file. Throws 400 `INVALID_INPUT` if the period ends before it begins or
 * the format requires a currency, 409 `CHART_OF_ACCOUNTS_INCOMPLETE`.
 */
export async function buildJournalFile(
  op: Op,
  query: QueryOf<typeof journal_get>,
): Promise<TextBody<'csv' | 'plain'>> {
  const from = new Date(query.from)
  const to = new Date(query.to)
  if (to < from) throw createFieldError('INVALID_INPUT', 'to', 'to must not be before from')
  const { format = 'csv', currency } = query
  const { type, extension, needsChart, needsCurrency, open } = JOURNAL_WRITERS[format]
  if (needsCurrency && currency === undefined)
    throw createFieldError(
      'INVALID_INPUT',
      'currency',
      `A ${format} file holds a single currency. Set currency.`,
    )
  const row = await selectChart(op)
  const find = createChart(row?.accounts ?? [])
  if (needsChart) {
    const kinds = await selectAccountKinds(op)
    checkComplete(
      find,
      kinds.filter((kind) => currency === undefined || kind.currency === currency),
    )
  }
  const settings: WriterSettings = {
    dateFormat: row?.date_format ?? 'YYYY-MM-DD',
    taxRate: row?.tax_rate ?? 'Tax Exempt',
  }
  const fileName = `journal-${toUtcDay(from)}-${toUtcDay(to)}.${extension}`
  const pieces = generatePieces(op, { from, to, ...present({ currency }) }, find, open(settings))
  return { type, fileName, pieces }
}

/** Generates the file day by day, so that posting dates are in ascending order. */
async function* generatePieces(
  op: Op,
  period: { readonly from: Date; readonly to: Date; readonly currency?: string },
  find: FindChartAccount,
  writer: Writer,
): AsyncGenerator<string> {
  let head = writer.head
  for (const day of splitIntoDays(op, period)) {
    let after: string | undefined
    do {
      const rows = await selectPosted(op, { ...period, ...day }, after, BATCH_ROWS)
      const piece = head + writer.write(rows.map((row) => toPosted(row, find)))
      if (piece !== '') yield piece
      head = ''
      after = rows.length < BATCH_ROWS ? undefined : rows.at(-1)?.id
    } while (after !== undefined)
    const end = writer.endDay(day.from)
    if (end !== '') yield end
  }
  if (head !== '') yield head
}

/** The UTC days of a period, clipped to the time from the platform's creation to today. */
function* splitIntoDays(op: Op, period: { readonly from: Date; readonly to: Date }) {
  const to = Math.min(period.to.getTime(), op.now.getTime() + DAY_MS)
  let from = Math.max(period.from.getTime(), op.platform.created_at.getTime() - DAY_MS)
  while (from < to) {
    const next = Math.min(to, (Math.floor(from / DAY_MS) + 1) * DAY_MS)
    yield { from: new Date(from), to: new Date(next) }
    from = next
  }
}

function toPosted(row: PostedRow, find: FindChartAccount): Posted {
  const { id, amount, currency, cause } = row
  const debit = find({ name: row.debit_name, isOwn: row.debit_is_own, currency })
  const credit = find({ name: row.credit_name, isOwn: row.credit_is_own, currency })
  return {
    id,
    at: row.ended_at,
    debit: { accountId: row.debit_account_id, account: debit },
    credit: { accountId: row.credit_account_id, account: credit },
    amount,
    currency,
    cause,
    causeId: row.cause_id,
  }
}
