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
  /** The file of ours that the entry books as one sum, if the bank names it. */
  readonly batch: { readonly messageId: string | null; readonly paymentInformationId: string | null } | null
  /** The number of payments in the sum, if stated. */
  readonly batchSize: number | null
  readonly charges: BankCharges | null
  /**
   * Known once the whole entry has been read. Null next to a transaction of an entry with several
   * transactions.
   */
  readonly text: string | null
  /** Strings from the entry itself: `NtryRef` and `AddtlNtryInf`. */
  readonly references: readonly BankReference[]
}

/** Parses an entry whose element may still be incomplete: the required fields come first in the schema. */
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

/** Adds the entry's text, which is at the end of its element. */
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

/** Converts a date or a time to `YYYY-MM-DD`. Undefined if the date does not exist. */
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
