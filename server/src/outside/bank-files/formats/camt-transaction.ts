import { present } from '@countersign/contract/core/objects'
import {
  applyDirection,
  type BankCharges,
  type BankCodes,
  type BankMoney,
  type BankReference,
  isReturnCode,
  parseCharges,
  parseCodes,
  parseMoney,
  parseOptionalMoney,
  toReferences,
} from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'
import { type IsoReason, parseReasons } from './iso-reason.ts'
import { findElement, findText, listElements, type XmlElement } from './xml-records.ts'

/** The placeholder that banks use if the payer gave no reference. */
const NOT_PROVIDED = 'NOTPROVIDED'

/** A party of a transaction, as far as the bank discloses it. */
export interface BankParty {
  readonly name: string | null
  /** An IBAN or another account number. */
  readonly account: string | null
  readonly bic: string | null
  /** Only for British banks. */
  readonly sortCode?: string
}

/** One payment of an entry, which may combine several. Codes are null if only the entry has them. */
export interface BankTransaction extends BankCodes {
  /** Its position in the entry, starting at 0. */
  readonly place: number
  /**
   * The booked amount, signed, in smallest units; never the instructed amount. Null if only the entry states
   * it.
   */
  readonly amount: bigint | null
  readonly currency: string | null
  /** The instructed amount, unsigned, in its own currency. */
  readonly instructed: BankMoney | null
  readonly charges: BankCharges | null
  readonly messageId: string | null
  readonly paymentInformationId: string | null
  readonly instructionId: string | null
  readonly endToEndId: string | null
  readonly mandateId: string | null
  readonly clearingReference: string | null
  readonly servicerReference: string | null
  readonly debtor: BankParty
  readonly creditor: BankParty
  /** All lines and structured references, joined with spaces and not truncated. */
  readonly remittanceInformation: string | null
  /** True if a return reason, or a code of the transaction or its entry, indicates a return. */
  readonly isReturn: boolean
  /** The reason for the return, if the bank states it. */
  readonly returnReason: IsoReason | null
  readonly text: string | null
  /** Every string that may contain a reference, not truncated, the most reliable first. */
  readonly references: readonly BankReference[]
}

/** Parses a transaction. Its direction defaults to its entry's direction. */
export function parseTransaction(element: XmlElement, entry: BankEntry, place: number): BankTransaction {
  const label = `transaction ${place + 1} of entry ${entry.place + 1}`
  const booked = parseBooked(element, entry, label)
  const refs = findElement(element, 'Refs')
  const endToEndId = findText(refs, 'EndToEndId')
  const codes = parseCodes(element)
  const returnReason = parseReasons(element, 'RtrInf')[0] ?? null
  return {
    place,
    amount: booked?.amount ?? null,
    currency: booked?.currency ?? null,
    instructed: parseInstructed(element),
    charges: parseCharges(element),
    messageId: findText(refs, 'MsgId') ?? null,
    paymentInformationId: findText(refs, 'PmtInfId') ?? null,
    instructionId: findText(refs, 'InstrId') ?? null,
    endToEndId: endToEndId === undefined || endToEndId === NOT_PROVIDED ? null : endToEndId,
    mandateId: findText(refs, 'MndtId') ?? null,
    clearingReference: findText(refs, 'ClrSysRef') ?? null,
    servicerReference: findText(refs, 'AcctSvcrRef') ?? null,
    ...codes,
    debtor: parseParty(element, 'Dbtr'),
    creditor: parseParty(element, 'Cdtr'),
    remittanceInformation: parseRemittance(findElement(element, 'RmtInf')),
    isReturn: returnReason !== null || isReturnCode(codes) || entry.isReturn,
    returnReason,
    text: findText(element, 'AddtlTxInf') ?? null,
    references: listReferences(element).filter(({ text }) => text !== NOT_PROVIDED),
  }
}

/** Adds the entry's text, which follows the transaction in the file, to its only transaction. */
export function addEntryText(transaction: BankTransaction, { text }: BankEntry): BankTransaction {
  const added = toReferences([['AddtlNtryInf', text]])
  return added.length === 0
    ? transaction
    : { ...transaction, references: [...transaction.references, ...added] }
}

/**
 * Parses the booked amount. Before version .03, only `TxAmt` exists, and in another currency than the entry's
 * it is the counterparty's amount.
 */
function parseBooked(element: XmlElement, entry: BankEntry, label: string): BankMoney | null {
  const amount = findElement(element, 'Amt')
  const stated = amount
    ? parseMoney(amount, label)
    : parseOptionalMoney(findElement(element, 'AmtDtls/TxAmt/Amt'))
  if (stated === null || (!amount && stated.currency !== entry.currency)) return null
  const isDirected = findElement(element, 'CdtDbtInd') !== undefined
  const signed = isDirected
    ? applyDirection(element, stated.amount, label)
    : entry.amount < 0n
      ? -stated.amount
      : stated.amount
  return { amount: signed, currency: stated.currency }
}

function parseInstructed(element: XmlElement): BankMoney | null {
  const details = findElement(element, 'AmtDtls')
  return (
    parseOptionalMoney(findElement(details, 'InstdAmt/Amt')) ??
    parseOptionalMoney(findElement(details, 'CntrValAmt/Amt'))
  )
}

/** From version .08 on, a party may be a person or business (`Pty`) or a bank (`Agt`). */
function parseParty(element: XmlElement, role: 'Dbtr' | 'Cdtr'): BankParty {
  const parties = findElement(element, 'RltdPties')
  const bank = findElement(element, `RltdAgts/${role}Agt/FinInstnId`)
  const clearing = findElement(bank, 'ClrSysMmbId')
  const isBritish = findText(clearing, 'ClrSysId/Cd') === 'GBDSC'
  const { Nm, Agt } = { Nm: `${role}/Nm`, Agt: `${role}/Agt/FinInstnId/Nm` }
  return {
    name: findText(parties, `${role}/Pty/Nm`, Nm, Agt) ?? null,
    account: findText(parties, `${role}Acct/Id/IBAN`, `${role}Acct/Id/Othr/Id`) ?? null,
    bic: findText(bank, 'BICFI', 'BIC') ?? null,
    ...present({ sortCode: isBritish ? findText(clearing, 'MmbId') : undefined }),
  }
}

/** Joins the lines of text and the structured references. */
function parseRemittance(remittance: XmlElement | undefined): string | null {
  const lines = listElements(remittance, 'Ustrd').map(({ text }) => text)
  const structured = listElements(remittance, 'Strd').map((one) => findText(one, 'CdtrRefInf/Ref'))
  return [...lines, ...structured].filter(Boolean).join(' ') || null
}

function listReferences(element: XmlElement): readonly BankReference[] {
  const refs = findElement(element, 'Refs')
  const remittance = findElement(element, 'RmtInf')
  const structured = listElements(remittance, 'Strd')
  const lines = listElements(remittance, 'Ustrd').map(({ text }) => text)
  // A line break may split a reference, with or without a space.
  const joined = lines.length > 1 ? [lines.join(' '), lines.join('')] : []
  return toReferences([
    ['EndToEndId', findText(refs, 'EndToEndId')],
    ['InstrId', findText(refs, 'InstrId')],
    ...structured.map((one) => ['Strd/CdtrRefInf/Ref', findText(one, 'CdtrRefInf/Ref')] as const),
    ...structured.flatMap((one) =>
      listElements(one, 'AddtlRmtInf').map(({ text }) => ['Strd/AddtlRmtInf', text] as const),
    ),
    ...structured.flatMap((one) =>
      listElements(one, 'RfrdDocInf').map((info) => ['Strd/RfrdDocInf/Nb', findText(info, 'Nb')] as const),
    ),
    ...[...lines, ...joined].map((text) => ['Ustrd', text] as const),
    ['AddtlTxInf', findText(element, 'AddtlTxInf')],
  ])
}
