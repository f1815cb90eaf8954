import type { ReceivedDeposit } from '@countersign/contract/connectors/events'
import type { AccountValues } from '../../storage/rows/account-change.ts'
import type { DepositDetails } from '../../storage/rows/rail.ts'
import type { RailPaymentEvent } from '../../storage/rows/states.ts'

/**
 * A claim from outside that has not taken effect: a statement line, an entry of an ACH file, an event of a
 * connector. Claims from all sources have this shape and must pass `judge`.
 */
export type Evidence =
  | PaymentEvidence
  | DepositEvidence
  | ReversalEvidence
  | AccountEvidence
  | MandateEvidence

/** The source of a claim. */
export type EvidenceSource =
  | 'CONNECTOR'
  | 'CHAIN'
  | 'STATEMENT'
  | 'ADVICE'
  | 'ACH_FILE'
  | 'BACS_FILE'
  | 'STATUS_FILE'
  /** No report exists, but enough banking days have passed. */
  | 'CALENDAR'
  | 'SANDBOX'

/** Sources that report bookings on an account. All others report the progress of a payment. */
const BOOKINGS: ReadonlySet<EvidenceSource> = new Set(['STATEMENT', 'ADVICE', 'ACH_FILE', 'BACS_FILE'])

export function isBooking(source: EvidenceSource): boolean {
  return BOOKINGS.has(source)
}

interface Claim {
  /** The id of the claim at its source. A claim takes effect once. */
  readonly id: string
  readonly source: EvidenceSource
  /**
   * The account that the claim is about, as the source identifies it. Null if the source signs its reports
   * and covers only one rail.
   */
  readonly account: string | null
  /** In the smallest unit; negative if the money went the wrong way. Null if the claim states no amount. */
  readonly amount: bigint | null
  readonly currency: string | null
  /** ISO 8601. */
  readonly occurredAt: string
}

/** A claim about the outcome of a payment or of a pull. */
export interface PaymentEvidence extends Claim {
  readonly kind: 'payment'
  readonly event: RailPaymentEvent
  /** The payment, identified by our id. */
  readonly subject: { readonly direction: 'OUT' | 'PULL'; readonly id: string }
  /** The rail's name of the line of a statement, if the claim is one. */
  readonly line?: string
  readonly connectorReference?: string
  readonly transactionHash?: string
  readonly failure?: { readonly code: string; readonly message: string }
}

/** Money that arrived. */
export interface DepositEvidence extends Claim {
  readonly kind: 'deposit'
  readonly amount: bigint
  readonly currency: string
  readonly deposit: ReceivedDeposit & Pick<DepositDetails, 'texts' | 'entryReference' | 'from'>
}

/** Money that arrived and was taken back. */
export interface ReversalEvidence extends Claim {
  readonly kind: 'reversal'
  /** The deposit, identified by the rail's own id. */
  readonly subject: string
  readonly message: string
}

/** Corrected details of the other party's account in a payment or a pull. */
export interface AccountEvidence extends Claim {
  readonly kind: 'account'
  /** The payment, identified by our id. */
  readonly subject: { readonly direction: 'OUT' | 'PULL'; readonly id: string }
  /** The account identifier used in the payment, as the source repeats it. */
  readonly sentTo: string
  readonly proposed: AccountValues
  /** The bank's code and message. */
  readonly code?: string
  readonly message?: string
  /**
   * The account to which no payments are made while the claim is pending. Used if there is no correction to
   * propose.
   */
  readonly doubted?: { readonly account: string; readonly routingNumber: string | undefined }
}

/** A message from the debtor's bank about a direct debit mandate. */
export interface MandateEvidence extends Claim {
  readonly kind: 'mandate'
  /** The mandate's reference. */
  readonly subject: string
  /** The debtor's account according to the bank. */
  readonly debtor: { readonly sortCode: string; readonly account: string }
  /** `ask`: the bank expects us to contact the debtor. */
  readonly effect: 'end' | 'amend' | 'reinstate' | 'ask'
  readonly proposed: AccountValues
  readonly code: string
  readonly message: string
}
