import type { ReceivedDeposit } from '@countersign/contract/connectors/events'
import type { AccountValues } from '../../storage/rows/account-change.ts'
import type { DepositDetails } from '../../storage/rows/rail.ts'
import type { RailPaymentEvent } from '../../storage/rows/states.ts'

/**
 * An external claim, before it takes effect: a line of a statement, an entry of an ACH file, a connector's
 * event. Claims of all sources have this form and pass `judge`.
 */
export type Evidence =
  | PaymentEvidence
  | DepositEvidence
  | ReversalEvidence
  | AccountEvidence
  | MandateEvidence

/** The kind of source of a claim. */
export type EvidenceSource =
  | 'CONNECTOR'
  | 'CHAIN'
  | 'STATEMENT'
  | 'ADVICE'
  | 'ACH_FILE'
  | 'BACS_FILE'
  | 'STATUS_FILE'
  /** Nobody has reported it: enough banking days have passed. */
  | 'CALENDAR'
  | 'SANDBOX'

/** Sources that report bookings on an account. The others report the progress of a payment. */
const BOOKINGS: ReadonlySet<EvidenceSource> = new Set(['STATEMENT', 'ADVICE', 'ACH_FILE', 'BACS_FILE'])

export function isBooking(source: EvidenceSource): boolean {
  return BOOKINGS.has(source)
}

interface Claim {
  /** The source's own id of the claim, which takes effect once. */
  readonly id: string
  readonly source: EvidenceSource
  /**
   * The account that it is about, as the source names it. Null: the source reports about one rail only, and
   * signs its reports.
   */
  readonly account: string | null
  /** Smallest unit; negative if its direction is wrong. Null: the claim states no amount. */
  readonly amount: bigint | null
  readonly currency: string | null
  /** ISO 8601. */
  readonly occurredAt: string
}

/** A claim about the outcome of a payment or a pull. */
export interface PaymentEvidence extends Claim {
  readonly kind: 'payment'
  readonly event: RailPaymentEvent
  /** The payment that it names, by our own id. */
  readonly subject: { readonly direction: 'OUT' | 'PULL'; readonly id: string }
  readonly connectorReference?: string
  readonly transactionHash?: string
  readonly failure?: { readonly code: string; readonly message: string }
}

/** Money that came in. */
export interface DepositEvidence extends Claim {
  readonly kind: 'deposit'
  readonly amount: bigint
  readonly currency: string
  readonly deposit: ReceivedDeposit & Pick<DepositDetails, 'texts' | 'entryReference' | 'from'>
}

/** Money that came in and was taken back. */
export interface ReversalEvidence extends Claim {
  readonly kind: 'reversal'
  /** The deposit that it names, by the rail's own id. */
  readonly subject: string
  readonly message: string
}

/** Other details of the account at the other end of a payment or a pull. */
export interface AccountEvidence extends Claim {
  readonly kind: 'account'
  /** The payment that it names, by our own id. */
  readonly subject: { readonly direction: 'OUT' | 'PULL'; readonly id: string }
  /** The identifier that the payment had, as the source repeats it. */
  readonly sentTo: string
  readonly proposed: AccountValues
  /** The code and the message of the bank. */
  readonly code?: string
  readonly message?: string
  /** The account that gets no payments while the claim waits, if nothing can be proposed. */
  readonly doubted?: { readonly account: string; readonly routingNumber: string | undefined }
}

/** A message from the debtor's bank about a mandate. */
export interface MandateEvidence extends Claim {
  readonly kind: 'mandate'
  /** The mandate's reference. */
  readonly subject: string
  /** The debtor's account as known to the bank. */
  readonly debtor: { readonly sortCode: string; readonly account: string }
  /** `ask`: the bank expects us to contact the debtor. */
  readonly effect: 'end' | 'amend' | 'reinstate' | 'ask'
  readonly proposed: AccountValues
  readonly code: string
  readonly message: string
}
