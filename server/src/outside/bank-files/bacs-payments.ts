import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { MandateInstruction, PaymentDraft } from '../../kernel/ports/rail.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { BankFileRow, BankPaymentRow } from '../../storage/rows/bank-file.ts'
import { BACS_TEXT_CHARACTERS, toBacsName, toBacsText } from './formats/bacs-text.ts'
import { type BacsCode, type BacsItem, writeBacsRecord } from './formats/bacs-writer.ts'
import type { DebitSequence } from './formats/pain-008.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'
import { readPoundAccount, toPaymentDetails } from './payment-details.ts'

/** Converts Bacs payments, collections and mandate instructions to and from queue rows. */

export type BacsFormatValue = Extract<BankFilesRailValue['format'], { type: 'BACS' }>

/** The batch name of mandate instructions. */
const INSTRUCTIONS = 'AUDDIS'
const CREDITS = 'BACS'
const FIRST_CODE = '01'
const COLLECTION_CODES: Readonly<Record<DebitSequence, BacsCode>> = {
  FRST: FIRST_CODE,
  RCUR: '17',
  FNAL: '19',
  // The only collection of a one-off mandate is also its first.
  OOFF: FIRST_CODE,
}
const LEAD_DAYS = 10

/** A reference of maximum length, for checking a payment that does not exist yet. */
const SAMPLE_REFERENCE = 'CS000000000000'

/** The batch and details of a payment. Throws UnwritablePayment if a file cannot carry it. */
export function prepareBacsPayment(
  format: BacsFormatValue,
  payment: PaymentDraft,
): Pick<BankPaymentRow, 'batch' | 'details'> {
  const { currency, direction, amount } = payment
  if (currency !== 'GBP') throw new UnwritablePayment(`Bacs carries GBP, not ${currency}`)
  if (direction === 'PULL') return prepareCollection(format, payment)
  const { sortCode, number } = readPoundAccount(payment)
  const details = toPaymentDetails(payment, number, { routingNumber: sortCode })
  const batch = CREDITS
  writeBacsRecord(toBacsItem({ batch, reference: SAMPLE_REFERENCE, amount, details }), format)
  return { batch, details }
}

/** A direct debit is collected from the account that its mandate names. */
function prepareCollection(format: BacsFormatValue, payment: PaymentDraft) {
  const { mandate, amount } = payment
  if (!mandate)
    throw new UnwritablePayment(
      'a direct debit requires an active mandate for this account: see POST /mandates',
    )
  const { remittanceInformation: _, ...plain } = payment
  const { reference, signedOn, debtorName, debtorAccount, debtorSortCode, sequence } = mandate
  if (debtorSortCode === undefined) throw new UnwritablePayment('the mandate is not for Bacs')
  const details = {
    ...toPaymentDetails({ ...plain, remittanceInformation: null }, debtorAccount, {
      routingNumber: debtorSortCode,
    }),
    name: debtorName,
    mandate: { reference, signedOn },
  }
  const batch = `DEBIT-${sequence}`
  writeBacsRecord(toBacsItem({ batch, reference: SAMPLE_REFERENCE, amount, details }), format)
  return { batch, details }
}

/** Returns the write that queues a mandate instruction, or the reason why a file cannot carry it. */
export function queueInstruction(
  { name: rail, format }: { readonly name: string; readonly format: BacsFormatValue },
  { id, platformId, kind, mandateId, mandate, now }: MandateInstruction,
): { readonly writes: readonly Write[] } | { readonly fault: string } {
  const { reference, signedOn, debtorName, debtorAccount, debtorSortCode } = mandate
  const row: BankPaymentRow = {
    id,
    platform_id: platformId,
    rail,
    payment_id: mandateId,
    kind: 'INSTRUCTION',
    direction: 'PULL',
    batch: INSTRUCTIONS,
    reference: kind,
    amount: 0n,
    currency: 'GBP',
    details: {
      name: debtorName,
      account: debtorAccount,
      routingNumber: debtorSortCode ?? '',
      mandate: { reference, signedOn },
    },
    file_id: null,
    place: null,
    trace: null,
    created_at: now,
  }
  try {
    writeBacsRecord(toBacsItem(row), format)
    return { writes: [insert('bank_payments', row)] }
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { fault: error.message }
  }
}

/**
 * Converts a queue row to a Bacs item. A credit has our reference, followed by the payment's text if it fits.
 */
export function toBacsItem({
  batch,
  reference,
  amount,
  details,
}: Pick<BankPaymentRow, 'batch' | 'reference' | 'amount' | 'details'>): BacsItem {
  const { name, account, routingNumber: sortCode = '', mandate, remittanceInformation } = details
  const item = { sortCode, account, amount, name }
  if (batch === INSTRUCTIONS)
    return { ...item, code: reference === 'CANCEL' ? '0C' : '0N', reference: mandate?.reference ?? '' }
  if (batch !== CREDITS)
    return { ...item, code: findCollectionCode(batch), reference: mandate?.reference ?? '' }
  const label = 'the remittance information'
  const text = toBacsText(remittanceInformation ?? '', label, 'remittanceInformation')
  const fullReference = [reference, text].filter(Boolean).join(' ')
  if (fullReference.length > BACS_TEXT_CHARACTERS)
    throw new UnwritablePayment(
      `${label} has ${text.length} characters, but Bacs carries at most ${BACS_TEXT_CHARACTERS - reference.length - 1}`,
      'remittanceInformation',
    )
  return { ...item, code: '99', reference: fullReference }
}

function findCollectionCode(batch: string): BacsCode {
  const [, code] = Object.entries(COLLECTION_CODES).find(([sequence]) => batch === `DEBIT-${sequence}`) ?? []
  if (code === undefined) throw new Error(`${batch} is not a Bacs batch`)
  return code
}

/**
 * The number of banking days from a file to its processing day, by batch. Bacs processes a file on the day
 * after it receives it.
 */
export function countLeadDays({ debits = {} }: BacsFormatValue, batch: string): number {
  if (batch === CREDITS || batch === INSTRUCTIONS) return 1
  const { leadDays = LEAD_DAYS, firstLeadDays = LEAD_DAYS } = debits
  return findCollectionCode(batch) === FIRST_CODE ? firstLeadDays : leadDays
}

const DELIVERED_AFTER_DAYS = 3

/**
 * The number of banking days after processing until payments count as delivered. Undefined for instructions.
 */
export function countDaysUntilDelivered(
  { deliveredAfterDays = DELIVERED_AFTER_DAYS, debits = {} }: BacsFormatValue,
  { batches: [batch] }: Pick<BankFileRow, 'batches'>,
): number | undefined {
  if (batch === INSTRUCTIONS) return undefined
  return batch === CREDITS ? deliveredAfterDays : (debits.deliveredAfterDays ?? DELIVERED_AFTER_DAYS)
}

/** Finds a problem in a rail's settings. Undefined if they are valid. */
export function findBacsFault({ name }: BacsFormatValue): string | undefined {
  try {
    toBacsName(name, 'name')
    return undefined
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return `format: ${error.message}`
  }
}
