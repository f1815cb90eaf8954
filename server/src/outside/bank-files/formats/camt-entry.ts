import {
  applyDirection,
  type BankCharges,
  type BankCodes,
  type BankReference,
  isReturnCode,
  isTrue,
  parseCharges,
  parseCodes,
  parseMoney,
  toReferences,
} from './camt-details.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { UnreadablePart } from './unreadable-file.ts'
import { findElement, findText, listElements, type XmlElement } from './xml-records.ts'

/** A line of a statement. */
export interface BankEntry extends BankCodes {
  /** Its position in the statement, starting at 0. */
  readonly place: number
  /** Signed, in smallest units. Positive for incoming money. */
  readonly amount: bigint
  readonly currency: string
  /** `BOOK` is final. `PDNG`, `INFO` and `FUTR` are only informative. */
  readonly status: string
  /** True if the bank reversed a booking. */
  readonly isReversal: boolean
  /** True if the bank's transaction code indicates a returned payment. */
  readonly isReturn: boolean
  /** `YYYY-MM-DD`. Null if the bank omits it. */
  readonly bookedOn: string | null
  readonly valueOn: string | null
  readonly reference: string | null
  /** The bank's reference for the entry. */
  readonly servicerReference: string | null
  /** The file of ours that the entry books as one sum, if the bank names one. */
  readonly batch: { readonly messageId: string | null; readonly paymentInformationId: string | null } | null
  /** The number of payments in the sum. Null if the bank omits it. */
  readonly batchSize: number | null
  readonly charges: BankCharges | null
  /** Known only after the whole entry has been read. Null next to one of several transactions of an entry. */
  readonly text: string | null
  /** Strings from the entry itself: `NtryRef` and `AddtlNtryInf`. */
  readonly references: readonly BankReference[]
}

/** Parses an entry, even from an incomplete element, because the required fields come first in the schema. */
export function parseEntry(element: XmlElement, place: number): BankEntry {
  const label = `entry ${place + 1}`
  const { amount, currency } = parseMoney(findElement(element, 'Amt'), label)
  const status = findText(element, 'Sts/Cd', 'Sts/Prtry', 'Sts')
  if (status === undefined) throw new UnreadablePart(`${label} has no status`)
  const codes = parseCodes(element)
  const reference = findText(element, 'NtryRef') ?? null
  const text = findText(element, 'AddtlNtryInf') ?? null
  return {
    place,
    amount: applyDirection(element, amount, label),
    currency,
    status,
    isReversal: isTrue(findText(element, 'RvslInd')),
    isReturn: isReturnCode(codes),
    bookedOn: parseDate(element, 'BookgDt', label),
    valueOn: parseDate(element, 'ValDt', label),
    reference,
    servicerReference: findText(element, 'AcctSvcrRef') ?? null,
    ...codes,
    ...parseBatch(element),
    charges: parseCharges(element),
    text,
    references: listReferences(reference, text),
  }
}

/** Adds the text from the end of the entry's element. */
export function addText(entry: BankEntry, element: XmlElement): BankEntry {
  const text = findText(element, 'AddtlNtryInf') ?? null
  return { ...entry, text, references: listReferences(entry.reference, text) }
}

function listReferences(reference: string | null, text: string | null): readonly BankReference[] {
  return toReferences([
    ['NtryRef', reference],
    ['AddtlNtryInf', text],
  ])
}

function parseDate(element: XmlElement, name: string, label: string): string | null {
  const text = findText(element, `${name}/Dt`, `${name}/DtTm`)
  if (text === undefined) return null
  const date = toCalendarDate(text)
  if (date === undefined) throw new UnreadablePart(`${label} has the date ${quoteForMessage(text)}`)
  return date
}

/** Converts a date or a time to `YYYY-MM-DD`. Undefined if the date does not exist. */
export function toCalendarDate(text: string): string | undefined {
  const date = text.slice(0, 10)
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(`${date}T00:00:00Z`) : undefined
  const isDay = time && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
  return isDay ? date : undefined
}

function parseBatch(element: XmlElement): Pick<BankEntry, 'batch' | 'batchSize'> {
  const batches = listElements(element, 'NtryDtls').flatMap((details) => listElements(details, 'Btch'))
  const [batch] = batches
  if (!batch) return { batch: null, batchSize: null }
  const sizes = batches.map((one) => findText(one, 'NbOfTxs') ?? '')
  const isKnown = sizes.every((size) => /^\d{1,15}$/.test(size))
  return {
    batch: {
      messageId: findText(batch, 'MsgId') ?? null,
      paymentInformationId: findText(batch, 'PmtInfId') ?? null,
    },
    batchSize: isKnown ? sizes.reduce((sum, size) => sum + Number(size), 0) : null,
  }
}
