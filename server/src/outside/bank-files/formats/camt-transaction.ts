import { present } from '@countersign/contract/core/objects'
import {
  applyDirection,
  type BankCharges,
  type BankCodes,
  type BankMoney,
  type BankReference,
  chargesOf,
  codesOf,
  isReturnCode,
  moneyOf,
  optionalMoney,
  references,
} from './camt-details.ts'
import type { BankEntry } from './camt-entry.ts'
import { type IsoReason, reasonsOf } from './iso-reason.ts'
import { allBelow, findBelow, textBelow, type XmlElement } from './xml-records.ts'

/** The placeholder that banks use if the payer gave no reference. */
const NOT_PROVIDED = 'NOTPROVIDED'

/** A party of a transaction, as far as the bank discloses it. */
export interface BankParty {
  readonly name: string | null
  /** An IBAN or another account number. */
  readonly account: string | null
  readonly bic: string | null
  /** Of a British bank. */
  readonly sortCode?: string
}

/** One payment of an entry, which may combine many. Codes are null if only the entry has them. */
export interface BankTransaction extends BankCodes {
  /** Its position in the entry, starting at 0. */
  readonly place: number
  /**
   * The booked amount, signed, in smallest units. Null if only the entry states it. Never the instructed
   * amount.
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
  /** True if it has a return reason, or if the transaction code of it or its entry indicates a return. */
  readonly isReturn: boolean
  /** The reason for the return, if the bank states it. */
  readonly returnReason: IsoReason | null
  readonly text: string | null
  /** Every string in which banks put a reference, not truncated, the most reliable ones first. */
  readonly references: readonly BankReference[]
}

/** Parses a transaction. It has its entry's direction, unless it states its own. */
export function transactionOf(element: XmlElement, entry: BankEntry, place: number): BankTransaction {
  const what = `transaction ${place + 1} of entry ${entry.place + 1}`
  const booked = readBooked(element, entry, what)
  const refs = findBelow(element, 'Refs')
  const endToEndId = textBelow(refs, 'EndToEndId')
  const codes = codesOf(element)
  const returnReason = reasonsOf(element, 'RtrInf')[0] ?? null
  return {
    place,
    amount: booked?.amount ?? null,
    currency: booked?.currency ?? null,
    instructed: readInstructed(element),
    charges: chargesOf(element),
    messageId: textBelow(refs, 'MsgId') ?? null,
    paymentInformationId: textBelow(refs, 'PmtInfId') ?? null,
    instructionId: textBelow(refs, 'InstrId') ?? null,
    endToEndId: endToEndId === undefined || endToEndId === NOT_PROVIDED ? null : endToEndId,
    mandateId: textBelow(refs, 'MndtId') ?? null,
    clearingReference: textBelow(refs, 'ClrSysRef') ?? null,
    servicerReference: textBelow(refs, 'AcctSvcrRef') ?? null,
    ...codes,
    debtor: partyOf(element, 'Dbtr'),
    creditor: partyOf(element, 'Cdtr'),
    remittanceInformation: remittanceOf(findBelow(element, 'RmtInf')),
    isReturn: returnReason !== null || isReturnCode(codes) || entry.isReturn,
    returnReason,
    text: textBelow(element, 'AddtlTxInf') ?? null,
    references: referencesOf(element).filter(({ text }) => text !== NOT_PROVIDED),
  }
}

/** Adds the text of the entry to its only transaction. In the file, the text follows the transaction. */
export function withTextOfEntry(transaction: BankTransaction, { text }: BankEntry): BankTransaction {
  const added = references([['AddtlNtryInf', text]])
  return added.length === 0
    ? transaction
    : { ...transaction, references: [...transaction.references, ...added] }
}

/**
 * The amount booked for the transaction. Before version .03, only `TxAmt` exists. It counts if it is in the
 * entry's currency; in another currency it is the counterparty's amount.
 */
function readBooked(element: XmlElement, entry: BankEntry, what: string): BankMoney | null {
  const amount = findBelow(element, 'Amt')
  const own = amount ? moneyOf(amount, what) : optionalMoney(findBelow(element, 'AmtDtls/TxAmt/Amt'))
  if (own === null || (!amount && own.currency !== entry.currency)) return null
  const isDirected = findBelow(element, 'CdtDbtInd') !== undefined
  const signed = isDirected
    ? applyDirection(element, own.amount, what)
    : entry.amount < 0n
      ? -own.amount
      : own.amount
  return { amount: signed, currency: own.currency }
}

function readInstructed(element: XmlElement): BankMoney | null {
  const details = findBelow(element, 'AmtDtls')
  return (
    optionalMoney(findBelow(details, 'InstdAmt/Amt')) ?? optionalMoney(findBelow(details, 'CntrValAmt/Amt'))
  )
}

/** From version .08 on, a party may be a person or business (`Pty`) or a bank (`Agt`). */
function partyOf(element: XmlElement, role: 'Dbtr' | 'Cdtr'): BankParty {
  const parties = findBelow(element, 'RltdPties')
  const bank = findBelow(element, `RltdAgts/${role}Agt/FinInstnId`)
  const clearing = findBelow(bank, 'ClrSysMmbId')
  const isBritish = textBelow(clearing, 'ClrSysId/Cd') === 'GBDSC'
  const { Nm, Agt } = { Nm: `${role}/Nm`, Agt: `${role}/Agt/FinInstnId/Nm` }
  return {
    name: textBelow(parties, `${role}/Pty/Nm`, Nm, Agt) ?? null,
    account: textBelow(parties, `${role}Acct/Id/IBAN`, `${role}Acct/Id/Othr/Id`) ?? null,
    bic: textBelow(bank, 'BICFI', 'BIC') ?? null,
    ...present({ sortCode: isBritish ? textBelow(clearing, 'MmbId') : undefined }),
  }
}

/** The lines of text, followed by the structured references. */
function remittanceOf(remittance: XmlElement | undefined): string | null {
  const lines = allBelow(remittance, 'Ustrd').map(({ text }) => text)
  const structured = allBelow(remittance, 'Strd').map((one) => textBelow(one, 'CdtrRefInf/Ref'))
  return [...lines, ...structured].filter(Boolean).join(' ') || null
}

function referencesOf(element: XmlElement): readonly BankReference[] {
  const refs = findBelow(element, 'Refs')
  const remittance = findBelow(element, 'RmtInf')
  const structured = allBelow(remittance, 'Strd')
  const lines = allBelow(remittance, 'Ustrd').map(({ text }) => text)
  // A line break may split a reference, with or without a space.
  const joined = lines.length > 1 ? [lines.join(' '), lines.join('')] : []
  return references([
    ['EndToEndId', textBelow(refs, 'EndToEndId')],
    ['InstrId', textBelow(refs, 'InstrId')],
    ...structured.map((one) => ['Strd/CdtrRefInf/Ref', textBelow(one, 'CdtrRefInf/Ref')] as const),
    ...structured.flatMap((one) =>
      allBelow(one, 'AddtlRmtInf').map(({ text }) => ['Strd/AddtlRmtInf', text] as const),
    ),
    ...structured.flatMap((one) =>
      allBelow(one, 'RfrdDocInf').map((info) => ['Strd/RfrdDocInf/Nb', textBelow(info, 'Nb')] as const),
    ),
    ...[...lines, ...joined].map((text) => ['Ustrd', text] as const),
    ['AddtlTxInf', textBelow(element, 'AddtlTxInf')],
  ])
}
