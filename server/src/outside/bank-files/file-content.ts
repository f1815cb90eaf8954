import type { Op } from '../../kernel/operation/app.ts'
import type { BankFileRow, BankPaymentRow } from '../../storage/rows/bank-file.ts'
import { toBacsItem } from './bacs-payments.ts'
import { readModifier } from './file-names.ts'
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
  parseAchBatch,
  parseDebitSequence,
  toAchPayment,
  toSepaDebit,
  toSepaPayment,
  toWirePayment,
} from './queue.ts'
import { selectPaymentsOfFile } from './store.ts'

const PAGE = 1_000

/** Builds the content of a file from only its row and payments, so every attempt writes identical bytes. */
export function buildContent(op: Op, file: BankFileRow): AsyncIterable<string> {
  const { format } = file
  const head = {
    messageId: file.message_name,
    createdAt: file.created_at,
    executionDate: file.executed_on,
    count: file.payments,
    total: file.total,
  }
  if (format.type === 'SEPA') return buildSepaContent(op, file, format, head)
  if (format.type === 'WIRE')
    return writeWires({ ...head, debtor: format }, streamPayments(op, file, undefined, toWirePayment))
  if (format.type === 'FASTER_PAYMENTS')
    return writeFasterPayments(
      { ...head, debtor: format },
      streamPayments(op, file, undefined, toWirePayment),
    )
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
      streamPayments(op, file, undefined, toBacsItem),
    )
  const firstOffset = Number(file.traces_before) + file.payments + 1
  const offsetTo = { account: format.accountNumber, routingNumber: format.routingNumber }
  return writeAch(
    {
      originator: format,
      date,
      time,
      modifier: readModifier(file),
      reference: String(file.number % 100_000_000n).padStart(8, '0'),
    },
    file.batches.map(parseAchBatch).map((batch, index) => ({
      ...batch,
      effectiveDate: file.executed_on,
      payments: streamPayments(op, file, file.batches[index], toAchPayment),
      ...(format.isBalanced &&
        !batch.isPrenote && { offset: { ...offsetTo, traceSequence: firstOffset + index } }),
    })),
  )
}

/** The number of offset entries in a file. A balanced file has one in each batch. */
export function countOffsets({ format, batches }: BankFileRow): number {
  return format.type === 'ACH' && format.isBalanced ? batches.length : 0
}

function buildSepaContent(
  op: Op,
  file: BankFileRow,
  format: Extract<BankFileRow['format'], { type: 'SEPA' }>,
  head: TransferFile,
): AsyncIterable<string> {
  const [batch] = file.batches
  const sequence = parseDebitSequence(batch)
  if (!sequence)
    return writePain001(
      { ...head, isInstant: batch === INSTANT_BATCH, debtor: format },
      streamPayments(op, file, undefined, toSepaPayment),
    )
  const { debits } = format
  if (!debits)
    throw new Error(`The file ${file.name} has direct debits, but the rail has no creditor identifier`)
  const creditor = { ...format, creditorId: debits.creditorId }
  return writePain008({ ...head, sequence, creditor }, streamPayments(op, file, undefined, toSepaDebit))
}

/** The file name extension of a format. */
export function toExtension(format: BankFileRow['format']): 'xml' | 'ach' | 'bacs' | 'csv' {
  if (format.type === 'ACH') return 'ach'
  if (format.type === 'BACS') return 'bacs'
  return format.type === 'WIRE' && format.csv ? 'csv' : 'xml'
}

/** Yields the payments of one batch of a file, or of all batches, in order. Reads page by page. */
async function* streamPayments<Payment extends SepaPayment | SepaDebit | AchPayment | WirePayment | BacsItem>(
  op: Op,
  file: BankFileRow,
  batch: string | undefined,
  convert: (row: BankPaymentRow) => Payment,
): AsyncGenerator<Payment> {
  for (let after = 0; ; ) {
    const rows = await selectPaymentsOfFile(op, file.id, after, PAGE, batch)
    for (const row of rows) yield convert(row)
    const last = rows.at(-1)?.place
    if (rows.length < PAGE || last === undefined || last === null) return
    after = last
  }
}
