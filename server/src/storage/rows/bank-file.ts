import type { BankFilesRailValue } from '@countersign/contract/connectors/rails-file'
import type { Stamped } from './stamped.ts'
import type { BankFileState, BankInboxState } from './states.ts'

/** The state of the worker for a bank-file rail. Its id is derived from the rail. */
export interface BankFileWorkerRow extends Stamped {
  id: string
  platform_id: string
  rail: string
  /** The number of files so far, from which the next one gets its number. */
  files: bigint
  traces: bigint
  /**
   * The number of reversal requests so far. Every request changes it, so concurrent ones conflict and retry.
   */
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
  /** Set for a prenote or reversal that was returned, was in a rejected file, or was never sent. */
  readonly failure?: EntryFailure
  /** Set for a reversal: the time of the request, in ISO 8601. Its row may wait for the bank to open. */
  readonly requestedAt?: string
  /** Structured; set for SEPA if known. */
  readonly address?: BankAddress
}

/** Why a prenote or reversal failed, and when this was reported, in ISO 8601. */
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
 * - `REVERSAL`: reverses a payment, and is the only row of its file
 * - `INSTRUCTION`: tells a bank about a mandate, whose id and code replace the payment and the reference
 */
export type BankPaymentKind = 'PAYMENT' | 'PRENOTE' | 'REVERSAL' | 'INSTRUCTION'

/** A row that waits for a file or is in one. Only rows of kind `PAYMENT` have a record at the rail. */
export interface BankPaymentRow {
  id: string
  platform_id: string
  rail: string
  /** For a prenote, the first payment that waits for it. For a reversal, the payment that it reverses. */
  payment_id: string
  kind: BankPaymentKind
  /** The direction of the payment. */
  direction: 'OUT' | 'PULL'
  /**
   * SEPA, INSTANT (also Faster Payments), BACS, AUDDIS, the sequence type of a direct debit (`DEBIT-RCUR`),
   * or class and direction for ACH (`PPD-CREDIT`), with a suffix for prenotes (`PPD-CREDIT-PRENOTE`),
   * deposits that verify accounts (`PPD-CREDIT-MICRO`) and reversals (`PPD-DEBIT-REVERSAL`). Earlier versions
   * had `CTX-CREDIT`.
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
/** A queued payment. */
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
