import {
  applyDirection,
  type BankCharges,
  type BankCodes,
  type BankReference,
  chargesOf,
  codesOf,
  isReturnCode,
  isTrue,
  moneyOf,
  references,
} from './camt-details.ts'
import { quoteForMessage } from './decimal-amounts.ts'
import { UnreadablePart } from './unreadable-file.ts'
import { allBelow, findBelow, textBelow, type XmlElement } from './xml-records.ts'

/** One line of a statement. */
export interface BankEntry extends BankCodes {
  /** Its place in the statement, from 0. */
  readonly place: number
  /** Signed, in smallest units: positive is money in. */
  readonly amount: bigint
  readonly currency: string
  /** `BOOK`: final. `PDNG`, `INFO` and `FUTR` are only informative. */
  readonly status: string
  /** The bank reversed a booking. */
  readonly isReversal: boolean
  /** The bank's transaction code marks a returned payment. */
  readonly isReturn: boolean
  /** `YYYY-MM-DD`, null if the bank omits it. */
  readonly bookedOn: string | null
  readonly valueOn: string | null
  readonly reference: string | null
  /** The bank's reference of the entry. */
  readonly servicerReference: string | null
  /** Our file whose sum it is, if the bank names it. */
  readonly batch: { readonly messageId: string | null; readonly paymentInformationId: string | null } | null
  /** The number of payments in the sum, if the bank states it. */
  readonly batchSize: number | null
  readonly charges: BankCharges | null
  /** Known once the whole entry has been read: null with a transaction of an entry that has several. */
  readonly text: string | null
  /** Strings of the entry itself: `NtryRef`, `AddtlNtryInf`. */
  readonly references: readonly BankReference[]
}

/** The entry of an element that may not be complete yet: the needed fields come first in the schema. */
export function entryOf(element: XmlElement, place: number): BankEntry {
  const what = `entry ${place + 1}`
  const { amount, currency } = moneyOf(findBelow(element, 'Amt'), what)
  const status = textBelow(element, 'Sts/Cd', 'Sts/Prtry', 'Sts')
  if (status === undefined) throw new UnreadablePart(`${what} has no status`)
  const codes = codesOf(element)
  const reference = textBelow(element, 'NtryRef') ?? null
  const text = textBelow(element, 'AddtlNtryInf') ?? null
  return {
    place,
    amount: applyDirection(element, amount, what),
    currency,
    status,
    isReversal: isTrue(textBelow(element, 'RvslInd')),
    isReturn: isReturnCode(codes),
    bookedOn: dateOf(element, 'BookgDt', what),
    valueOn: dateOf(element, 'ValDt', what),
    reference,
    servicerReference: textBelow(element, 'AcctSvcrRef') ?? null,
    ...codes,
    ...batchOf(element),
    charges: chargesOf(element),
    text,
    references: referencesOf(reference, text),
  }
}

/** The entry with its text, which comes at its end. */
export function withText(entry: BankEntry, element: XmlElement): BankEntry {
  const text = textBelow(element, 'AddtlNtryInf') ?? null
  return { ...entry, text, references: referencesOf(entry.reference, text) }
}

function referencesOf(reference: string | null, text: string | null): readonly BankReference[] {
  return references([
    ['NtryRef', reference],
    ['AddtlNtryInf', text],
  ])
}

function dateOf(element: XmlElement, name: string, what: string): string | null {
  const text = textBelow(element, `${name}/Dt`, `${name}/DtTm`)
  if (text === undefined) return null
  const date = calendarDate(text)
  if (date === undefined) throw new UnreadablePart(`${what} has the date ${quoteForMessage(text)}`)
  return date
}

/** `YYYY-MM-DD` of a date or a time, undefined if the day does not exist. */
export function calendarDate(text: string): string | undefined {
  const date = text.slice(0, 10)
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(`${date}T00:00:00Z`) : undefined
  const isDay = time && !Number.isNaN(time.getTime()) && time.toISOString().startsWith(date)
  return isDay ? date : undefined
}

function batchOf(element: XmlElement): Pick<BankEntry, 'batch' | 'batchSize'> {
  const batches = allBelow(element, 'NtryDtls').flatMap((details) => allBelow(details, 'Btch'))
  const [batch] = batches
  if (!batch) return { batch: null, batchSize: null }
  const sizes = batches.map((one) => textBelow(one, 'NbOfTxs') ?? '')
  const isKnown = sizes.every((size) => /^\d{1,15}$/.test(size))
  return {
    batch: {
      messageId: textBelow(batch, 'MsgId') ?? null,
      paymentInformationId: textBelow(batch, 'PmtInfId') ?? null,
    },
    batchSize: isKnown ? sizes.reduce((sum, size) => sum + Number(size), 0) : null,
  }
}
