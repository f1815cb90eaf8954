import { hash } from 'node:crypto'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { Enqueued, PaymentFault, QueuedPayment, UnmadePayment } from '../../kernel/ports/rail.ts'
import { insert } from '../../storage/commit/writes.ts'
import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'
import type { Read } from '../../storage/read/read.ts'
import type {
  BankFileRow,
  BankPaymentRow,
  PrenoteRow,
  QueuedPaymentRow,
  ReversalRow,
} from '../../storage/rows/bank-file.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { bacsWritable } from './bacs-payments.ts'
import {
  type AchBatch,
  type AchPayment,
  achEntry,
  checkAchText,
  ENTRY_CLASSES,
  entryClassOf,
} from './formats/ach-writer.ts'
import { fasterPayment } from './formats/faster-payments.ts'
import { checkSepaText, type SepaPayment, sepaTransfer } from './formats/pain-001.ts'
import { writableAddress } from './formats/pain-001-document.ts'
import { DEBIT_SEQUENCES, type DebitSequence, type SepaDebit, sepaDebit } from './formats/pain-008.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'
import type { WirePayment } from './formats/wire-payment.ts'
import { checkWireText, wireTransfer } from './formats/wires.ts'
import { INSTANT_BATCH, isInEea, NETWORKS } from './networks.ts'
import { addressOf, detailsOf, memberOf, poundAccountOf } from './payment-details.ts'
import { isInDoubt, MICRO_ENDING } from './queue-store.ts'

type Format = BankFilesRailValue['format']
type SepaFormatValue = Extract<Format, { type: 'SEPA' }>
type WireFormatValue = Extract<Format, { type: 'WIRE' }>
type AchFormatValue = Extract<Format, { type: 'ACH' }>

/** Queues a payment for a bank file rail, if its format can carry the payment. */
export function enqueue({ name, format }: BankFilesRailValue, payment: QueuedPayment): Enqueued {
  try {
    const row = rowOf(name, payment, writableBy(format, payment))
    return { outcome: 'queued', writes: [insert('bank_payments', row)] }
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail: error.message }
  }
}

/**
 * Finds the part of a payment that the rail's format cannot carry, before the payment is made. Undefined if
 * it can carry all of it.
 */
export function faultOfPayment(
  { format }: BankFilesRailValue,
  payment: UnmadePayment,
): PaymentFault | undefined {
  try {
    writableBy(format, payment)
    return undefined
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { part: error.part, text: error.message }
  }
}

type Writable = Pick<BankPaymentRow, 'batch' | 'details'>

/**
 * The batch and details of a payment. Writes it once, to verify that a file can carry it. Throws
 * UnwritablePayment.
 */
function writableBy(format: Format, payment: UnmadePayment): Writable {
  const { paymentRail } = payment
  if (paymentRail !== null && !NETWORKS[format.type].some((one) => one === paymentRail))
    throw new UnwritablePayment(`${format.type} files do not carry ${paymentRail} payments`)
  switch (format.type) {
    case 'SEPA':
      return sepaWritable(format, payment)
    case 'ACH':
      return achWritable(format, payment)
    case 'WIRE':
      return wireWritable(format, payment)
    case 'BACS':
      return bacsWritable(format, payment)
    case 'FASTER_PAYMENTS':
      return fasterPaymentWritable(payment)
  }
}

const CARRIED_BY_WIRES = 'USD'

/** A well-formed reference and id, for checking a payment that does not exist yet. */
const SAMPLE = { id: '00000000-0000-7000-8000-000000000000', reference: 'CS0000000000', trace: 1n } as const

function sepaWritable(format: SepaFormatValue, payment: UnmadePayment): Writable {
  const { account, sender, amount, currency, paymentRail, direction } = payment
  if (direction === 'PULL') return debitWritable(payment)
  if (currency !== 'EUR') throw new UnwritablePayment(`SEPA does not carry ${currency}`)
  const iban = account ? memberOf(account, 'iban') : sender?.accountIdentifier
  if (iban !== undefined && !isInEea(iban) && !format.address)
    throw new UnwritablePayment(
      `the bank of this account is outside the EEA, which requires the payer's address: set format.address of the rail`,
    )
  const address = writableAddress(addressOf(account))
  const details = detailsOf(payment, iban, {
    ...present({ bic: account ? memberOf(account, 'swiftCode') : undefined, address }),
  })
  checkSepaText(details.remittanceInformation)
  sepaTransfer(sepaPaymentOf({ ...SAMPLE, amount, details }))
  return { batch: paymentRail === 'SEPA_INSTANT' ? INSTANT_BATCH : 'SEPA', details }
}

/** A direct debit is collected from the account that its mandate names. */
function debitWritable(payment: UnmadePayment): Writable {
  const { mandate, account, amount, paymentRail } = payment
  if (paymentRail === 'SEPA_INSTANT') throw new UnwritablePayment('SEPA debits by the network SEPA only')
  if (!mandate)
    throw new UnwritablePayment('a direct debit needs an active mandate for this account: see POST /mandates')
  const { reference, signedOn, debtorName, debtorAccount: debtorIban, sequence } = mandate
  const details = {
    ...detailsOf(payment, debtorIban, {
      ...present({
        bic: account ? memberOf(account, 'swiftCode') : undefined,
        // Outside the EEA, the debtor's bank requires the address.
        address: isInEea(debtorIban) ? undefined : writableAddress(addressOf(account)),
      }),
    }),
    name: debtorName,
    mandate: { reference, signedOn },
  }
  checkSepaText(details.remittanceInformation)
  sepaDebit(sepaDebitOf({ ...SAMPLE, amount, details }))
  return { batch: `DEBIT-${sequence}`, details }
}

function achWritable({ originatingBank, debitClass }: AchFormatValue, payment: UnmadePayment): Writable {
  const { account, sender, amount, currency, isMicroDeposit } = payment
  if (currency !== 'USD') throw new UnwritablePayment(`ACH does not carry ${currency}`)
  const number = account ? memberOf(account, 'accountNumber') : sender?.accountIdentifier
  const routingNumber = account ? memberOf(account, 'routingNumber') : sender?.bankIdentifier
  if (routingNumber === undefined) throw new UnwritablePayment('routing number is not known')
  const direction = payment.direction === 'OUT' ? 'CREDIT' : 'DEBIT'
  const entryClass = entryClassOf(isBusiness(account), direction, debitClass)
  const isSavings = account !== undefined && memberOf(account, 'bankAccountType') === 'SAVINGS'
  const accountKind = isSavings ? 'SAVINGS' : 'CHECKING'
  const details = detailsOf(payment, number, { routingNumber, accountKind })
  checkAchText(entryClass, details.remittanceInformation)
  achEntry({ entryClass, direction }, achPaymentOf({ ...SAMPLE, amount, details }), originatingBank)
  return { batch: `${entryClass}-${direction}${isMicroDeposit ? MICRO_ENDING : ''}`, details }
}

function wireWritable(format: WireFormatValue, payment: UnmadePayment): Writable {
  const { account, sender, amount, currency, direction } = payment
  if (direction === 'PULL') throw new UnwritablePayment('wires pull nothing')
  if (currency !== CARRIED_BY_WIRES) throw new UnwritablePayment(`wires do not carry ${currency}`)
  const number = account ? memberOf(account, 'accountNumber') : sender?.accountIdentifier
  const routingNumber = account ? memberOf(account, 'routingNumber') : sender?.bankIdentifier
  if (routingNumber === undefined) throw new UnwritablePayment('routing number is not known')
  const address = writableAddress(addressOf(account))
  const details = detailsOf(payment, number, { routingNumber, ...present({ address }) })
  checkWireText(details.remittanceInformation)
  wireTransfer(wirePaymentOf({ ...SAMPLE, amount, details }), format)
  return { batch: 'WIRE', details }
}

function fasterPaymentWritable(payment: UnmadePayment): Writable {
  const { account, amount, currency, direction } = payment
  if (direction === 'PULL') throw new UnwritablePayment('Faster Payments pull nothing')
  if (currency !== 'GBP') throw new UnwritablePayment(`Faster Payments do not carry ${currency}`)
  const { sortCode, number } = poundAccountOf(payment)
  const address = writableAddress(addressOf(account))
  const details = detailsOf(payment, number, { routingNumber: sortCode, ...present({ address }) })
  fasterPayment(wirePaymentOf({ ...SAMPLE, amount, details }))
  return { batch: INSTANT_BATCH, details }
}

function rowOf(
  rail: string,
  { recordId, platformId, id, direction, reference, amount, currency, now }: QueuedPayment,
  { batch, details }: Writable,
): BankPaymentRow {
  return {
    id: recordId,
    platform_id: platformId,
    rail,
    payment_id: id,
    kind: 'PAYMENT',
    direction,
    batch,
    reference,
    amount,
    currency,
    details,
    file_id: null,
    place: null,
    trace: null,
    created_at: now,
  }
}

/** Converts a row to a payment of a SEPA file. */
export function sepaPaymentOf({
  id,
  reference,
  amount,
  details,
}: Pick<BankPaymentRow, 'id' | 'reference' | 'amount' | 'details'>): SepaPayment {
  const { name, account: iban, bic, address, remittanceInformation } = details
  return {
    instructionId: instructionOf(id),
    endToEndId: reference,
    amount,
    creditor: { name, iban, ...present({ bic, address }) },
    ...present({ remittanceInformation }),
  }
}

/** Converts a row to a SEPA direct debit. */
export function sepaDebitOf({
  id,
  reference,
  amount,
  details,
}: Pick<BankPaymentRow, 'id' | 'reference' | 'amount' | 'details'>): SepaDebit {
  const { name, account: iban, bic, address, mandate, remittanceInformation } = details
  if (!mandate) throw new Error(`The payment ${reference} is not a direct debit`)
  return {
    instructionId: instructionOf(id),
    endToEndId: reference,
    amount,
    mandate,
    debtor: { name, iban, ...present({ bic, address }) },
    ...present({ remittanceInformation }),
  }
}

/** The sequence type of a SEPA direct debit batch, taken from its name. Undefined for transfers. */
export function debitSequenceOf(batch: string | undefined): DebitSequence | undefined {
  return DEBIT_SEQUENCES.find((one) => batch === `DEBIT-${one}`)
}

/** Converts a row to a wire or a Faster Payment. */
export function wirePaymentOf({
  id,
  reference,
  amount,
  details,
}: Pick<BankPaymentRow, 'id' | 'reference' | 'amount' | 'details'>): WirePayment {
  const { name, account, routingNumber, address, remittanceInformation } = details
  if (routingNumber === undefined)
    throw new Error(`The payment ${reference} is not a wire or a Faster Payment`)
  return {
    instructionId: instructionOf(id),
    endToEndId: reference,
    amount,
    creditor: { name, account, routingNumber, ...present({ address }) },
    ...present({ remittanceInformation }),
  }
}

/** Converts a row to a payment of a NACHA file. By then, it has a trace number. */
export function achPaymentOf({
  reference,
  amount,
  details,
  trace,
}: Pick<BankPaymentRow, 'reference' | 'amount' | 'details' | 'trace'>): AchPayment {
  const { name, account, routingNumber, accountKind, remittanceInformation } = details
  if (routingNumber === undefined || accountKind === undefined || trace === null)
    throw new Error(`The payment ${reference} is not an ACH payment, or has no trace number`)
  return {
    traceSequence: Number(trace),
    routingNumber,
    account,
    accountKind,
    amount,
    individualId: reference,
    name,
    ...(remittanceInformation === undefined ? {} : { remittanceInformation }),
  }
}

/**
 * Parses the class, direction and kind from a batch name. Payments that earlier versions queued as CTX are
 * sent as CCD.
 */
export function achBatchOf(
  batch: string,
): Pick<AchBatch, 'entryClass' | 'direction' | 'isPrenote' | 'description'> {
  const entryClass = ENTRY_CLASSES.find((one) => batch.startsWith(one)) ?? 'CCD'
  const isPrenote = batch.endsWith(PRENOTE_ENDING)
  const description = batch.endsWith(MICRO_ENDING)
    ? 'ACCTVERIFY'
    : batch.endsWith(REVERSAL_ENDING)
      ? 'REVERSAL'
      : undefined
  const direction = batch.includes('-DEBIT') ? 'DEBIT' : 'CREDIT'
  return { entryClass, direction, isPrenote, description }
}

/** True for a file of deposits that verify accounts, which has no other rows. */
export function isMicroFile({ batches }: Pick<BankFileRow, 'batches'>): boolean {
  return batches.some((batch) => batch.endsWith(MICRO_ENDING))
}

/** True for the file of a reversal, which has no other row. */
export function isReversalFile({ batches }: Pick<BankFileRow, 'batches'>): boolean {
  return batches.some((batch) => batch.endsWith(REVERSAL_ENDING))
}

const PRENOTE_ENDING = '-PRENOTE'
const REVERSAL_ENDING = '-REVERSAL'

/**
 * Builds the prenote that a payment waits for. Its id is derived from the payment's, so a payment has at most
 * one.
 */
export function prenoteFor(payment: QueuedPaymentRow): PrenoteRow {
  const { remittanceInformation: _, ...details } = payment.details
  const id = idOfKind('RailPayment', uuidOfText(`Prenote ${payment.id}`))
  return { ...payment, id, kind: 'PRENOTE', batch: `${payment.batch}${PRENOTE_ENDING}`, amount: 0n, details }
}

/** The id of a reversal, by the record of its payment. Requests for one payment are numbered from 1. */
export function reversalIdOf(recordId: string, request: number): string {
  return idOfKind('RailPayment', uuidOfText(`Reversal ${recordId} ${request}`))
}

/** The entry that takes back a payment out: the opposite one, under its own reference. */
export function reversalFor(
  payment: QueuedPaymentRow,
  request: number,
  { requestedAt, queuedAt }: { readonly requestedAt: Date; readonly queuedAt: Date },
): ReversalRow {
  const { remittanceInformation: _, ...details } = payment.details
  const id = reversalIdOf(payment.id, request)
  return {
    ...payment,
    id,
    kind: 'REVERSAL',
    batch: `${achBatchOf(payment.batch).entryClass}-DEBIT${REVERSAL_ENDING}`,
    reference: `CS${hash('sha256', id).slice(0, REFERENCE_DIGITS).toUpperCase()}`,
    details: { ...details, requestedAt: requestedAt.toISOString() },
    file_id: null,
    place: null,
    trace: null,
    created_at: queuedAt,
  }
}

const REFERENCE_DIGITS = 12

/** A record's id in the form in which banks carry it: 32 hexadecimal digits. */
export function instructionOf(id: string): string {
  return id.slice(id.indexOf(':') + 1).replaceAll('-', '')
}

/** Converts such digits back to a UUID. Undefined for anything else. */
export function uuidOfInstruction(instruction: string | null): string | undefined {
  const [, a, b, c, d, e] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(instruction ?? '') ?? []
  return a === undefined ? undefined : [a, b, c, d, e].join('-').toLowerCase()
}

const REFERENCES_MAX = 20

/** The words of a text that may be the reference of a payment. */
export function paymentReferencesIn(text: string): string[] {
  return [...new Set(text.toUpperCase().match(/\bCS[0-9A-F]{10,12}\b/g))].slice(0, REFERENCES_MAX)
}

/** True if the bank has reported changed details of this account that nobody has reviewed. */
export async function isAccountInDoubt(
  { name }: BankFilesRailValue,
  read: Read,
  platformId: string,
  details: AccountDetails,
): Promise<boolean> {
  const account = memberOf(details, 'accountNumber')
  const routingNumber = memberOf(details, 'routingNumber') ?? memberOf(details, 'sortCode')
  if (account === undefined || routingNumber === undefined) return false
  return isInDoubt(read, { platformId, rail: name }, { account, routingNumber })
}

function isBusiness(account: AccountDetails | undefined): boolean {
  return (
    account !== undefined && 'beneficiary' in account && account.beneficiary.beneficiaryType !== 'INDIVIDUAL'
  )
}
