import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { Stamped } from './stamped.ts'
import type { BankFileState, BankInboxState } from './states.ts'

/** The state of the worker for a bank-file rail. Its id is derived from the rail. */
export interface BankFileWorkerRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  /** The number of files numbered so far. */
  files: bigint
  traces: bigint
  /** Requests for reversals so far: requests at the same time change it, so each counts all others. */
  reversals: bigint
  collected_at: Date
  looked_at: Date
  claimed_until: Date
}

/** A file for a bank. */
export interface BankFileRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  number: bigint
  name: string
  message_name: string
  /**
   * A to Z or 0 to 9, to tell apart the ACH files of one day. Null for SEPA, and in rows written by earlier
   * versions.
   */
  modifier: string | null
  state: BankFileState
  batches: string[]
  payments: number
  total: bigint
  traces_before: bigint
  format: BankFilesRailValue['format']
  /** `YYYY-MM-DDTHH:MM` in the bank's time zone. */
  made_on: string
  /** `YYYY-MM-DD`. */
  executed_on: string
  part: string | null
  accepted_at: Date | null
  settles_at: Date | null
  settled_at: Date | null
  bank_status: string | null
}

/** The counterparty of a payment, with the fields that its file format needs. */
export interface BankPaymentDetails {
  readonly name: string
  /** An IBAN or account number. */
  readonly account: string
  readonly bic?: string
  /** For British banks, the sort code. */
  readonly routingNumber?: string
  readonly accountKind?: 'CHECKING' | 'SAVINGS'
  readonly remittanceInformation?: string
  /** The mandate of a direct debit, or of an instruction. */
  readonly mandate?: { readonly reference: string; readonly signedOn: string }
  /** Of a prenote or reversal that was returned, or whose file was rejected, or that never left. */
  readonly failure?: EntryFailure
  /** Of a reversal: the time of the request, in ISO 8601. Its row may wait for the bank to open. */
  readonly requestedAt?: string
  /** Structured; set for SEPA if known. */
  readonly address?: BankAddress
}

/** The reason why a prenote proves nothing or a reversal takes nothing back, and the time of its report in ISO 8601. */
export interface EntryFailure {
  readonly code: string
  readonly message: string
  readonly at: string
}

export interface BankAddress {
  readonly street?: string
  readonly buildingNumber?: string
  readonly postalCode?: string
  readonly city: string
  readonly region?: string
  readonly country: string
}

/**
 * - `PAYMENT`: has a record at the rail, with the same id
 * - `PRENOTE`: checks an account, with the amount 0
 * - `REVERSAL`: takes back a payment, as the only row of its file
 * - `INSTRUCTION`: tells a bank of a mandate, which it has in place of the payment, and its code in place of the reference
 */
export type BankPaymentKind = 'PAYMENT' | 'PRENOTE' | 'REVERSAL' | 'INSTRUCTION'

/** A row that waits for a file or is in one. Only a payment has a record. */
export interface BankPaymentRow {
  id: string
  platform_id: string
  rail: string
  /** Of a prenote: the first payment that waits for it. Of a reversal: the payment that it takes back. */
  payment_id: string
  kind: BankPaymentKind
  /** Of the payment. */
  direction: 'OUT' | 'PULL'
  /**
   * SEPA, INSTANT (also Faster Payments), BACS, AUDDIS, the sequence type of direct debits (`DEBIT-RCUR`), or class and direction of ACH
   * (`PPD-CREDIT`), also of prenotes (`PPD-CREDIT-PRENOTE`), deposits that verify accounts (`PPD-CREDIT-MICRO`) and
   * reversals (`PPD-DEBIT-REVERSAL`). Earlier versions had `CTX-CREDIT`.
   */
  batch: string
  reference: string
  amount: bigint
  currency: string
  details: BankPaymentDetails
  file_id: string | null
  place: number | null
  trace: bigint | null
  created_at: Date
}

export type RowOfKind<Kind extends BankPaymentKind> = BankPaymentRow & { kind: Kind }
/** A row of the queue that is a payment. */
export type QueuedPaymentRow = RowOfKind<'PAYMENT'>
export type PrenoteRow = RowOfKind<'PRENOTE'>
export type ReversalRow = RowOfKind<'REVERSAL'>

export function isOfKind<Row extends Pick<BankPaymentRow, 'kind'>, Kind extends BankPaymentKind>(
  row: Row,
  kind: Kind,
): row is Row & { kind: Kind } {
  return row.kind === kind
}

/** A file received from a bank. Its id is derived from the rail and the content. */
export interface BankInboxFileRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  name: string
  sha256: Uint8Array
  bytes: bigint
  /**
   * `CAMT` and `PAIN_002` appear only in rows written by earlier versions: now the reader detects which
   * messages an XML file contains.
   */
  kind: 'XML' | 'ACH' | 'BAI2' | 'MT940' | 'ZIP' | 'ACKNOWLEDGEMENT' | 'UNKNOWN' | 'CAMT' | 'PAIN_002'
  state: BankInboxState
  records: number
  reason: string | null
}

export interface BankFileTables {
  bank_file_workers: BankFileWorkerRow
  bank_files: BankFileRow
  bank_payments: BankPaymentRow
  bank_inbox_files: BankInboxFileRow
}
