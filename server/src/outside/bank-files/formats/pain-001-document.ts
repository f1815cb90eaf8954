import { type Element, element } from '../../../base/formats/xml-text.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { requireSepaReference, toSepaName, toSepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'

/** Writes the parts of pain.001.001.09 and pain.008.001.08 files that all kinds of payments share. */

/** The differences between the two messages: the version, the root element, and parts of the batch. */
const MESSAGES = {
  'pain.001.001.09': { root: 'CstmrCdtTrfInitn', method: 'TRF', day: 'ReqdExctnDt' },
  'pain.008.001.08': { root: 'CstmrDrctDbtInitn', method: 'DD', day: 'ReqdColltnDt' },
} as const

export type PainMessage = keyof typeof MESSAGES

/** The approximate size of a chunk. */
const PIECE_CHARACTERS = 64 * 1024

/** A structured address. Since November 2026, banks accept no other form. */
export interface PainAddress {
  readonly street?: string
  readonly buildingNumber?: string
  readonly postalCode?: string
  readonly city: string
  readonly region?: string
  readonly country: string
}

/**
 * The header of a file. The number and the sum must be known in advance, because the file is written in one
 * pass.
 */
export interface TransferFile {
  /** At most 35 characters. Banks refuse a second file with the same id. */
  readonly messageId: string
  readonly createdAt: Date
  /** `YYYY-MM-DD` in the bank's time zone. For direct debits, the collection day. */
  readonly executionDate: string
  readonly count: number
  /** In smallest units. */
  readonly total: bigint
}

/** The parts of the header that depend on the kind of transfer, in the schema's order. */
export interface TransferHead {
  readonly message: PainMessage
  readonly currency: string
  /** The name of our side. */
  readonly initiator: Element
  /** All elements between the payment method and the sums of the batch. */
  readonly batch: readonly Element[]
  /** `PmtTpInf`. Undefined if the bank does not need it. */
  readonly type: Element | undefined
  /** All elements from our side (`Dbtr` or `Cdtr`) onward. */
  readonly holder: readonly Element[]
}

/**
 * Writes a file in chunks and in constant memory. The same arguments always give the same bytes. Throws
 * UnwritablePayment, and an Error if the payments do not match the header, so that such a file is never
 * completed.
 */
export async function* writeTransfers<Payment extends { readonly amount: bigint }>(
  file: TransferFile,
  parts: TransferHead,
  payments: AsyncIterable<Payment>,
  transfer: (payment: Payment) => string,
): AsyncGenerator<string> {
  yield* writePieces(file, writeHead(file, parts), payments, (payment) => `${transfer(payment)}\n`)
  yield `</PmtInf></${MESSAGES[parts.message].root}></Document>\n`
}

/** Writes a file up to the end of the last payment. Throws if the payments do not match the header. */
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

function writeHead(file: TransferFile, parts: TransferHead): string {
  const { message, currency, initiator, batch, type, holder } = parts
  const { root, method, day } = MESSAGES[message]
  const messageId = requireSepaReference(file.messageId, 'the message id')
  const sums = [
    element('NbOfTxs', String(file.count)),
    element('CtrlSum', formatDecimalAmount(file.total, currency)),
  ]
  const group = element('GrpHdr', [
    element('MsgId', messageId),
    element('CreDtTm', file.createdAt.toISOString()),
    ...sums,
    element('InitgPty', [initiator]),
  ])
  const payment = [
    ...[element('PmtInfId', messageId), element('PmtMtd', method), ...batch, ...sums, type],
    // Only transfers may state a time in addition to the date.
    element(day, method === 'TRF' ? [element('Dt', file.executionDate)] : file.executionDate),
    ...holder,
  ].join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="urn:iso:std:iso:20022:tech:xsd:${message}"><${root}>\n${group}\n<PmtInf>\n${payment}\n`
}

/** Builds an address in the schema's order. Throws UnwritablePayment. */
export function buildAddress(address: PainAddress): Element {
  const { street, buildingNumber, postalCode, city, region, country } = address
  const part = (name: string, text: string | undefined, charactersMax: number) => {
    const written = toSepaText(text ?? '', charactersMax, { label: 'the address', country })
    return written === '' ? undefined : element(name, written)
  }
  return element('PstlAdr', [
    part('StrtNm', street, 70),
    part('BldgNb', buildingNumber, 16),
    part('PstCd', postalCode, 16),
    element('TwnNm', toSepaName(city, 35, { label: 'the town of the address', country })),
    part('CtrySubDvsn', region, 35),
    element('Ctry', country),
  ])
}

/** The countries of the clearing systems for routing numbers and sort codes. */
const CLEARING_COUNTRIES = { USABA: 'US', GBDSC: 'GB' } as const

/** Builds a bank from its code in a national clearing system. */
export function buildBank(name: string, system: keyof typeof CLEARING_COUNTRIES, code: string): Element {
  return element(name, [
    element('FinInstnId', [
      element('ClrSysMmbId', [element('ClrSysId', [element('Cd', system)]), element('MmbId', code)]),
      element('PstlAdr', [element('Ctry', CLEARING_COUNTRIES[system])]),
    ]),
  ])
}

/** Builds an account from a number that is not an IBAN, and the code of the number's scheme, if any. */
export function buildAccountByNumber(name: string, number: string, scheme?: string): Element {
  const other = [element('Id', number), scheme ? element('SchmeNm', [element('Cd', scheme)]) : undefined]
  return element(name, [element('Id', [element('Othr', other)])])
}

/** Returns the address if a file can carry it, otherwise undefined. */
export function toWritableAddress(address: PainAddress | undefined): PainAddress | undefined {
  try {
    if (address) buildAddress(address)
    return address
  } catch (error) {
    if (error instanceof UnwritablePayment) return undefined
    throw error
  }
}
