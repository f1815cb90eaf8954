import { type Element, element } from '../../../base/formats/xml-text.ts'
import type { DebitMandate } from '../../../kernel/ports/rail.ts'
import {
  buildAccount,
  buildAgent,
  buildInstructedAmount,
  buildPaymentIds,
  buildRemittance,
  NAME_CHARACTERS_MAX,
  readCountry,
  type SepaDebtor,
} from './pain-001.ts'
import { buildAddress, type TransferFile, type TransferHead, writeTransfers } from './pain-001-document.ts'
import { requireSepaReference, toSepaName } from './sepa-text.ts'

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
  /** At most 35 characters. Only the bank sees it and repeats it in status reports. */
  readonly instructionId: string
  /** At most 35 characters. All parties see it, and status reports and statements repeat it. */
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
  yield* writeTransfers(file, buildHead(file), debits, writeSepaDebit)
}

/**
 * Writes one collection as an element of the file. Throws UnwritablePayment; a collection that passes here
 * fits into any file.
 */
export function writeSepaDebit({ debtor, mandate, ...debit }: SepaDebit): Element {
  const country = readCountry(debtor.iban)
  return element('DrctDbtTxInf', [
    buildPaymentIds(debit),
    buildInstructedAmount(debit.amount),
    element('DrctDbtTx', [
      element('MndtRltdInf', [
        element('MndtId', requireSepaReference(mandate.reference, 'the mandate reference')),
        element('DtOfSgntr', mandate.signedOn),
      ]),
    ]),
    buildAgent('DbtrAgt', debtor.bic),
    element('Dbtr', [
      element('Nm', toSepaName(debtor.name, NAME_CHARACTERS_MAX, { label: "the debtor's name", country })),
      debtor.address && buildAddress(debtor.address),
    ]),
    buildAccount('DbtrAcct', debtor.iban, "the debtor's IBAN"),
    buildRemittance(debit.remittanceInformation),
  ])
}

/** Builds the parts of the header that the scheme prescribes. */
function buildHead({ creditor, sequence }: SepaDebitFile): TransferHead {
  const country = readCountry(creditor.iban)
  const name = element(
    'Nm',
    toSepaName(creditor.name, NAME_CHARACTERS_MAX, { label: "the account holder's name", country }),
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
      element('Cdtr', [name, creditor.address && buildAddress(creditor.address)]),
      buildAccount('CdtrAcct', creditor.iban, "the account's IBAN"),
      buildAgent('CdtrAgt', creditor.bic),
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
