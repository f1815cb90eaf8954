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
  /** Set for a prenote that was returned, or whose file was rejected. */
  readonly failure?: PrenoteFailure
  /** The structured address. Set for SEPA if known. */
  readonly address?: BankAddress
}

/** Why a prenote proves nothing, and when this was reported, in ISO 8601. */
export interface PrenoteFailure {
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
 * A payment that is in a file or waits for one; its id is the id of its record. A prenote has no record, and
 * amount 0. An instruction has the id of its mandate in place of the payment, and its kind in place of the
 * reference.
 */
export interface BankPaymentRow {
  id: string
  platform_id: string
  rail: string
  /** For a prenote, the first payment that waits for it. */
  payment_id: string
  direction: 'OUT' | 'PULL' | 'INSTRUCTION'
  /**
   * SEPA, INSTANT, BACS, AUDDIS, the sequence type of direct debits (`DEBIT-RCUR`), or the class and
   * direction of ACH (`PPD-CREDIT`, for prenotes `PPD-CREDIT-PRENOTE`, for deposits that verify accounts
   * `PPD-CREDIT-MICRO`). Earlier versions wrote `CTX-CREDIT`.
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

/** A queued row that is a payment. */
export type QueuedPaymentRow = BankPaymentRow & OfPayment

interface OfPayment {
  direction: 'OUT' | 'PULL'
}

export function isQueuedPayment<Row extends Pick<BankPaymentRow, 'direction'>>(
  row: Row,
): row is Row & OfPayment {
  return row.direction !== 'INSTRUCTION'
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
