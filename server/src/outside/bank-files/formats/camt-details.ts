import { getIso4217Decimals } from '../../../base/formats/iso-4217.ts'
import { parseUnits, quoteForMessage } from './decimal-amounts.ts'
import { readPart } from './unread-part.ts'
import { UnreadablePart } from './unreadable-file.ts'
import { findElement, findText, listElements, type XmlElement } from './xml-records.ts'

/** Parses the fields that entries and transactions share. */

export interface BankMoney {
  readonly amount: bigint
  readonly currency: string
}

/** A string that may contain a reference, and the element that contains it. */
export interface BankReference {
  readonly where: string
  readonly text: string
}

/** Charges of an entry or a transaction. */
export interface BankCharges {
  /** Signed, in smallest units. Negative if charged to the account. */
  readonly amount: bigint
  readonly currency: string
  /** True if the amount of the entry or transaction includes them. Null if unknown. */
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

/** Parses the codes in an element's `BkTxCd`. */
export function parseCodes(element: XmlElement): BankCodes {
  const code = findElement(element, 'BkTxCd')
  const domain = [
    findText(code, 'Domn/Cd'),
    findText(code, 'Domn/Fmly/Cd'),
    findText(code, 'Domn/Fmly/SubFmlyCd'),
  ].filter((part) => part !== undefined)
  const bankCode = findText(code, 'Prtry/Cd')
  const proprietaryCode =
    bankCode === undefined ? null : { code: bankCode, issuer: findText(code, 'Prtry/Issr') ?? null }
  return {
    transactionCode: domain.length > 0 ? domain.join('-') : (bankCode ?? null),
    proprietaryCode,
    gvc: proprietaryCode && parseGvc(proprietaryCode),
  }
}

/**
 * German banks write the SWIFT code, business transaction code, primanota and text key: `NTRF+166+9310+000`.
 */
function parseGvc({ code, issuer }: ProprietaryCode): string | null {
  const fullCode = /^[NFS]?[A-Z0-9]{3}\+(\d{3})(?:\+|$)/.exec(code)?.[1]
  if (fullCode !== undefined) return fullCode
  const isGerman = GERMAN_ISSUERS.has(issuer ?? '')
  return isGerman ? (/^(\d{3})(?:\+|$)/.exec(code)?.[1] ?? null) : null
}

/** True if the codes indicate a returned payment. */
export function isReturnCode({ transactionCode, gvc }: BankCodes): boolean {
  const subfamily = transactionCode?.split('-')[2]
  return RETURN_SUBFAMILIES.has(subfamily ?? '') || RETURN_GVCS.has(gvc ?? '')
}

/** Parses an element's amount and currency. */
export function parseMoney(element: XmlElement | undefined, place: string): BankMoney {
  const currency = element?.attributes.Ccy
  if (!element || currency === undefined) throw new UnreadablePart(`${place} has no amount`)
  return { amount: parseUnits(element.text, currency), currency }
}

/** Applies the sign to an amount: credit is incoming money. */
export function applyDirection(element: XmlElement, amount: bigint, place: string): bigint {
  const direction = findText(element, 'CdtDbtInd')
  if (direction === 'CRDT') return amount
  if (direction === 'DBIT') return -amount
  throw new UnreadablePart(`${place} is neither credit nor debit, but ${quoteForMessage(direction ?? '')}`)
}

/**
 * Parses an amount other than the booked one. Null also for an unreadable amount, because no booking depends
 * on it.
 */
export function parseOptionalMoney(element: XmlElement | undefined): BankMoney | null {
  const currency = element?.attributes.Ccy
  if (!element || currency === undefined || getIso4217Decimals(currency) === undefined) return null
  const part = readPart(() => ({ amount: parseUnits(element.text, currency), currency }))
  return 'read' in part ? part.read : null
}

/**
 * Parses the sum of an element's charges, in any version. Null without charges, or if their currencies
 * differ.
 */
export function parseCharges(element: XmlElement): BankCharges | null {
  const groups = listElements(element, 'Chrgs')
  // In version .02 the amount is in `Chrgs`, in later versions in its records.
  const records = groups.flatMap((group) => [
    ...listElements(group, 'Rcrd'),
    ...(findElement(group, 'Amt') ? [group] : []),
  ])
  const charges = records.map(parseCharge)
  const [first] = charges
  if (!first || charges.some((one) => one?.currency !== first.currency)) return null
  const included = records.map((one) => findText(one, 'ChrgInclInd')).filter((text) => text !== undefined)
  return {
    amount: charges.reduce((sum, one) => sum + (one?.amount ?? 0n), 0n),
    currency: first.currency,
    isIncluded: included.length === 0 ? null : included.every(isTrue),
  }
}

function parseCharge(record: XmlElement): BankMoney | null {
  const money = parseOptionalMoney(findElement(record, 'Amt'))
  // The account pays charges unless the bank states otherwise.
  return money && findText(record, 'CdtDbtInd') !== 'CRDT' ? { ...money, amount: -money.amount } : money
}

export function isTrue(text: string | undefined): boolean {
  return text === 'true' || text === '1'
}

/** Converts the non-empty strings to references. */
export function toReferences(
  found: readonly (readonly [where: string, text: string | null | undefined])[],
): readonly BankReference[] {
  return found.flatMap(([where, text]) => (text ? [{ where, text }] : []))
}
