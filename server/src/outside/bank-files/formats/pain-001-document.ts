import { type Element, element } from '../../../base/formats/xml-text.ts'
import { decimalText } from './decimal-amounts.ts'
import { sepaName, sepaReference, sepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'

/** The parts of pain.001.001.09 and pain.008.001.08 that payments of every kind share. */

/** The message of a file: its version, the name of its root, and the parts of its batch that differ. */
const MESSAGES = {
  'pain.001.001.09': { root: 'CstmrCdtTrfInitn', method: 'TRF', day: 'ReqdExctnDt' },
  'pain.008.001.08': { root: 'CstmrDrctDbtInitn', method: 'DD', day: 'ReqdColltnDt' },
} as const

export type PainMessage = keyof typeof MESSAGES

/** Approximate size of the pieces. */
const PIECE_CHARACTERS = 64 * 1024

/** A structured address: banks accept no other form since November 2026. */
export interface PainAddress {
  readonly street?: string
  readonly buildingNumber?: string
  readonly postalCode?: string
  readonly city: string
  readonly region?: string
  readonly country: string
}

/** The head of a file. Number and sum are known in advance, because the file is written in one pass. */
export interface TransferFile {
  /** At most 35 characters; banks refuse a second file with the same id. */
  readonly messageId: string
  readonly createdAt: Date
  /** `YYYY-MM-DD`, in the bank's time zone: of direct debits, the day of their collection. */
  readonly executionDate: string
  readonly count: number
  /** In smallest units. */
  readonly total: bigint
}

/** The parts of a head that depend on the kind of transfer, in the order of the schema. */
export interface TransferHead {
  readonly message: PainMessage
  readonly currency: string
  /** The name of our side. */
  readonly initiator: Element
  /** Everything between the method and the sums of the batch. */
  readonly batch: readonly Element[]
  /** `PmtTpInf`. */
  readonly type: Element
  /** Everything from our side (`Dbtr`, `Cdtr`) on. */
  readonly holder: readonly Element[]
}

/**
 * Writes a file, piece by piece, in constant memory. The same arguments give the same bytes. Throws if the
 * payments do not match the head, so that such a file is never complete, and UnwritablePayment.
 */
export async function* writeTransfers<Payment extends { readonly amount: bigint }>(
  file: TransferFile,
  parts: TransferHead,
  payments: AsyncIterable<Payment>,
  transfer: (payment: Payment) => string,
): AsyncGenerator<string> {
  yield* writePieces(file, headOf(file, parts), payments, (payment) => `${transfer(payment)}\n`)
  yield `</PmtInf></${MESSAGES[parts.message].root}></Document>\n`
}

/** Everything up to the end of the last payment. Throws if the payments do not match the head. */
export async function* writePieces<Payment extends { readonly amount: bigint }>(
  file: TransferFile,
  head: string,
  payments: AsyncIterable<Payment>,
  write: (payment: Payment) => string,
): AsyncGenerator<string> {
  let piece = head
  let count = 0
  let total = 0n
  for await (const payment of payments) {
    piece += write(payment)
    count += 1
    total += payment.amount
    if (piece.length < PIECE_CHARACTERS) continue
    yield piece
    piece = ''
  }
  if (count !== file.count || total !== file.total)
    throw new Error(
      `The file ${file.messageId} has ${count} payments of ${total}, not ${file.count} of ${file.total}`,
    )
  yield piece
}

function headOf(file: TransferFile, parts: TransferHead): string {
  const { message, currency, initiator, batch, type, holder } = parts
  const { root, method, day } = MESSAGES[message]
  const messageId = sepaReference(file.messageId, 'message id')
  const sums = [element('NbOfTxs', String(file.count)), element('CtrlSum', decimalText(file.total, currency))]
  const group = element('GrpHdr', [
    element('MsgId', messageId),
    element('CreDtTm', file.createdAt.toISOString()),
    ...sums,
    element('InitgPty', [initiator]),
  ])
  const payment = [
    ...[element('PmtInfId', messageId), element('PmtMtd', method), ...batch, ...sums, type],
    // Only transfers may state a time.
    element(day, method === 'TRF' ? [element('Dt', file.executionDate)] : file.executionDate),
    ...holder,
  ].join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"><${root}>\n${group}\n<PmtInf>\n${payment}\n`
}

/** An address in the order of the schema. Throws UnwritablePayment. */
export function postalAddress(address: PainAddress): Element {
  const { street, buildingNumber, postalCode, city, region, country } = address
  const part = (name: string, text: string | undefined, charactersMax: number) => {
    const written = sepaText(text ?? '', charactersMax, { what: 'address', country })
    return written === '' ? undefined : element(name, written)
  }
  return element('PstlAdr', [
    part('StrtNm', street, 70),
    part('BldgNb', buildingNumber, 16),
    part('PstCd', postalCode, 16),
    element('TwnNm', sepaName(city, 35, { what: 'town of the address', country })),
    part('CtrySubDvsn', region, 35),
    element('Ctry', country),
  ])
}

/** The address, if a file can carry it. */
export function writableAddress(address: PainAddress | undefined): PainAddress | undefined {
  try {
    if (address) postalAddress(address)
    return address
  } catch (error) {
    if (error instanceof UnwritablePayment) return undefined
    throw error
  }
}
