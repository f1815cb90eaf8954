import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import { insert } from '../db/commit/writes.ts'
import type { BankPaymentDetails, BankPaymentRow } from '../db/schema/bank-file-tables.ts'
import type { AccountDetails } from '../db/schema/documents.ts'
import type { Enqueued, QueuedPayment } from '../ports/rail.ts'
import { type AchPayment, achEntry, type EntryClass, entryClassOf } from './formats/ach-writer.ts'
import { type SepaPayment, sepaTransfer } from './formats/pain-001.ts'
import { UnwritablePayment } from './formats/unreadable-file.ts'

/** Puts a payment into the queue of a rail of files, if its format can carry it. */
export function enqueue({ name, format }: BankFilesRailValue, payment: QueuedPayment): Enqueued {
  try {
    const row =
      format.type === 'SEPA' ? sepaRow(name, payment) : achRow(name, payment, format.originatingBank)
    return { outcome: 'queued', writes: [insert('bank_payments', row)] }
  } catch (error) {
    if (!(error instanceof UnwritablePayment)) throw error
    return { outcome: 'failed', failureReason: 'QUOTE_EXECUTION_FAILED', detail: error.message }
  }
}

function sepaRow(rail: string, payment: QueuedPayment): BankPaymentRow {
  if (payment.direction === 'PULL') throw new UnwritablePayment('SEPA credit transfers pull nothing')
  if (payment.currency !== 'EUR') throw new UnwritablePayment(`SEPA does not carry ${payment.currency}`)
  const { account, sender } = payment
  const iban = account ? memberOf(account, 'iban') : sender?.accountIdentifier
  const bic = account ? memberOf(account, 'swiftCode') : undefined
  const details = detailsOf(payment, iban, bic === undefined ? {} : { bic })
  const row = rowOf(rail, payment, payment.paymentRail === 'SEPA_INSTANT' ? 'INSTANT' : 'SEPA', details)
  sepaTransfer(sepaPaymentOf(row))
  return row
}

function achRow(rail: string, payment: QueuedPayment, originatingBank: string): BankPaymentRow {
  if (payment.currency !== 'USD') throw new UnwritablePayment(`ACH does not carry ${payment.currency}`)
  const { account, sender, remittanceInformation } = payment
  const number = account ? memberOf(account, 'accountNumber') : sender?.accountIdentifier
  const routingNumber = account ? memberOf(account, 'routingNumber') : sender?.bankIdentifier
  if (routingNumber === undefined) throw new UnwritablePayment('routing number is not known')
  const entryClass = entryClassOf(isBusiness(account), remittanceInformation ?? undefined)
  const batch = `${entryClass}-${payment.direction === 'OUT' ? 'CREDIT' : 'DEBIT'}`
  const details = detailsOf(payment, number, { routingNumber, accountKind: 'CHECKING' })
  const row = rowOf(rail, payment, batch, details)
  achEntry(achBatchOf(batch), achPaymentOf({ ...row, trace: 1n }), originatingBank)
  return row
}

function detailsOf(
  { account, sender, remittanceInformation }: QueuedPayment,
  number: string | undefined,
  more: Partial<BankPaymentDetails>,
): BankPaymentDetails {
  const name = account ? holderOf(account) : sender?.name
  if (number === undefined) throw new UnwritablePayment('the account at the other end is not known')
  if (name === undefined)
    throw new UnwritablePayment('the holder of the account at the other end is not known')
  return { name, account: number, ...more, ...(remittanceInformation ? { remittanceInformation } : {}) }
}

function rowOf(
  rail: string,
  { recordId, platformId, id, direction, reference, amount, currency, now }: QueuedPayment,
  batch: string,
  details: BankPaymentDetails,
): BankPaymentRow {
  return {
    id: recordId,
    platform_id: platformId,
    rail,
    payment_id: id,
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

/** The payment as a SEPA file has it. */
export function sepaPaymentOf({ id, reference, amount, details }: BankPaymentRow): SepaPayment {
  const { name, account: iban, bic, remittanceInformation } = details
  return {
    instructionId: instructionOf(id),
    endToEndId: reference,
    amount,
    creditor: { name, iban, ...(bic === undefined ? {} : { bic }) },
    ...(remittanceInformation === undefined ? {} : { remittanceInformation }),
  }
}

/** The payment as a NACHA file has it. It has its trace number by then. */
export function achPaymentOf({ reference, amount, details, trace }: BankPaymentRow): AchPayment {
  const { name, account, routingNumber, accountKind, remittanceInformation } = details
  if (routingNumber === undefined || accountKind === undefined || trace === null)
    throw new Error(`The payment ${reference} is not one of ACH, or has no trace number`)
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

/** Class and direction of a batch by its name. */
export function achBatchOf(batch: string): {
  readonly entryClass: EntryClass
  readonly direction: 'CREDIT' | 'DEBIT'
} {
  const [entryClass, direction] = batch.split('-') as [EntryClass, 'CREDIT' | 'DEBIT']
  return { entryClass, direction }
}

/** The id of a record as banks carry it: 32 digits in hex. */
export function instructionOf(id: string): string {
  return id.slice(id.indexOf(':') + 1).replaceAll('-', '')
}

/** The uuid that such digits are; undefined for anything else. */
export function uuidOfInstruction(instruction: string | null): string | undefined {
  const [, a, b, c, d, e] =
    /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i.exec(instruction ?? '') ?? []
  return a === undefined ? undefined : [a, b, c, d, e].join('-').toLowerCase()
}

function memberOf(account: AccountDetails, name: string): string | undefined {
  const value: unknown = (account as unknown as Record<string, unknown>)[name]
  return typeof value === 'string' ? value : undefined
}

function holderOf(account: AccountDetails): string | undefined {
  if (!('beneficiary' in account)) return undefined
  const { beneficiary } = account
  return beneficiary.beneficiaryType === 'INDIVIDUAL' ? beneficiary.fullName : beneficiary.legalName
}

function isBusiness(account: AccountDetails | undefined): boolean {
  return (
    account !== undefined && 'beneficiary' in account && account.beneficiary.beneficiaryType !== 'INDIVIDUAL'
  )
}
