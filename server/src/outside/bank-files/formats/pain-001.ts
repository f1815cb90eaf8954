import { isValidBIC, isValidIBAN } from 'ibantools'
import { type Element, element, optional } from '../../../base/formats/xml-text.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import {
  buildAddress,
  type PainAddress,
  type TransferFile,
  type TransferHead,
  writeTransfers,
} from './pain-001-document.ts'
import { requireSepaReference, toSepaName, toSepaText } from './sepa-text.ts'
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
  /** At most 35 characters. Only the bank sees it and repeats it in status reports. */
  readonly instructionId: string
  /** At most 35 characters. All parties see it, and status reports and statements repeat it. */
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
  yield* writeTransfers(file, buildHead(file), payments, writeSepaTransfer)
}

/**
 * Writes one payment as an element of the file. Throws UnwritablePayment; a payment that passes here fits
 * into any file.
 */
export function writeSepaTransfer({ creditor, ...payment }: SepaPayment): Element {
  return element('CdtTrfTxInf', [
    buildPaymentIds(payment),
    element('Amt', [buildInstructedAmount(payment.amount)]),
    creditor.bic === undefined ? undefined : buildAgent('CdtrAgt', creditor.bic),
    element('Cdtr', [
      element(
        'Nm',
        toSepaName(creditor.name, NAME_CHARACTERS_MAX, {
          label: "the beneficiary's name",
          country: readCountry(creditor.iban),
        }),
      ),
      creditor.address && buildAddress(creditor.address),
    ]),
    buildAccount('CdtrAcct', creditor.iban, "the beneficiary's IBAN"),
    buildRemittance(payment.remittanceInformation),
  ])
}

/** Builds the two ids of a payment. */
export function buildPaymentIds({
  instructionId,
  endToEndId,
}: Pick<SepaPayment, 'instructionId' | 'endToEndId'>): Element {
  return element('PmtId', [
    element('InstrId', requireSepaReference(instructionId, 'the instruction id')),
    element('EndToEndId', requireSepaReference(endToEndId, 'the end-to-end id')),
  ])
}

export function buildInstructedAmount(amount: bigint): Element {
  if (amount < 1n || amount > CENTS_MAX)
    throw new UnwritablePayment('the amount must be between 0.01 and 999999999.99 EUR', 'amount')
  return element('InstdAmt', formatDecimalAmount(amount, 'EUR'), ' Ccy="EUR"')
}

/** Builds the text of a payment, truncated to fit. Undefined without text. */
export function buildRemittance(text: string | undefined): Element | undefined {
  const written = toRemittanceText(text, REMITTANCE_CHARACTERS_MAX)
  return written === '' ? undefined : element('RmtInf', [element('Ustrd', written)])
}

/**
 * Throws UnwritablePayment for text that SEPA cannot carry in full. Files still truncate the text of payments
 * made before this check existed.
 */
export function checkSepaText(text: string | undefined): void {
  const { length } = toRemittanceText(text, Number.POSITIVE_INFINITY)
  if (length > REMITTANCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `the remittance information has ${length} characters, but SEPA carries at most ${REMITTANCE_CHARACTERS_MAX}`,
      'remittanceInformation',
    )
}

function toRemittanceText(text: string | undefined, charactersMax: number): string {
  return toSepaText(text ?? '', charactersMax, {
    label: 'the remittance information',
    part: 'remittanceInformation',
  })
}

/** Builds the parts of the header that SEPA prescribes. */
function buildHead({ debtor, isInstant }: SepaFile): TransferHead {
  const name = element(
    'Nm',
    toSepaName(debtor.name, NAME_CHARACTERS_MAX, {
      label: "the account holder's name",
      country: readCountry(debtor.iban),
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
      element('Dbtr', [name, debtor.address && buildAddress(debtor.address)]),
      buildAccount('DbtrAcct', debtor.iban, "the account's IBAN"),
      buildAgent('DbtrAgt', debtor.bic),
      element('ChrgBr', 'SLEV'),
    ],
  }
}

export function readCountry(iban: string): string {
  return iban.slice(0, 2)
}

export function buildAccount(name: string, iban: string, label: string): Element {
  if (!isValidIBAN(iban)) throw new UnwritablePayment(`${label} is not valid`)
  return element(name, [element('Id', [element('IBAN', iban)])])
}

/**
 * Builds a bank from its BIC. The schema requires the debtor's bank, and the rules define a placeholder for
 * an unknown BIC.
 */
export function buildAgent(name: string, bic: string | undefined): Element {
  if (bic !== undefined && !isValidBIC(bic)) throw new UnwritablePayment(`the BIC ${bic} is not valid`)
  const placeholder = element('Othr', [element('Id', 'NOTPROVIDED')])
  return element(name, [element('FinInstnId', [optional('BICFI', bic) ?? placeholder])])
}
