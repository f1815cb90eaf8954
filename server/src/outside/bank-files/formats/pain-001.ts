import { isValidBIC, isValidIBAN } from 'ibantools'
import { type Element, element, optional } from '../../../base/formats/xml-text.ts'
import { decimalText } from './decimal-amounts.ts'
import {
  type PainAddress,
  postalAddress,
  type TransferFile,
  type TransferHead,
  writeTransfers,
} from './pain-001-document.ts'
import { sepaName, sepaReference, sepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'

/**
 * Writes SEPA credit transfers as a pain.001.001.09 file, following the rules of the European Payments
 * Council (EPC132-08).
 */

export const NAME_CHARACTERS_MAX = 70
const REMITTANCE_CHARACTERS_MAX = 140
/** The maximum amount of a SEPA payment in cents: 999,999,999.99. The minimum is 0.01. */
const CENTS_MAX = 99_999_999_999n

/** The payer: the platform's account at its bank. */
export interface SepaDebtor {
  readonly name: string
  readonly iban: string
  readonly bic?: string
  readonly address?: PainAddress
}

export interface SepaPayment {
  /** At most 35 characters. Only the bank sees it, and repeats it in status reports. */
  readonly instructionId: string
  /** At most 35 characters. Everyone on the way sees it. It is repeated in status reports and statements. */
  readonly endToEndId: string
  /** In cents. */
  readonly amount: bigint
  readonly creditor: {
    readonly name: string
    readonly iban: string
    readonly bic?: string
    readonly address?: PainAddress
  }
  readonly remittanceInformation?: string
}

export interface SepaFile extends TransferFile {
  readonly isInstant: boolean
  readonly debtor: SepaDebtor
}

/** Writes a file in chunks and in constant memory. See `writeTransfers`. */
export async function* writePain001(
  file: SepaFile,
  payments: AsyncIterable<SepaPayment>,
): AsyncGenerator<string> {
  yield* writeTransfers(file, headOf(file), payments, sepaTransfer)
}

/**
 * One payment as an element of the file. Throws UnwritablePayment; a payment that passes here fits into any
 * file.
 */
export function sepaTransfer({ creditor, ...payment }: SepaPayment): Element {
  return element('CdtTrfTxInf', [
    paymentIds(payment),
    element('Amt', [instructedAmount(payment.amount)]),
    creditor.bic === undefined ? undefined : agent('CdtrAgt', creditor.bic),
    element('Cdtr', [
      element(
        'Nm',
        sepaName(creditor.name, NAME_CHARACTERS_MAX, {
          what: 'name of the beneficiary',
          country: countryOf(creditor.iban),
        }),
      ),
      creditor.address && postalAddress(creditor.address),
    ]),
    account('CdtrAcct', creditor.iban, 'IBAN of the beneficiary'),
    remittance(payment.remittanceInformation),
  ])
}

/** The two ids of a payment. */
export function paymentIds({
  instructionId,
  endToEndId,
}: Pick<SepaPayment, 'instructionId' | 'endToEndId'>): Element {
  return element('PmtId', [
    element('InstrId', sepaReference(instructionId, 'instruction id')),
    element('EndToEndId', sepaReference(endToEndId, 'end-to-end id')),
  ])
}

export function instructedAmount(amount: bigint): Element {
  if (amount < 1n || amount > CENTS_MAX)
    throw new UnwritablePayment('amount is not within 0.01 to 999999999.99 EUR', 'amount')
  return element('InstdAmt', decimalText(amount, 'EUR'), ' Ccy="EUR"')
}

/** The text of a payment, truncated to fit. Undefined without a text. */
export function remittance(text: string | undefined): Element | undefined {
  const written = remittanceText(text, REMITTANCE_CHARACTERS_MAX)
  return written === '' ? undefined : element('RmtInf', [element('Ustrd', written)])
}

/**
 * Throws UnwritablePayment for text that SEPA cannot carry in full. Files still truncate the text of payments
 * made before this rule existed.
 */
export function checkSepaText(text: string | undefined): void {
  const { length } = remittanceText(text, Number.POSITIVE_INFINITY)
  if (length > REMITTANCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `remittance information has ${length} characters, and SEPA carries ${REMITTANCE_CHARACTERS_MAX}`,
      'remittanceInformation',
    )
}

function remittanceText(text: string | undefined, charactersMax: number): string {
  return sepaText(text ?? '', charactersMax, {
    what: 'remittance information',
    part: 'remittanceInformation',
  })
}

/** The parts of the header that SEPA prescribes. */
function headOf({ debtor, isInstant }: SepaFile): TransferHead {
  const name = element(
    'Nm',
    sepaName(debtor.name, NAME_CHARACTERS_MAX, {
      what: 'name of the account',
      country: countryOf(debtor.iban),
    }),
  )
  return {
    message: 'pain.001.001.09',
    currency: 'EUR',
    initiator: name,
    batch: [],
    type: element('PmtTpInf', [
      element('SvcLvl', [element('Cd', 'SEPA')]),
      isInstant ? element('LclInstrm', [element('Cd', 'INST')]) : undefined,
    ]),
    holder: [
      element('Dbtr', [name, debtor.address && postalAddress(debtor.address)]),
      account('DbtrAcct', debtor.iban, 'IBAN of the account'),
      agent('DbtrAgt', debtor.bic),
      element('ChrgBr', 'SLEV'),
    ],
  }
}

export function countryOf(iban: string): string {
  return iban.slice(0, 2)
}

export function account(name: string, iban: string, what: string): Element {
  if (!isValidIBAN(iban)) throw new UnwritablePayment(`${what} is not valid`)
  return element(name, [element('Id', [element('IBAN', iban)])])
}

/**
 * A bank by its BIC. The schema requires the debtor's bank; the rules define a placeholder for an unknown
 * BIC.
 */
export function agent(name: string, bic: string | undefined): Element {
  if (bic !== undefined && !isValidBIC(bic)) throw new UnwritablePayment(`the BIC ${bic} is not valid`)
  const unknown = element('Othr', [element('Id', 'NOTPROVIDED')])
  return element(name, [element('FinInstnId', [optional('BICFI', bic) ?? unknown])])
}
