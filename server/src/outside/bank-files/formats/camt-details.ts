import { iso4217Decimals } from '../../../base/formats/iso-4217.ts'
import { quoteForMessage, smallestUnits } from './decimal-amounts.ts'
import { readPart } from './unread-part.ts'
import { UnreadablePart } from './unreadable-file.ts'
import { allBelow, findBelow, textBelow, type XmlElement } from './xml-records.ts'

/** Fields that entries and transactions share. */

export interface BankMoney {
  readonly amount: bigint
  readonly currency: string
}

/** A string in which banks put a reference, and the element that contains it. */
export interface BankReference {
  readonly where: string
  readonly text: string
}

/** Charges of an entry or a transaction. */
export interface BankCharges {
  /** Signed, in smallest units. Negative if charged to the account. */
  readonly amount: bigint
  readonly currency: string
  /** True if they are included in the amount of the entry or transaction. Null if the bank does not say. */
  readonly isIncluded: boolean | null
}

/** A bank's own transaction code. */
export interface ProprietaryCode {
  readonly code: string
  readonly issuer: string | null
}

/** The codes with which a bank classifies an entry or a transaction. */
export interface BankCodes {
  /** The ISO 20022 domain, family and subfamily, such as `PMNT-RCDT-ESCT`, or the bank's own code. */
  readonly transactionCode: string | null
  readonly proprietaryCode: ProprietaryCode | null
  /** The German business transaction code (Geschäftsvorfallcode), three digits. */
  readonly gvc: string | null
}

/**
 * ISO 20022 subfamilies of returned payments: returned and reversed credit transfers and direct debits,
 * recalls, and unpaid cheques, drafts and card payments.
 */
const RETURN_SUBFAMILIES: ReadonlySet<string> = new Set('RRTN RPCR UPDD PRDD RCDD UPCQ UPCT UDFT'.split(' '))

/**
 * German codes of returned payments: debits and transfers of the old national formats (009, 059), SEPA direct
 * debits returned to the creditor (108, 109), re-credited to the debtor (181, 184) or reversed (193),
 * returned SEPA transfers (159) and recalled instant transfers (160).
 */
const RETURN_GVCS: ReadonlySet<string> = new Set('009 059 108 109 159 160 181 184 193'.split(' '))

const GERMAN_ISSUERS: ReadonlySet<string> = new Set(['DK', 'ZKA', 'DFUE'])

/** The codes inside an element that has `BkTxCd`. */
export function codesOf(element: XmlElement): BankCodes {
  const code = findBelow(element, 'BkTxCd')
  const domain = [
    textBelow(code, 'Domn/Cd'),
    textBelow(code, 'Domn/Fmly/Cd'),
    textBelow(code, 'Domn/Fmly/SubFmlyCd'),
  ].filter((part) => part !== undefined)
  const own = textBelow(code, 'Prtry/Cd')
  const proprietaryCode =
    own === undefined ? null : { code: own, issuer: textBelow(code, 'Prtry/Issr') ?? null }
  return {
    transactionCode: domain.length > 0 ? domain.join('-') : (own ?? null),
    proprietaryCode,
    gvc: proprietaryCode && gvcOf(proprietaryCode),
  }
}

/** Germany writes the SWIFT code, business transaction code, primanota and text key: `NTRF+166+9310+000`. */
function gvcOf({ code, issuer }: ProprietaryCode): string | null {
  const inFull = /^[NFS]?[A-Z0-9]{3}\+(\d{3})(?:\+|$)/.exec(code)?.[1]
  if (inFull !== undefined) return inFull
  const isGerman = GERMAN_ISSUERS.has(issuer ?? '')
  return isGerman ? (/^(\d{3})(?:\+|$)/.exec(code)?.[1] ?? null) : null
}

/** True if the codes indicate a returned payment. */
export function isReturnCode({ transactionCode, gvc }: BankCodes): boolean {
  const subfamily = transactionCode?.split('-')[2]
  return RETURN_SUBFAMILIES.has(subfamily ?? '') || RETURN_GVCS.has(gvc ?? '')
}

/** Parses an element's amount and currency. */
export function moneyOf(element: XmlElement | undefined, what: string): BankMoney {
  const currency = element?.attributes.Ccy
  if (!element || currency === undefined) throw new UnreadablePart(`${what} has no amount`)
  return { amount: smallestUnits(element.text, currency), currency }
}

/** Applies the sign to an amount: credit is incoming money. */
export function applyDirection(element: XmlElement, amount: bigint, what: string): bigint {
  const direction = textBelow(element, 'CdtDbtInd')
  if (direction === 'CRDT') return amount
  if (direction === 'DBIT') return -amount
  throw new UnreadablePart(`${what} is neither credit nor debit, but ${quoteForMessage(direction ?? '')}`)
}

/**
 * Parses an amount other than the booked one. Null also if it is unreadable, because no booking depends on
 * it.
 */
export function optionalMoney(element: XmlElement | undefined): BankMoney | null {
  const currency = element?.attributes.Ccy
  if (!element || currency === undefined || iso4217Decimals(currency) === undefined) return null
  const part = readPart(() => ({ amount: smallestUnits(element.text, currency), currency }))
  return 'read' in part ? part.read : null
}

/**
 * The sum of an element's charges, in the format of any version. Null without charges, or if they have
 * different currencies.
 */
export function chargesOf(element: XmlElement): BankCharges | null {
  const all = allBelow(element, 'Chrgs')
  // In version .02 the amount is in `Chrgs`, in later versions in its records.
  const records = all.flatMap((one) => [...allBelow(one, 'Rcrd'), ...(findBelow(one, 'Amt') ? [one] : [])])
  const charges = records.map(chargeOf)
  const [first] = charges
  if (!first || charges.some((one) => one?.currency !== first.currency)) return null
  const included = records.map((one) => textBelow(one, 'ChrgInclInd')).filter((text) => text !== undefined)
  return {
    amount: charges.reduce((sum, one) => sum + (one?.amount ?? 0n), 0n),
    currency: first.currency,
    isIncluded: included.length === 0 ? null : included.every(isTrue),
  }
}

function chargeOf(record: XmlElement): BankMoney | null {
  const money = optionalMoney(findBelow(record, 'Amt'))
  // Charges are paid by the account unless the bank says otherwise.
  return money && textBelow(record, 'CdtDbtInd') !== 'CRDT' ? { ...money, amount: -money.amount } : money
}

export function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1'
}

/** Those of the strings that exist, each with its element. */
export function references(
  found: readonly (readonly [where: string, text: string | null | undefined])[],
): readonly BankReference[] {
  return found.flatMap(([where, text]) => (text ? [{ where, text }] : []))
}
