import { isRoutingNumber } from '../../../base/formats/check-digits.ts'
import { type Element, element } from '../../../base/formats/xml-text.ts'
import { decimalText } from './decimal-amounts.ts'
import {
  accountByNumber,
  bankByCode,
  postalAddress,
  type TransferFile,
  writePieces,
  writeTransfers,
} from './pain-001-document.ts'
import { sepaName, sepaReference, sepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'
import { faultOfTemplate, wireHeader, wireRow } from './wire-csv.ts'
import type { WireDebtor, WirePayment } from './wire-payment.ts'

/** Writes wires in dollars: as urgent transfers in pain.001.001.09, or in the bank's own CSV format. */

const NAME_CHARACTERS_MAX = 70
const REMITTANCE_CHARACTERS_MAX = 140
/** The maximum amount of a Fedwire transfer in cents: 9,999,999,999.99. The minimum is 0.01. */
const CENTS_MAX = 999_999_999_999n
const CURRENCY = 'USD'
const SYSTEM = 'USABA'

export interface WireFile extends TransferFile {
  readonly debtor: WireDebtor
}

/** Writes a file in chunks and in constant memory. The same arguments always give the same bytes. */
export async function* writeWires(
  file: WireFile,
  payments: AsyncIterable<WirePayment>,
): AsyncGenerator<string> {
  const { debtor } = file
  const { csv } = debtor
  if (csv) {
    const write = (payment: WirePayment) => wireRow(csv, debtor, file.executionDate, checked(payment))
    yield* writePieces(file, wireHeader(csv), payments, write)
    return
  }
  const name = element('Nm', sepaName(debtor.name, NAME_CHARACTERS_MAX, { what: 'name of the account' }))
  const head = {
    message: 'pain.001.001.09' as const,
    currency: CURRENCY,
    initiator: name,
    // Each wire is booked separately, so that a statement names it.
    batch: [element('BtchBookg', 'false')],
    type: element('PmtTpInf', [element('InstrPrty', 'HIGH'), element('SvcLvl', [element('Cd', 'URGP')])]),
    holder: [
      element('Dbtr', [name, postalAddress(debtor.address)]),
      accountByNumber('DbtrAcct', debtor.accountNumber),
      bankByCode('DbtrAgt', SYSTEM, debtor.routingNumber),
      element('ChrgBr', debtor.charges ?? 'SHAR'),
    ],
  }
  yield* writeTransfers(file, head, payments, transferOf)
}

/**
 * One payment as part of a file from this account. Throws UnwritablePayment; a payment that passes here fits
 * into any file.
 */
export function wireTransfer(payment: WirePayment, debtor: WireDebtor): string {
  return debtor.csv ? wireRow(debtor.csv, debtor, '2026-01-01', checked(payment)) : transferOf(payment)
}

/** Throws UnwritablePayment for text that a wire cannot carry in full. */
export function checkWireText(text: string | undefined): void {
  const { length } = remittanceText(text, Number.POSITIVE_INFINITY)
  if (length > REMITTANCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `remittance information has ${length} characters, and a wire carries ${REMITTANCE_CHARACTERS_MAX}`,
      'remittanceInformation',
    )
}

/** Finds a problem in an account's settings for wires. Undefined if they are valid. */
export function faultOfWires({ routingNumber, csv }: WireDebtor): string | undefined {
  if (!isRoutingNumber(routingNumber)) return 'format: routingNumber is not a routing number'
  return csv && faultOfTemplate(csv)
}

function remittanceText(text: string | undefined, charactersMax: number): string {
  return sepaText(text ?? '', charactersMax, {
    what: 'remittance information',
    part: 'remittanceInformation',
  })
}

/** The payment, converted to the characters and lengths of a file. Throws UnwritablePayment. */
function checked({ creditor, amount, ...payment }: WirePayment): WirePayment {
  if (amount < 1n || amount > CENTS_MAX)
    throw new UnwritablePayment(
      `amount is not within 0.01 to ${decimalText(CENTS_MAX, CURRENCY)} USD`,
      'amount',
    )
  if (!isRoutingNumber(creditor.routingNumber)) throw new UnwritablePayment('routing number is not valid')
  if (!/^[A-Za-z0-9 -]{1,34}$/.test(creditor.account))
    throw new UnwritablePayment('account number is not valid')
  return {
    amount,
    instructionId: sepaReference(payment.instructionId, 'instruction id'),
    endToEndId: sepaReference(payment.endToEndId, 'end-to-end id'),
    creditor: {
      ...creditor,
      name: sepaName(creditor.name, NAME_CHARACTERS_MAX, { what: 'name of the beneficiary' }),
    },
    remittanceInformation: remittanceText(payment.remittanceInformation, REMITTANCE_CHARACTERS_MAX),
  }
}

function transferOf(payment: WirePayment): Element {
  const { creditor, amount, instructionId, endToEndId, remittanceInformation = '' } = checked(payment)
  return element('CdtTrfTxInf', [
    element('PmtId', [element('InstrId', instructionId), element('EndToEndId', endToEndId)]),
    element('Amt', [element('InstdAmt', decimalText(amount, CURRENCY), ` Ccy="${CURRENCY}"`)]),
    bankByCode('CdtrAgt', SYSTEM, creditor.routingNumber),
    element('Cdtr', [element('Nm', creditor.name), creditor.address && postalAddress(creditor.address)]),
    accountByNumber('CdtrAcct', creditor.account),
    remittanceInformation === '' ? undefined : element('RmtInf', [element('Ustrd', remittanceInformation)]),
  ])
}
