import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { MandateInstruction, UnmadePayment } from '../../kernel/ports/rail.ts'
import { insert, type Write } from '../../storage/commit/writes.ts'
import type { BankFileRow, BankPaymentRow } from '../../storage/rows/bank-file.ts'
import { BACS_TEXT_CHARACTERS, bacsName, bacsText } from './formats/bacs-text.ts'
import { type BacsCode, type BacsItem, bacsRecord } from './formats/bacs-writer.ts'
import type { DebitSequence } from './formats/pain-008.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'
import { detailsOf, poundAccountOf } from './payment-details.ts'

/** Converts Bacs payments, collections and mandate instructions to and from rows of the queue. */

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
export function bacsWritable(
  format: BacsFormatValue,
  payment: UnmadePayment,
): Pick<BankPaymentRow, 'batch' | 'details'> {
  const { currency, direction, amount } = payment
  if (currency !== 'GBP') throw new UnwritablePayment(`Bacs does not carry ${currency}`)
  if (direction === 'PULL') return collectionWritable(format, payment)
  const { sortCode, number } = poundAccountOf(payment)
  const details = detailsOf(payment, number, { routingNumber: sortCode })
  const batch = CREDITS
  bacsRecord(bacsItemOf({ batch, reference: SAMPLE_REFERENCE, amount, details }), format)
  return { batch, details }
}

/** A direct debit is collected from the account that its mandate names. */
function collectionWritable(format: BacsFormatValue, payment: UnmadePayment) {
  const { mandate, amount } = payment
  if (!mandate)
    throw new UnwritablePayment('a direct debit needs an active mandate for this account: see POST /mandates')
  const { remittanceInformation: _, ...plain } = payment
  const { reference, signedOn, debtorName, debtorAccount, debtorSortCode, sequence } = mandate
  if (debtorSortCode === undefined) throw new UnwritablePayment('the mandate is not for Bacs')
  const details = {
    ...detailsOf({ ...plain, remittanceInformation: null }, debtorAccount, { routingNumber: debtorSortCode }),
    name: debtorName,
    mandate: { reference, signedOn },
  }
  const batch = `DEBIT-${sequence}`
  bacsRecord(bacsItemOf({ batch, reference: SAMPLE_REFERENCE, amount, details }), format)
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
    bacsRecord(bacsItemOf(row), format)
    return { writes: [insert('bank_payments', row)] }
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { fault: error.message }
  }
}

/**
 * Converts a row of the queue to a Bacs item. A credit has our reference, followed by its text if that fits.
 */
export function bacsItemOf({
  batch,
  reference,
  amount,
  details,
}: Pick<BankPaymentRow, 'batch' | 'reference' | 'amount' | 'details'>): BacsItem {
  const { name, account, routingNumber: sortCode = '', mandate, remittanceInformation } = details
  const item = { sortCode, account, amount, name }
  if (batch === INSTRUCTIONS)
    return { ...item, code: reference === 'CANCEL' ? '0C' : '0N', reference: mandate?.reference ?? '' }
  if (batch !== CREDITS) return { ...item, code: collectionCode(batch), reference: mandate?.reference ?? '' }
  const what = 'remittance information'
  const text = bacsText(remittanceInformation ?? '', what, 'remittanceInformation')
  const whole = [reference, text].filter(Boolean).join(' ')
  if (whole.length > BACS_TEXT_CHARACTERS)
    throw new UnwritablePayment(
      `${what} has ${text.length} characters, and Bacs carries ${BACS_TEXT_CHARACTERS - reference.length - 1}`,
      'remittanceInformation',
    )
  return { ...item, code: '99', reference: whole }
}

function collectionCode(batch: string): BacsCode {
  const [, code] = Object.entries(COLLECTION_CODES).find(([sequence]) => batch === `DEBIT-${sequence}`) ?? []
  if (code === undefined) throw new Error(`${batch} is not a batch of Bacs`)
  return code
}

/**
 * The number of banking days from a file to its processing day, by batch. Bacs processes a file on the day
 * after it receives it.
 */
export function leadDaysOf({ debits = {} }: BacsFormatValue, batch: string): number {
  if (batch === CREDITS || batch === INSTRUCTIONS) return 1
  const { leadDays = LEAD_DAYS, firstLeadDays = LEAD_DAYS } = debits
  return collectionCode(batch) === FIRST_CODE ? firstLeadDays : leadDays
}

const DELIVERED_AFTER_DAYS = 3

/**
 * The number of banking days from a file's processing day until its payments count as delivered. Undefined
 * for instructions.
 */
export function daysUntilDelivered(
  { deliveredAfterDays = DELIVERED_AFTER_DAYS, debits = {} }: BacsFormatValue,
  { batches: [batch] }: Pick<BankFileRow, 'batches'>,
): number | undefined {
  if (batch === INSTRUCTIONS) return undefined
  return batch === CREDITS ? deliveredAfterDays : (debits.deliveredAfterDays ?? DELIVERED_AFTER_DAYS)
}

/** Finds a problem in a rail's settings. Undefined if they are valid. */
export function faultOfBacs({ name }: BacsFormatValue): string | undefined {
  try {
    bacsName(name, 'name')
    return undefined
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return `format: ${error.message}`
  }
}
