import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { type Element, element, optional } from '../../../base/formats/xml-text.ts'
import { decimalText } from './decimal-amounts.ts'
import { account, agent, NAME_CHARACTERS_MAX, paymentIds } from './pain-001.ts'
import {
  accountByNumber,
  bankByCode,
  postalAddress,
  type TransferFile,
  type TransferHead,
  writeTransfers,
} from './pain-001-document.ts'
import { sepaName, sepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'
import type { WirePayment } from './wire-payment.ts'

/**
 * Writes UK Faster Payments as a pain.001.001.09 file. Banks agree on its elements, but each has its own way to
 * tell these payments from others, which is a setting.
 */

/** The payer: the platform's account at its bank. */
export type FasterPaymentsDebtor = Extract<BankFilesRailValue['format'], { type: 'FASTER_PAYMENTS' }>

/** A Faster Payment has the fields of a wire. Its routing number is a sort code, and its amount is in pence. */
export type FasterPayment = WirePayment

/** The maximum amount of the scheme in pence: 1,000,000.00. The minimum is 0.01. */
const PENCE_MAX = 100_000_000n
/** The length of the reference that the scheme carries to the payee. */
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
  yield* writeTransfers(file, headOf(file.debtor), payments, fasterPayment)
}

/**
 * One payment as an element of the file. Throws UnwritablePayment; a payment that passes here fits into any
 * file.
 */
export function fasterPayment({ creditor, amount, ...payment }: FasterPayment): Element {
  if (amount < 1n || amount > PENCE_MAX)
    throw new UnwritablePayment(
      `amount is not within 0.01 to ${decimalText(PENCE_MAX, CURRENCY)} GBP`,
      'amount',
    )
  if (!/^\d{6}$/.test(creditor.routingNumber)) throw new UnwritablePayment('sort code is not of 6 digits')
  if (!/^\d{8}$/.test(creditor.account)) throw new UnwritablePayment('account number is not of 8 digits')
  const name = sepaName(creditor.name, NAME_CHARACTERS_MAX, { what: 'name of the beneficiary' })
  return element('CdtTrfTxInf', [
    paymentIds(payment),
    element('Amt', [element('InstdAmt', decimalText(amount, CURRENCY), ` Ccy="${CURRENCY}"`)]),
    bankByCode('CdtrAgt', SYSTEM, creditor.routingNumber),
    element('Cdtr', [element('Nm', name), creditor.address && postalAddress(creditor.address)]),
    accountByNumber('CdtrAcct', creditor.account, BBAN),
    remittance(payment),
  ])
}

/**
 * The text that the payee reads. Never our reference, which the quote has too: money that the payee sends back with
 * it would count as a late payment of the quote, and go back to the payee.
 */
function remittance({
  remittanceInformation = '',
}: Pick<FasterPayment, 'remittanceInformation'>): Element | undefined {
  const what = 'remittance information'
  const part = 'remittanceInformation'
  const text = sepaText(remittanceInformation, Number.POSITIVE_INFINITY, { what, part })
  if (text.length > REFERENCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `${what} has ${text.length} characters, and Faster Payments carries ${REFERENCE_CHARACTERS_MAX}`,
      part,
    )
  return text === '' ? undefined : element('RmtInf', [element('Ustrd', text)])
}

function headOf(debtor: FasterPaymentsDebtor): TransferHead {
  const { iban, bic, sortCode, accountNumber, address } = debtor
  const name = element('Nm', sepaName(debtor.name, NAME_CHARACTERS_MAX, { what: 'name of the account' }))
  return {
    message: 'pain.001.001.09',
    currency: CURRENCY,
    initiator: name,
    // Each payment is booked separately, so that a statement names it.
    batch: [element('BtchBookg', 'false')],
    type: paymentType(debtor),
    holder: [
      element('Dbtr', [name, address && postalAddress(address)]),
      iban === undefined
        ? accountByNumber('DbtrAcct', accountNumber, BBAN)
        : account('DbtrAcct', iban, 'iban'),
      bic === undefined ? bankByCode('DbtrAgt', SYSTEM, sortCode) : agent('DbtrAgt', bic),
      element('ChrgBr', 'SHAR'),
    ],
  }
}

/** Undefined if the bank chooses the network itself. */
function paymentType({
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
export function faultOfFasterPayments(debtor: FasterPaymentsDebtor): string | undefined {
  const { iban, bic, sortCode, accountNumber, paymentType: type = {} } = debtor
  if (bic !== undefined && iban === undefined)
    return 'format: bic needs iban, because the number alone is not unique'
  if (iban !== undefined && !iban.endsWith(`${sortCode}${accountNumber}`))
    return 'format: iban is not the one of sortCode and accountNumber'
  if (type.serviceLevelCode !== undefined && type.serviceLevelProprietary !== undefined)
    return 'format: paymentType has two service levels'
  if (type.localInstrumentCode !== undefined && type.localInstrumentProprietary !== undefined)
    return 'format: paymentType has two local instruments'
  try {
    headOf(debtor)
    return undefined
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return `format: ${error.message}`
  }
}
