import { isRoutingNumber } from '../../../base/formats/check-digits.ts'
import { type Element, element } from '../../../base/formats/xml-text.ts'
import { formatDecimalAmount } from './decimal-amounts.ts'
import {
  buildAccountByNumber,
  buildAddress,
  buildBank,
  type TransferFile,
  writePieces,
  writeTransfers,
} from './pain-001-document.ts'
import { requireSepaReference, toSepaName, toSepaText } from './sepa-text.ts'
import { UnwritablePayment } from './unreadable-file.ts'
import { findTemplateFault, writeWireHeader, writeWireRow } from './wire-csv.ts'
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
    const write = (payment: WirePayment) =>
      writeWireRow(csv, debtor, file.executionDate, toWireFields(payment))
    yield* writePieces(file, writeWireHeader(csv), payments, write)
    return
  }
  const name = element(
    'Nm',
    toSepaName(debtor.name, NAME_CHARACTERS_MAX, { label: "the account holder's name" }),
  )
  const head = {
    message: 'pain.001.001.09' as const,
    currency: CURRENCY,
    initiator: name,
    // Each wire is booked separately, so that a statement names it.
    batch: [element('BtchBookg', 'false')],
    type: element('PmtTpInf', [element('InstrPrty', 'HIGH'), element('SvcLvl', [element('Cd', 'URGP')])]),
    holder: [
      element('Dbtr', [name, buildAddress(debtor.address)]),
      buildAccountByNumber('DbtrAcct', debtor.accountNumber),
      buildBank('DbtrAgt', SYSTEM, debtor.routingNumber),
      element('ChrgBr', debtor.charges ?? 'SHAR'),
    ],
  }
  yield* writeTransfers(file, head, payments, writeTransfer)
}

/**
 * Writes one payment as part of a file from this account. Throws UnwritablePayment; a payment that passes
 * here fits into any file.
 */
export function writeWireTransfer(payment: WirePayment, debtor: WireDebtor): string {
  return debtor.csv
    ? writeWireRow(debtor.csv, debtor, '2026-01-01', toWireFields(payment))
    : writeTransfer(payment)
}

/** Throws UnwritablePayment for text that a wire cannot carry in full. */
export function checkWireText(text: string | undefined): void {
  const { length } = toRemittanceText(text, Number.POSITIVE_INFINITY)
  if (length > REMITTANCE_CHARACTERS_MAX)
    throw new UnwritablePayment(
      `the remittance information has ${length} characters, but a wire carries at most ${REMITTANCE_CHARACTERS_MAX}`,
      'remittanceInformation',
    )
}

/** Finds a problem in an account's settings for wires. Undefined if they are valid. */
export function findWireFault({ routingNumber, csv }: WireDebtor): string | undefined {
  if (!isRoutingNumber(routingNumber)) return 'format: routingNumber is not a routing number'
  return csv && findTemplateFault(csv)
}

function toRemittanceText(text: string | undefined, charactersMax: number): string {
  return toSepaText(text ?? '', charactersMax, {
    label: 'the remittance information',
    part: 'remittanceInformation',
  })
}

/** Converts a payment to the characters and lengths of a file. Throws UnwritablePayment. */
function toWireFields({ creditor, amount, ...payment }: WirePayment): WirePayment {
  if (amount < 1n || amount > CENTS_MAX)
    throw new UnwritablePayment(
      `the amount must be between 0.01 and ${formatDecimalAmount(CENTS_MAX, CURRENCY)} USD`,
      'amount',
    )
  if (!isRoutingNumber(creditor.routingNumber)) throw new UnwritablePayment('the routing number is not valid')
  if (!/^[A-Za-z0-9 -]{1,34}$/.test(creditor.account))
    throw new UnwritablePayment('the account number is not valid')
  return {
    amount,
    instructionId: requireSepaReference(payment.instructionId, 'the instruction id'),
    endToEndId: requireSepaReference(payment.endToEndId, 'the end-to-end id'),
    creditor: {
      ...creditor,
      name: toSepaName(creditor.name, NAME_CHARACTERS_MAX, { label: "the beneficiary's name" }),
    },
    remittanceInformation: toRemittanceText(payment.remittanceInformation, REMITTANCE_CHARACTERS_MAX),
  }
}

function writeTransfer(payment: WirePayment): Element {
  const { creditor, amount, instructionId, endToEndId, remittanceInformation = '' } = toWireFields(payment)
  return element('CdtTrfTxInf', [
    element('PmtId', [element('InstrId', instructionId), element('EndToEndId', endToEndId)]),
    element('Amt', [element('InstdAmt', formatDecimalAmount(amount, CURRENCY), ` Ccy="${CURRENCY}"`)]),
    buildBank('CdtrAgt', SYSTEM, creditor.routingNumber),
    element('Cdtr', [element('Nm', creditor.name), creditor.address && buildAddress(creditor.address)]),
    buildAccountByNumber('CdtrAcct', creditor.account),
    remittanceInformation === '' ? undefined : element('RmtInf', [element('Ustrd', remittanceInformation)]),
  ])
}
