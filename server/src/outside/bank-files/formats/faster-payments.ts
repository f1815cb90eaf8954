import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { type Element, element, optional } from '../../../base/formats/xml-text.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import { buildAccount, buildAgent, buildPaymentIds, NAME_CHARACTERS_MAX } from './pain-001.ts'
import {
  buildAccountByNumber,
  buildAddress,
  buildBank,
  type TransferFile,
  type TransferHead,
  writeTransfers,
} from './pain-001-document.ts'
import { toSepaName, toSepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'
import type { WirePayment } from './wire-payment.ts'

/**
 * Writes UK Faster Payments as a pain.001.001.09 file. Banks differ only in how they tell these payments from
 * others, so that is a setting.
 */

/** The payer: the platform's account at its bank. */
export type FasterPaymentsDebtor = Extract<BankFilesRailValue['format'], { type: 'FASTER_PAYMENTS' }>

/**
 * A Faster Payment has the fields of a wire. Its routing number is a sort code, and its amount is in pence.
 */
export type FasterPayment = WirePayment

/** The maximum amount of the scheme in pence: 1,000,000.00. The minimum is 0.01. */
const PENCE_MAX = 100_000_000n
/** The maximum length of the reference that the scheme carries to the payee. */
const REFERENCE_CHARACTERS_MAX = 18
const CURRENCY = 'GBP'
const SYSTEM = 'GBDSC'
const BBAN = 'BBAN'

export interface FasterPaymentsFile extends TransferFile {
  readonly debtor: FasterPaymentsDebtor
}

/** Writes a file in chunks and in constant memory. See `writeTransfers`. */
export async function* writeFasterPayments(
  file: FasterPaymentsFile,
  payments: AsyncIterable<FasterPayment>,
): AsyncGenerator<string> {
  yield* writeTransfers(file, buildHead(file.debtor), payments, writeFasterPayment)
}

/**
 * Writes one payment as an element of the file. Throws UnwritablePayment; a payment that passes here fits
 * into any file.
 */
export function writeFasterPayment({ creditor, amount, ...payment }: FasterPayment): Element {
  if (amount < 1n || amount > PENCE_MAX)
    throw new UnwritablePayment(
      `the amount must be between 0.01 and ${formatDecimalAmount(PENCE_MAX, CURRENCY)} GBP`,
      'amount',
    )
  if (!/^\d{6}$/.test(creditor.routingNumber)) throw new UnwritablePayment('the sort code must have 6 digits')
  if (!/^\d{8}$/.test(creditor.account)) throw new UnwritablePayment('the account number must have 8 digits')
  const name = toSepaName(creditor.name, NAME_CHARACTERS_MAX, { label: "the beneficiary's name" })
  return element('CdtTrfTxInf', [
    buildPaymentIds(payment),
    element('Amt', [element('InstdAmt', formatDecimalAmount(amount, CURRENCY), ` Ccy="${CURRENCY}"`)]),
    buildBank('CdtrAgt', SYSTEM, creditor.routingNumber),
    element('Cdtr', [element('Nm', name), creditor.address && buildAddress(creditor.address)]),
    buildAccountByNumber('CdtrAcct', creditor.account, BBAN),
    buildRemittance(payment),
  ])
}

/**
 * Builds the text for the payee. It never contains our reference, which also belongs to the quote: money that
 * the payee sends back with it would count as a late payment of the quote, and be returned to the payee.
 */
function buildRemittance({
  remittanceInformation = '',
}: Pick<FasterPayment, 'remittanceInformation'>): Element | undefined {
  const label = 'the remittance information'
  const part = 'remittanceInformation'
  const text = toSepaText(remittanceInformation, Number.POSITIVE_INFINITY, { label, part })
  if (text.length > REFERENCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `${label} has ${text.length} characters, but Faster Payments carries at most ${REFERENCE_CHARACTERS_MAX}`,
      part,
    )
  return text === '' ? undefined : element('RmtInf', [element('Ustrd', text)])
}

function buildHead(debtor: FasterPaymentsDebtor): TransferHead {
  const { iban, bic, sortCode, accountNumber, address } = debtor
  const name = element(
    'Nm',
    toSepaName(debtor.name, NAME_CHARACTERS_MAX, { label: "the account holder's name" }),
  )
  return {
    message: 'pain.001.001.09',
    currency: CURRENCY,
    initiator: name,
    // Each payment is booked separately, so that a statement names it.
    batch: [element('BtchBookg', 'false')],
    type: buildPaymentType(debtor),
    holder: [
      element('Dbtr', [name, address && buildAddress(address)]),
      iban === undefined
        ? buildAccountByNumber('DbtrAcct', accountNumber, BBAN)
        : buildAccount('DbtrAcct', iban, 'iban'),
      bic === undefined ? buildBank('DbtrAgt', SYSTEM, sortCode) : buildAgent('DbtrAgt', bic),
      element('ChrgBr', 'SHAR'),
    ],
  }
}

/** Builds the payment type. Undefined if the bank chooses the network. */
function buildPaymentType({
  paymentType: type = { serviceLevelCode: 'URNS' },
}: FasterPaymentsDebtor): Element | undefined {
  const choice = (name: string, code: string | undefined, proprietary: string | undefined) => {
    const written = optional('Cd', code) ?? optional('Prtry', proprietary)
    return written && element(name, [written])
  }
  const level = choice('SvcLvl', type.serviceLevelCode, type.serviceLevelProprietary)
  const instrument = choice('LclInstrm', type.localInstrumentCode, type.localInstrumentProprietary)
  return level || instrument ? element('PmtTpInf', [level, instrument]) : undefined
}

/** Finds a problem in an account's settings. Undefined if they are valid. */
export function findFasterPaymentsFault(debtor: FasterPaymentsDebtor): string | undefined {
  const { iban, bic, sortCode, accountNumber, paymentType: type = {} } = debtor
  if (bic !== undefined && iban === undefined)
    return 'format: bic requires iban, because an account number is not unique without a sort code'
  if (iban !== undefined && !iban.endsWith(`${sortCode}${accountNumber}`))
    return 'format: iban does not match sortCode and accountNumber'
  if (type.serviceLevelCode !== undefined && type.serviceLevelProprietary !== undefined)
    return 'format: paymentType must not have two service levels'
  if (type.localInstrumentCode !== undefined && type.localInstrumentProprietary !== undefined)
    return 'format: paymentType must not have two local instruments'
  try {
    buildHead(debtor)
    return undefined
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return `format: ${error.message}`
  }
}
