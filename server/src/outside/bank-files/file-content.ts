import type { Op } from '../../kernel/operation/app.ts'
import type { BankFileRow, BankPaymentRow } from '../../storage/rows/bank-file.ts'
import { bacsItemOf } from './bacs-payments.ts'
import { modifierOf } from './file-names.ts'
import { type AchPayment, writeAch } from './formats/ach-writer.ts'
import { type BacsItem, writeBacs } from './formats/bacs-writer.ts'
import { writeFasterPayments } from './formats/faster-payments.ts'
import { type SepaPayment, writePain001 } from './formats/pain-001.ts'
import type { TransferFile } from './formats/pain-001-document.ts'
import { type SepaDebit, writePain008 } from './formats/pain-008.ts'
import type { WirePayment } from './formats/wire-payment.ts'
import { writeWires } from './formats/wires.ts'
import { INSTANT_BATCH } from './networks.ts'
import {
  achBatchOf,
  achPaymentOf,
  debitSequenceOf,
  sepaDebitOf,
  sepaPaymentOf,
  wirePaymentOf,
} from './queue.ts'
import { selectPaymentsOfFile } from './store.ts'

const PAGE = 1_000

/**
 * The content of a file. It depends only on the file's row and payments, so every attempt writes identical
 * bytes.
 */
export function contentOf(op: Op, file: BankFileRow): AsyncIterable<string> {
  const { format } = file
  const head = {
    messageId: file.message_name,
    createdAt: file.created_at,
    executionDate: file.executed_on,
    count: file.payments,
    total: file.total,
  }
  if (format.type === 'SEPA') return sepaContentOf(op, file, format, head)
  if (format.type === 'WIRE')
    return writeWires({ ...head, debtor: format }, each(op, file, undefined, wirePaymentOf))
  if (format.type === 'FASTER_PAYMENTS')
    return writeFasterPayments({ ...head, debtor: format }, each(op, file, undefined, wirePaymentOf))
  const [date = '', time = ''] = file.made_on.split('T')
  if (format.type === 'BACS')
    return writeBacs(
      {
        originator: format,
        madeOn: date,
        processedOn: file.executed_on,
        number: file.number,
        narrative: file.message_name,
      },
      each(op, file, undefined, bacsItemOf),
    )
  const firstOffset = Number(file.traces_before) + file.payments + 1
  const offsetTo = { account: format.accountNumber, routingNumber: format.routingNumber }
  return writeAch(
    {
      originator: format,
      date,
      time,
      modifier: modifierOf(file),
      reference: String(file.number % 100_000_000n).padStart(8, '0'),
    },
    file.batches.map(achBatchOf).map((batch, index) => ({
      ...batch,
      effectiveDate: file.executed_on,
      payments: each(op, file, file.batches[index], achPaymentOf),
      ...(format.isBalanced &&
        !batch.isPrenote && { offset: { ...offsetTo, traceSequence: firstOffset + index } }),
    })),
  )
}

/** The number of offset entries in a balanced file: each batch has one. */
export function offsetsOf({ format, batches }: BankFileRow): number {
  return format.type === 'ACH' && format.isBalanced ? batches.length : 0
}

function sepaContentOf(
  op: Op,
  file: BankFileRow,
  format: Extract<BankFileRow['format'], { type: 'SEPA' }>,
  head: TransferFile,
): AsyncIterable<string> {
  const [batch] = file.batches
  const sequence = debitSequenceOf(batch)
  if (!sequence)
    return writePain001(
      { ...head, isInstant: batch === INSTANT_BATCH, debtor: format },
      each(op, file, undefined, sepaPaymentOf),
    )
  const { debits } = format
  if (!debits) throw new Error(`The file ${file.name} has direct debits without a creditor identifier`)
  const creditor = { ...format, creditorId: debits.creditorId }
  return writePain008({ ...head, sequence, creditor }, each(op, file, undefined, sepaDebitOf))
}

/** The file name extension of a format. */
export function endingOf(format: BankFileRow['format']): 'xml' | 'ach' | 'bacs' | 'csv' {
  if (format.type === 'ACH') return 'ach'
  if (format.type === 'BACS') return 'bacs'
  return format.type === 'WIRE' && format.csv ? 'csv' : 'xml'
}

/** The payments of one batch of a file, or of all its batches, in order, read page by page. */
async function* each<Payment extends SepaPayment | SepaDebit | AchPayment | WirePayment | BacsItem>(
  op: Op,
  file: BankFileRow,
  batch: string | undefined,
  of: (row: BankPaymentRow) => Payment,
): AsyncGenerator<Payment> {
  for (let after = 0; ; ) {
    const rows = await selectPaymentsOfFile(op, file.id, after, PAGE, batch)
    for (const row of rows) yield of(row)
    const last = rows.at(-1)?.place
    if (rows.length < PAGE || last === undefined || last === null) return
    after = last
  }
}
