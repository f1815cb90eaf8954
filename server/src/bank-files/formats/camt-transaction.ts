import { type BankEntry, directed, moneyOf } from './camt-entry.ts'
import { type IsoReason, reasonsOf } from './iso-reason.ts'
import { allBelow, below, textBelow, type XmlElement } from './xml-records.ts'

/** What a bank writes where the payer gave no reference. */
const NOT_PROVIDED = 'NOTPROVIDED'

/** Who is at an end of a transaction, as far as the bank says. */
export interface BankParty {
  readonly name: string | null
  /** IBAN, or another number of the account. */
  readonly account: string | null
  readonly bic: string | null
}

/** One payment in an entry, which may sum up many. */
export interface BankTransaction {
  /** Its place in the entry, from 0. */
  readonly place: number
  /** Signed, in smallest units; null where the bank leaves it to the entry. */
  readonly amount: bigint | null
  readonly currency: string | null
  readonly messageId: string | null
  readonly paymentInformationId: string | null
  readonly instructionId: string | null
  readonly endToEndId: string | null
  readonly servicerReference: string | null
  readonly debtor: BankParty
  readonly creditor: BankParty
  readonly remittanceInformation: string | null
  /** Set where it is a payment that came back. */
  readonly returnReason: IsoReason | null
  readonly text: string | null
}

/** The transaction in an element, of an entry whose direction is its own unless it says otherwise. */
export function transactionOf(element: XmlElement, entry: BankEntry, place: number): BankTransaction {
  const what = `transaction ${place + 1} of entry ${entry.place + 1}`
  const amount = amountOf(element)
  const money = amount && moneyOf(amount, what)
  const isDirected = below(element, 'CdtDbtInd') !== undefined
  const signed = (units: bigint) =>
    isDirected ? directed(element, units, what) : entry.amount < 0n ? -units : units
  const refs = below(element, 'Refs')
  const endToEndId = textBelow(refs, 'EndToEndId')
  return {
    place,
    amount: money ? signed(money.amount) : null,
    currency: money?.currency ?? null,
    messageId: textBelow(refs, 'MsgId') ?? null,
    paymentInformationId: textBelow(refs, 'PmtInfId') ?? null,
    instructionId: textBelow(refs, 'InstrId') ?? null,
    endToEndId: endToEndId === undefined || endToEndId === NOT_PROVIDED ? null : endToEndId,
    servicerReference: textBelow(refs, 'AcctSvcrRef') ?? null,
    debtor: partyOf(element, 'Dbtr'),
    creditor: partyOf(element, 'Cdtr'),
    remittanceInformation: remittanceOf(below(element, 'RmtInf')),
    returnReason: reasonsOf(element, 'RtrInf')[0] ?? null,
    text: textBelow(element, 'AddtlTxInf') ?? null,
  }
}

/** Version .02 has the amount in the details only. What was booked goes before what was ordered. */
function amountOf(element: XmlElement): XmlElement | undefined {
  return (
    below(element, 'Amt') ?? below(element, 'AmtDtls/TxAmt/Amt') ?? below(element, 'AmtDtls/InstdAmt/Amt')
  )
}

function partyOf(element: XmlElement, role: 'Dbtr' | 'Cdtr'): BankParty {
  const parties = below(element, 'RltdPties')
  const bank = below(element, `RltdAgts/${role}Agt/FinInstnId`)
  return {
    name: textBelow(parties, `${role}/Pty/Nm`, `${role}/Nm`) ?? null,
    account: textBelow(parties, `${role}Acct/Id/IBAN`, `${role}Acct/Id/Othr/Id`) ?? null,
    bic: textBelow(bank, 'BICFI', 'BIC') ?? null,
  }
}

/** The lines of the text, or the reference of an invoice where that is all. */
function remittanceOf(remittance: XmlElement | undefined): string | null {
  const lines = allBelow(remittance, 'Ustrd').map(({ text }) => text)
  const references = allBelow(remittance, 'Strd').map((one) => textBelow(one, 'CdtrRefInf/Ref'))
  return [...lines, ...references].filter(Boolean).join(' ') || null
}
