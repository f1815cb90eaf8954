import { shown, smallestUnits } from './decimal-amounts.ts'
import { UnreadableFile } from './unreadable-file.ts'
import { below, textBelow, type XmlElement } from './xml-records.ts'

/** One line of a statement. */
export interface BankEntry {
  /** Its place in the statement, from 0. */
  readonly place: number
  /** Signed, in smallest units: positive is money in. */
  readonly amount: bigint
  readonly currency: string
  /** `BOOK`: it is done. `PDNG` and `INFO` are news only. */
  readonly status: string
  /** The bank took back what it had booked. */
  readonly isReversal: boolean
  /** `YYYY-MM-DD`, null where the bank leaves it out. */
  readonly bookedOn: string | null
  readonly valueOn: string | null
  readonly reference: string | null
  /** The bank's own name of the entry. */
  readonly servicerReference: string | null
  /** Domain, family and subfamily of ISO 20022 as `PMNT-RCDT-ESCT`, or the bank's own code. */
  readonly transactionCode: string | null
  /** The file of ours that it is the sum of, where the bank says so. */
  readonly batch: { readonly messageId: string | null; readonly paymentInformationId: string | null } | null
  /** Known once the whole entry has been read: null with each of its transactions. */
  readonly text: string | null
}

/** The entry in an element that may still be under way: what is needed of it comes first in the schema. */
export function entryOf(element: XmlElement, place: number): BankEntry {
  const what = `entry ${place + 1}`
  const { amount, currency } = moneyOf(below(element, 'Amt'), what)
  const status = textBelow(element, 'Sts/Cd', 'Sts/Prtry', 'Sts')
  if (status === undefined) throw new UnreadableFile(`${what} has no status`)
  return {
    place,
    amount: directed(element, amount, what),
    currency,
    status,
    isReversal: textBelow(element, 'RvslInd') === 'true' || textBelow(element, 'RvslInd') === '1',
    bookedOn: dateOf(element, 'BookgDt', what),
    valueOn: dateOf(element, 'ValDt', what),
    reference: textBelow(element, 'NtryRef') ?? null,
    servicerReference: textBelow(element, 'AcctSvcrRef') ?? null,
    transactionCode: transactionCodeOf(element),
    batch: batchOf(element),
    text: textBelow(element, 'AddtlNtryInf') ?? null,
  }
}

/** The amount in an element with its currency. Throws UnreadableFile where there is none. */
export function moneyOf(element: XmlElement | undefined, what: string): { amount: bigint; currency: string } {
  const currency = element?.attributes.Ccy
  if (!element || currency === undefined) throw new UnreadableFile(`${what} has no amount`)
  return { amount: smallestUnits(element.text, currency), currency }
}

/** The amount with its sign: credit is money in. */
export function directed(element: XmlElement, amount: bigint, what: string): bigint {
  const direction = textBelow(element, 'CdtDbtInd')
  if (direction === 'CRDT') return amount
  if (direction === 'DBIT') return -amount
  throw new UnreadableFile(`${what} is neither credit nor debit, but ${shown(direction ?? '')}`)
}

function dateOf(element: XmlElement, name: string, what: string): string | null {
  const text = textBelow(element, `${name}/Dt`, `${name}/DtTm`)
  if (text === undefined) return null
  const date = text.slice(0, 10)
  const time = /^\d{4}-\d\d-\d\d$/.test(date) ? new Date(`${date}T00:00:00Z`) : undefined
  if (!time || Number.isNaN(time.getTime()) || !time.toISOString().startsWith(date))
    throw new UnreadableFile(`${what} has the date ${shown(text)}`)
  return date
}

function transactionCodeOf(element: XmlElement): string | null {
  const code = below(element, 'BkTxCd')
  const parts = [
    textBelow(code, 'Domn/Cd'),
    textBelow(code, 'Domn/Fmly/Cd'),
    textBelow(code, 'Domn/Fmly/SubFmlyCd'),
  ]
  return parts[0] === undefined ? (textBelow(code, 'Prtry/Cd') ?? null) : parts.filter(Boolean).join('-')
}

function batchOf(element: XmlElement): BankEntry['batch'] {
  const batch = below(element, 'NtryDtls/Btch')
  if (!batch) return null
  return {
    messageId: textBelow(batch, 'MsgId') ?? null,
    paymentInformationId: textBelow(batch, 'PmtInfId') ?? null,
  }
}
