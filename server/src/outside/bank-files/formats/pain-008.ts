import { type Element, element } from '../../../base/formats/xml-text.ts'
import type { DebitMandate } from '../../../kernel/ports/rail.ts'
import {
  account,
  agent,
  countryOf,
  instructedAmount,
  NAME_CHARACTERS_MAX,
  paymentIds,
  remittance,
  type SepaDebtor,
} from './pain-001.ts'
import { postalAddress, type TransferFile, type TransferHead, writeTransfers } from './pain-001-document.ts'
import { sepaName, sepaReference } from './sepa-text.ts'

/**
 * Writes SEPA direct debits (CORE) as a pain.008.001.08 file, following the rules of the European Payments
 * Council (EPC130-08).
 */

export type DebitSequence = DebitMandate['sequence']
export const DEBIT_SEQUENCES: readonly DebitSequence[] = ['FRST', 'RCUR', 'OOFF', 'FNAL']

/** The platform's account at its bank, which collects the debits. */
export interface SepaCreditor extends SepaDebtor {
  readonly creditorId: string
}

export interface SepaDebit {
  /** At most 35 characters. Only the bank sees it, and repeats it in status reports. */
  readonly instructionId: string
  /** At most 35 characters. Everyone on the way sees it. It is repeated in status reports and statements. */
  readonly endToEndId: string
  /** In cents. */
  readonly amount: bigint
  readonly mandate: Pick<DebitMandate, 'reference' | 'signedOn'>
  readonly debtor: SepaDebtor
  readonly remittanceInformation?: string
}

/** Collections with the same sequence type and day, as a single batch. */
export interface SepaDebitFile extends TransferFile {
  readonly sequence: DebitSequence
  readonly creditor: SepaCreditor
}

/** Writes a file in chunks and in constant memory. See `writeTransfers`. */
export async function* writePain008(
  file: SepaDebitFile,
  debits: AsyncIterable<SepaDebit>,
): AsyncGenerator<string> {
  yield* writeTransfers(file, headOf(file), debits, sepaDebit)
}

/**
 * One collection as an element of the file. Throws UnwritablePayment; a collection that passes here fits into
 * any file.
 */
export function sepaDebit({ debtor, mandate, ...debit }: SepaDebit): Element {
  const country = countryOf(debtor.iban)
  return element('DrctDbtTxInf', [
    paymentIds(debit),
    instructedAmount(debit.amount),
    element('DrctDbtTx', [
      element('MndtRltdInf', [
        element('MndtId', sepaReference(mandate.reference, 'reference of the mandate')),
        element('DtOfSgntr', mandate.signedOn),
      ]),
    ]),
    agent('DbtrAgt', debtor.bic),
    element('Dbtr', [
      element('Nm', sepaName(debtor.name, NAME_CHARACTERS_MAX, { what: 'name of the debtor', country })),
      debtor.address && postalAddress(debtor.address),
    ]),
    account('DbtrAcct', debtor.iban, 'IBAN of the debtor'),
    remittance(debit.remittanceInformation),
  ])
}

/** The parts of the header that the scheme prescribes. */
function headOf({ creditor, sequence }: SepaDebitFile): TransferHead {
  const country = countryOf(creditor.iban)
  const name = element(
    'Nm',
    sepaName(creditor.name, NAME_CHARACTERS_MAX, { what: 'name of the account', country }),
  )
  return {
    message: 'pain.008.001.08',
    currency: 'EUR',
    initiator: name,
    batch: [],
    type: element('PmtTpInf', [
      element('SvcLvl', [element('Cd', 'SEPA')]),
      element('LclInstrm', [element('Cd', 'CORE')]),
      element('SeqTp', sequence),
    ]),
    holder: [
      element('Cdtr', [name, creditor.address && postalAddress(creditor.address)]),
      account('CdtrAcct', creditor.iban, 'IBAN of the account'),
      agent('CdtrAgt', creditor.bic),
      element('ChrgBr', 'SLEV'),
      element('CdtrSchmeId', [
        element('Id', [
          element('PrvtId', [
            element('Othr', [
              element('Id', creditor.creditorId),
              element('SchmeNm', [element('Prtry', 'SEPA')]),
            ]),
          ]),
        ]),
      ]),
    ],
  }
}
