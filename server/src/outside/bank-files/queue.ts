import { hash } from 'node:crypto'
import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { present } from '@countersign/contract/core/objects'
import type { Enqueued, PaymentDraft, PaymentFault, QueuedPayment } from '../../kernel/ports/rail.ts'
import { insert } from '../../storage/commit/writes.ts'
import { buildId, deriveUuid } from '../../storage/engine/ids.ts'
import type { Read } from '../../storage/read/read.ts'
import type {
  BankFileRow,
  BankPaymentRow,
  PrenoteRow,
  QueuedPaymentRow,
  ReversalRow,
} from '../../storage/rows/bank-file.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import { prepareBacsPayment } from './bacs-payments.ts'
import {
  type AchBatch,
  type AchPayment,
  checkAchText,
  ENTRY_CLASSES,
  findEntryClass,
  writeAchEntry,
} from './formats/ach-writer.ts'
import { writeFasterPayment } from './formats/faster-payments.ts'
import { checkSepaText, type SepaPayment, writeSepaTransfer } from './formats/pain-001.ts'
import { toWritableAddress } from './formats/pain-001-document.ts'
import { DEBIT_SEQUENCES, type DebitSequence, type SepaDebit, writeSepaDebit } from './formats/pain-008.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'
import type { WirePayment } from './formats/wire-payment.ts'
import { checkWireText, writeWireTransfer } from './formats/wires.ts'
import { INSTANT_BATCH, isInEea, NETWORKS } from './networks.ts'
import { readAddress, readField, readPoundAccount, toPaymentDetails } from './payment-details.ts'
import { isInDoubt, MICRO_ENDING } from './queue-store.ts'

type Format = BankFilesRailValue['format']
type SepaFormatValue = Extract<Format, { type: 'SEPA' }>
type WireFormatValue = Extract<Format, { type: 'WIRE' }>
type AchFormatValue = Extract<Format, { type: 'ACH' }>

/** Queues a payment for a bank file rail, if its format can carry the payment. */
export function enqueue({ name, format }: BankFilesRailValue, payment: QueuedPayment): Enqueued {
  try {
    const row = toRow(name, payment, preparePayment(format, payment))
    return { outcome: 'queued', writes: [insert('bank_payments', row)] }
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail: error.message }
  }
}

/**
 * Finds the part of a planned payment that the rail's format cannot carry. Undefined if it can carry all
 * parts.
 */
export function findPaymentFault(
  { format }: BankFilesRailValue,
  payment: PaymentDraft,
): PaymentFault | undefined {
  try {
    preparePayment(format, payment)
    return undefined
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { part: error.part, text: error.message }
  }
}

type PreparedPayment = Pick<BankPaymentRow, 'batch' | 'details'>

/**
 * The batch and details of a payment, written once as a test. Throws UnwritablePayment if no file can carry
 * it.
 */
function preparePayment(format: Format, payment: PaymentDraft): PreparedPayment {
  const { paymentRail } = payment
  if (paymentRail !== null && !NETWORKS[format.type].some((network) => network === paymentRail))
    throw new UnwritablePayment(`${format.type} files do not carry ${paymentRail} payments`)
  switch (format.type) {
    case 'SEPA':
      return prepareSepaTransfer(format, payment)
    case 'ACH':
      return prepareAchPayment(format, payment)
    case 'WIRE':
      return prepareWire(format, payment)
    case 'BACS':
      return prepareBacsPayment(format, payment)
    case 'FASTER_PAYMENTS':
      return prepareFasterPayment(payment)
  }
}

const WIRE_CURRENCY = 'USD'

/** A well-formed id, reference and trace number, for checking a payment that does not exist yet. */
const SAMPLE = { id: '00000000-0000-7000-8000-000000000000', reference: 'CS0000000000', trace: 1n } as const

function prepareSepaTransfer(format: SepaFormatValue, payment: PaymentDraft): PreparedPayment {
  const { account, sender, amount, currency, paymentRail, direction } = payment
  if (direction === 'PULL') return prepareSepaDebit(payment)
  if (currency !== 'EUR') throw new UnwritablePayment(`SEPA carries EUR, not ${currency}`)
  const iban = account ? readField(account, 'iban') : sender?.accountIdentifier
  if (iban !== undefined && !isInEea(iban) && !format.address)
    throw new UnwritablePayment(
      `the account's bank is outside the EEA, so the payer's address is required: set format.address of the rail`,
    )
  const address = toWritableAddress(readAddress(account))
  const details = toPaymentDetails(payment, iban, {
    ...present({ bic: account ? readField(account, 'swiftCode') : undefined, address }),
  })
  checkSepaText(details.remittanceInformation)
  writeSepaTransfer(toSepaPayment({ ...SAMPLE, amount, details }))
  return { batch: paymentRail === 'SEPA_INSTANT' ? INSTANT_BATCH : 'SEPA', details }
}

/** A direct debit is collected from the account that its mandate names. */
function prepareSepaDebit(payment: PaymentDraft): PreparedPayment {
  const { mandate, account, amount, paymentRail } = payment
  if (paymentRail === 'SEPA_INSTANT')
    throw new UnwritablePayment('SEPA direct debits use the network SEPA, not SEPA_INSTANT')
  if (!mandate)
    throw new UnwritablePayment(
      'a direct debit requires an active mandate for this account: see POST /mandates',
    )
  const { reference, signedOn, debtorName, debtorAccount: debtorIban, sequence } = mandate
  const details = {
    ...toPaymentDetails(payment, debtorIban, {
      ...present({
        bic: account ? readField(account, 'swiftCode') : undefined,
        // Outside the EEA, the debtor's bank requires the address.
        address: isInEea(debtorIban) ? undefined : toWritableAddress(readAddress(account)),
      }),
    }),
    name: debtorName,
    mandate: { reference, signedOn },
  }
  checkSepaText(details.remittanceInformation)
  writeSepaDebit(toSepaDebit({ ...SAMPLE, amount, details }))
  return { batch: `DEBIT-${sequence}`, details }
}

function prepareAchPayment(
  { originatingBank, debitClass }: AchFormatValue,
  payment: PaymentDraft,
): PreparedPayment {
  const { account, sender, amount, currency, isMicroDeposit } = payment
  if (currency !== 'USD') throw new UnwritablePayment(`ACH carries USD, not ${currency}`)
  const number = account ? readField(account, 'accountNumber') : sender?.accountIdentifier
  const routingNumber = account ? readField(account, 'routingNumber') : sender?.bankIdentifier
  if (routingNumber === undefined) throw new UnwritablePayment('the routing number of the account is unknown')
  const direction = payment.direction === 'OUT' ? 'CREDIT' : 'DEBIT'
  const entryClass = findEntryClass(isBusiness(account), direction, debitClass)
  const isSavings = account !== undefined && readField(account, 'bankAccountType') === 'SAVINGS'
  const accountKind = isSavings ? 'SAVINGS' : 'CHECKING'
  const details = toPaymentDetails(payment, number, { routingNumber, accountKind })
  checkAchText(entryClass, details.remittanceInformation)
  writeAchEntry({ entryClass, direction }, toAchPayment({ ...SAMPLE, amount, details }), originatingBank)
  return { batch: `${entryClass}-${direction}${isMicroDeposit ? MICRO_ENDING : ''}`, details }
}

function prepareWire(format: WireFormatValue, payment: PaymentDraft): PreparedPayment {
  const { account, sender, amount, currency, direction } = payment
  if (direction === 'PULL') throw new UnwritablePayment('wires cannot pull money')
  if (currency !== WIRE_CURRENCY) throw new UnwritablePayment(`wires carry ${WIRE_CURRENCY}, not ${currency}`)
  const number = account ? readField(account, 'accountNumber') : sender?.accountIdentifier
  const routingNumber = account ? readField(account, 'routingNumber') : sender?.bankIdentifier
  if (routingNumber === undefined) throw new UnwritablePayment('the routing number of the account is unknown')
  const address = toWritableAddress(readAddress(account))
  const details = toPaymentDetails(payment, number, { routingNumber, ...present({ address }) })
  checkWireText(details.remittanceInformation)
  writeWireTransfer(toWirePayment({ ...SAMPLE, amount, details }), format)
  return { batch: 'WIRE', details }
}

function prepareFasterPayment(payment: PaymentDraft): PreparedPayment {
  const { account, amount, currency, direction } = payment
  if (direction === 'PULL') throw new UnwritablePayment('Faster Payments cannot pull money')
  if (currency !== 'GBP') throw new UnwritablePayment(`Faster Payments carry GBP, not ${currency}`)
  const { sortCode, number } = readPoundAccount(payment)
  const address = toWritableAddress(readAddress(account))
  const details = toPaymentDetails(payment, number, { routingNumber: sortCode, ...present({ address }) })
  writeFasterPayment(toWirePayment({ ...SAMPLE, amount, details }))
  return { batch: INSTANT_BATCH, details }
}

function toRow(
  rail: string,
  { recordId, platformId, id, direction, reference, amount, currency, now }: QueuedPayment,
  { batch, details }: PreparedPayment,
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
export function toSepaPayment({
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
export function toSepaDebit({
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

/** Parses the sequence type from the name of a SEPA direct debit batch. Undefined for transfers. */
export function parseDebitSequence(batch: string | undefined): DebitSequence | undefined {
  return DEBIT_SEQUENCES.find((sequence) => batch === `DEBIT-${sequence}`)
}

/** Converts a row to a wire or a Faster Payment. */
export function toWirePayment({
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

/** Converts a row with a trace number to a payment of a NACHA file. */
export function toAchPayment({
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
export function parseAchBatch(
  batch: string,
): Pick<AchBatch, 'entryClass' | 'direction' | 'isPrenote' | 'description'> {
  const entryClass = ENTRY_CLASSES.find((name) => batch.startsWith(name)) ?? 'CCD'
  const isPrenote = batch.endsWith(PRENOTE_ENDING)
  const description = batch.endsWith(MICRO_ENDING)
    ? 'ACCTVERIFY'
    : batch.endsWith(REVERSAL_ENDING)
      ? 'REVERSAL'
      : undefined
  const direction = batch.includes('-DEBIT') ? 'DEBIT' : 'CREDIT'
  return { entryClass, direction, isPrenote, description }
}

/** True for a file of deposits that verify accounts. It contains nothing else. */
export function isMicroFile({ batches }: Pick<BankFileRow, 'batches'>): boolean {
  return batches.some((batch) => batch.endsWith(MICRO_ENDING))
}

/** True for the file of a reversal. It contains nothing else. */
export function isReversalFile({ batches }: Pick<BankFileRow, 'batches'>): boolean {
  return batches.some((batch) => batch.endsWith(REVERSAL_ENDING))
}

const PRENOTE_ENDING = '-PRENOTE'
const REVERSAL_ENDING = '-REVERSAL'

/**
 * Builds the prenote that a payment waits for. Its id derives from the payment, so a payment has at most one.
 */
export function buildPrenote(payment: QueuedPaymentRow): PrenoteRow {
  const { remittanceInformation: _, ...details } = payment.details
  const id = buildId('RailPayment', deriveUuid(`Prenote ${payment.id}`))
  return { ...payment, id, kind: 'PRENOTE', batch: `${payment.batch}${PRENOTE_ENDING}`, amount: 0n, details }
}

/** The id of a reversal, derived from its payment's record. Requests for one payment are numbered from 1. */
export function toReversalId(recordId: string, request: number): string {
  return buildId('RailPayment', deriveUuid(`Reversal ${recordId} ${request}`))
}

/** Builds the entry that reverses an outgoing payment: the opposite entry with a new reference. */
export function buildReversal(
  payment: QueuedPaymentRow,
  request: number,
  { requestedAt, queuedAt }: { readonly requestedAt: Date; readonly queuedAt: Date },
): ReversalRow {
  const { remittanceInformation: _, ...details } = payment.details
  const id = toReversalId(payment.id, request)
  return {
    ...payment,
    id,
    kind: 'REVERSAL',
    batch: `${parseAchBatch(payment.batch).entryClass}-DEBIT${REVERSAL_ENDING}`,
    reference: `CS${hash('sha256', id).slice(0, REFERENCE_DIGITS).toUpperCase()}`,
    details: { ...details, requestedAt: requestedAt.toISOString() },
    file_id: null,
    place: null,
    trace: null,
    created_at: queuedAt,
  }
}

const REFERENCE_DIGITS = 12

/** Converts a record's id to the form that bank files carry: 32 hexadecimal digits. */
export function instructionOf(id: string): string {
  return id.slice(id.indexOf(':') + 1).replaceAll('-', '')
}

/** Converts 32 hexadecimal digits to a UUID. Undefined for any other string. */
export function parseInstructionId(instruction: string | null): string | undefined {
  const [, a, b, c, d, e] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(instruction ?? '') ?? []
  return a === undefined ? undefined : [a, b, c, d, e].join('-').toLowerCase()
}

const REFERENCES_MAX = 20

/** Finds the words of a text that may be payment references. */
export function findPaymentReferences(text: string): string[] {
  return [...new Set(text.toUpperCase().match(/\bCS[0-9A-F]{10,12}\b/g))].slice(0, REFERENCES_MAX)
}

/** True if the bank has reported changes to this account that nobody has reviewed. */
export async function isAccountInDoubt(
  { name }: BankFilesRailValue,
  read: Read,
  platformId: string,
  details: AccountDetails,
): Promise<boolean> {
  const account = readField(details, 'accountNumber')
  const routingNumber = readField(details, 'routingNumber') ?? readField(details, 'sortCode')
  if (account === undefined || routingNumber === undefined) return false
  return isInDoubt(read, { platformId, rail: name }, { account, routingNumber })
}

function isBusiness(account: AccountDetails | undefined): boolean {
  return (
    account !== undefined && 'beneficiary' in account && account.beneficiary.beneficiaryType !== 'INDIVIDUAL'
  )
}
