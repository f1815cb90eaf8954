import { readAch } from './ach-reader.ts'
import { writeRecord } from './ach-records.ts'
import { type AchBatch, type AchFile, type AchPayment, writeAch } from './ach-writer.ts'
import { all, bytesOf, each, textOf } from './camt.testing.ts'
import { readTwice } from './read-twice.ts'

/** NACHA files as our writer makes them, and as a bank returns them. */

export const FILE: AchFile = {
  originator: {
    destination: '021000021',
    destinationName: 'JPMORGAN CHASE',
    origin: '1123456789',
    originName: 'ACME PAYMENTS',
    companyName: 'ACME PAYMENTS',
    companyId: '1123456789',
    originatingBank: '02100002',
    description: 'PAYOUT',
  },
  date: '2026-03-02',
  time: '09:30',
  modifier: 'A',
  reference: '00000001',
}
export const PAYMENT: AchPayment = {
  traceSequence: 1,
  routingNumber: '011401533',
  account: '1234567890',
  accountKind: 'CHECKING',
  amount: 125_050n,
  individualId: 'CS0A1B2C3D4E5F',
  name: 'Grâce Hopper',
  remittanceInformation: 'Invoice 7',
}
export interface Given extends Omit<AchBatch, 'payments'> {
  readonly payments: readonly AchPayment[]
}
export const BATCH: Given = {
  entryClass: 'PPD',
  direction: 'CREDIT',
  effectiveDate: '2026-03-03',
  payments: [PAYMENT],
}

export const write = (batches: readonly Given[] = [BATCH]) =>
  textOf(
    writeAch(
      FILE,
      batches.map((batch) => ({ ...batch, payments: each(batch.payments) })),
    ),
  )
export const readAll = (text: string | Uint8Array, pieceBytes?: number) =>
  all(readTwice(() => bytesOf(text, pieceBytes), readAch))
/** Without the header of the file. */
export const read = async (text: string | Uint8Array, pieceBytes?: number) =>
  (await readAll(text, pieceBytes)).flatMap((record) => (record.type === 'head' ? [] : [record]))

/** A file as a bank returns it: our entries with the bank's addenda. */
export async function answered(
  addenda: string,
  change: (line: string) => string = (line) => line,
): Promise<string> {
  return (await write())
    .replace(/^705.*$/m, addenda)
    .replace(/^6.*$/m, change)
    .replace('PPDPAYOUT', 'PPDRETURN')
}
export const RETURNED = writeRecord('returnAddenda', {
  type: '99',
  reason: 'R03',
  originalTrace: '021000020000001',
  originalReceivingBank: '01140153',
  information: 'NO SUCH NAME',
  trace: '011401530000009',
})
export const CHANGED = writeRecord('changeAddenda', {
  type: '98',
  reason: 'C01',
  originalTrace: '021000020000001',
  originalReceivingBank: '01140153',
  corrected: '1918171614',
  trace: '011401530000010',
})
