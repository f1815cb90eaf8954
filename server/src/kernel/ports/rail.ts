import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import type { ConnectorStatement } from '@countersign/contract/connectors/events'
import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { RailChain, RecordsFrom } from './rail-chain.ts'
import type { Reversals } from './reversals.ts'

/** Direction of money on a rail: sent to an external account, pulled from one, or paid in by anyone. */
export type RailDirection = 'OUT' | 'PULL' | 'IN'

/** A payment to route to a rail. */
export interface RouteRequest {
  readonly direction: RailDirection
  /** The type of the external account, or of the account to pay into. */
  readonly accountType: AccountTypeName
  /** The requested network; null leaves it to the rail. */
  readonly paymentRail: string | null
  readonly currency: string
  /** Smallest unit; undefined if it is not known yet. */
  readonly amount: bigint | undefined
}

/** Name of the sandbox's rail in records. */
export const SANDBOX_RAIL = 'sandbox'

/** The name of a rail's cold storage in the ledger and in statements. No rail can have it. */
export function coldStorageOf(rail: string): string {
  return `${rail}:cold`
}

/** Rails, each followed by its cold storage: everything that has statements. */
export function withColdStorage(rails: readonly Rail[]): readonly Rail[] {
  return rails.flatMap((rail) => (rail.coldStorage ? [rail, rail.coldStorage] : [rail]))
}

/** The rails of the server. The sandbox has one without a name, which carries everything. */
export interface Rails {
  /** The first rail of the routing table that carries the payment for this platform. */
  route(platformId: string, wanted: RouteRequest): Promise<Rail | undefined>
  /**
   * Limits of the first rail that would carry the payment at another amount. Undefined if no rail serves the
   * account at all.
   */
  limitsFor(platformId: string, wanted: RouteRequest): Promise<RailLimits | undefined>
  /** A rail by its name, retired or not, or the cold storage of one. Null names the sandbox's. */
  find(name: string | null): Rail | undefined
  /** The platform that owns a rail; undefined while the server has no platform. */
  ownerOf(rail: Rail): Promise<string | undefined>
  /** All rails, in the order of the routing table. */
  list(): readonly Rail[]
}

/** Source of a rail's own records. */
export interface ReadsFrom {
  readonly db: Database
  readonly platform: { readonly id: string }
}

/** Smallest unit. */
export interface RailLimits {
  readonly min?: bigint
  readonly max?: bigint
}

/**
 * A way to move money outside: a bank, a payout provider, a chain, or the sandbox's. A bank may respond late.
 * A rail without an outcome may say when to ask again; asking again is a repeated call.
 */
export interface Rail {
  /** Null in the sandbox. */
  readonly name: string | null
  /** Its entry in the rails file. Absent in the sandbox. */
  readonly entry?: RailEntryValue
  /**
   * True if a call to this rail has no effect outside the server. The record of a payment is then written
   * with the rail's first reply, in one transaction; for any other rail it is written before the first call,
   * so that a crash leaves a trace.
   */
  readonly isSimulated?: true
  /**
   * True if a pull may still be returned after the bank has booked it. It counts once the rail itself reports
   * that it has arrived.
   */
  readonly arePullsProvisional?: boolean
  /** Present if the rail is a chain. */
  readonly chain?: RailChain
  /**
   * Addresses of the operator on a chain whose keys are not on this server: a separate account in the ledger, with
   * its own statements. It takes no payments.
   */
  readonly coldStorage?: Rail
  /** True if it takes no new payments. */
  readonly isRetired: boolean
  /** True if it pulls by mandates only. Absent if it needs none. */
  readonly needsMandates?: boolean
  /** The currencies of incoming payments. */
  readonly currenciesIn: readonly string[]
  /**
   * The account at the bank, under every number that the bank may use. Absent if the configuration names
   * none.
   */
  readonly accountNumbers?: readonly string[]
  /** The treatment of money arriving for an expired or finished quote. */
  readonly lateDeposits: 'RETURN' | 'CREDIT'
  /** The first time from `now` on at which it accepts payments: `now` itself within its hours. */
  opensAt(now: Date): Date
  /**
   * Queues a payment on this server, from where the rail takes and reports it: replaces `send` and `pull`.
   * Present if payments do not go by calls.
   */
  enqueue?(payment: QueuedPayment): Enqueued
  /**
   * Queues an instruction about a mandate, or returns the reason why the rail cannot carry it. Such a rail debits only by
   * mandates that it was told. Absent if its mandates need no instruction.
   */
  instruct?(
    instruction: MandateInstruction,
  ): { readonly writes: readonly Write[] } | { readonly fault: string }
  /**
   * Sends a payment, or returns the outcome of an earlier call. Called at least once per payment. Idempotent:
   * `id` names the payment, which goes out once.
   */
  send(payment: RailPayment): Promise<RailReply>
  /**
   * Pulls money from an external account, like `send`. A quote paid from one is pulled and sent under the
   * same name, in two directions. A delivered pull may be returned: `returned`, with nothing to refund.
   */
  pull(payment: RailPayment): Promise<RailReply>
  /**
   * The amount that a pull would bring now, in the smallest unit; undefined if it is unknown before the
   * attempt.
   */
  pullable(account: PullableAccount): Promise<bigint | undefined>
  /** Parses a report; undefined if its signature is invalid. Absent if the rail reports in another way. */
  readEvent?(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array): unknown
  /**
   * Opens an account for incoming payments. Idempotent: the same request returns the same details. Absent if
   * the rail takes none.
   */
  openDepositAccount?(from: RecordsFrom, wanted: WantedDepositAccount): Promise<OpenedDepositAccount>
  /** Compares the holder's name with the bank's. Absent if the rail cannot check it. */
  checkAccount?(account: AccountDetails): Promise<AccountCheckResult>
  /**
   * The reason why nothing can be sent to an account, as the end of a sentence about it. Undefined if it can
   * be sent or the rail is unreachable. Absent if every well-formed account is accepted.
   */
  faultOfPayee?(read: Read, account: AccountDetails): Promise<string | undefined>
  /**
   * The part of a payment that the rail cannot carry, before the payment is made. Undefined if it can carry
   * all of it. Absent if the rail accepts every well-formed payment.
   */
  faultOfPayment?(payment: UnmadePayment): PaymentFault | undefined
  /**
   * True if the rail has reported changed details of an account, and nobody has reviewed them: payments to it
   * wait. Absent if the rail never reports that.
   */
  isAccountInDoubt?(read: Read, platformId: string, account: AccountDetails): Promise<boolean>
  /**
   * Asks the rail not to send a payment. Its report says whether that was in time. Absent if the rail cannot
   * cancel.
   */
  cancel?(id: string): Promise<RailReply>
  /** Requests for money back that was sent in error. Absent if the rail cannot make them. */
  readonly reversals?: Reversals
  /** Balances that the rail holds for us by currency, in the smallest unit. */
  balances?(from: ReadsFrom): Promise<ReadonlyMap<string, bigint>>
  /** The statement of a day (`YYYY-MM-DD`), as `ConnectorStatement`; undefined if the day is not closed. */
  statement?(date: string, currency: string, from: ReadsFrom): Promise<ConnectorStatement | undefined>
}

/** A deposit account to open: for one internal account, or for a whole currency. */
export interface WantedDepositAccount {
  readonly id: string
  readonly purpose: 'ACCOUNT' | 'POOL'
  readonly currency: string
  readonly reference: string
  readonly holder: { readonly id: string; readonly name?: string } | undefined
}

export interface OpenedDepositAccount {
  /** The rail's reference, which deposits carry. */
  readonly railReference: string
  /** ACCOUNT: everything that arrives there belongs to it. REFERENCE: the payer must state the reference. */
  readonly matching: 'ACCOUNT' | 'REFERENCE'
  /** The details that payers need. */
  readonly accountInfo: PaymentAccountInfoValue
  /** Writes that this server must commit with it. */
  readonly writes?: readonly Write[]
}

export type AccountCheckResult = 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH' | 'UNAVAILABLE'

export interface PullableAccount {
  readonly identifier: string
  readonly currency: string
  /** The rail that pulls from it; null if none of its rails can pull. */
  readonly paymentRail: string | null
}

export interface RailPayment {
  /**
   * Its permanent name at the rail: the id of its transaction, or of the deposit or quote whose money is
   * returned.
   */
  readonly id: string
  readonly purpose: 'quote' | 'transfer' | 'return'
  /**
   * The identifier of the other account: account number, IBAN, address, UMA address. Null for an internal
   * account, or if nothing was sent: a rail may then only have to refund an incoming payment.
   */
  readonly identifier: string | null
  /** The complete details of the other account; undefined in the sandbox, and if a deposit is returned. */
  readonly account?: AccountDetails | undefined
  /** The mandate of a pull, if the rail needs one and there is one. */
  readonly mandate?: DebitMandate | undefined
  /** The deposit whose money is returned to its sender, by the rail's own id. */
  readonly returnOf?: string | undefined
  /** The originator of the money: a customer, or the platform. */
  readonly originatorId: string
  /** The requested network; null leaves the choice to the rail. */
  readonly paymentRail: string | null
  /** The chain of the other account, from its account type; null if it is not on a chain. */
  readonly chain: string | null
  /** Smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** Identifies the payment at both ends. */
  readonly reference: string
  /** Sent with the payment: ACH addenda, `remittanceInformation` of FedNow and RTP, information of a wire. */
  readonly remittanceInformation: string | null
  /**
   * True if the rail was called before: it returns the payment's outcome, and takes the payment only if it is
   * unknown there.
   */
  readonly alreadySubmitted: boolean
  /** The time of the first call, and the current time. */
  readonly submittedAt: Date
  readonly now: Date
}

/** A mandate as a direct debit states it. */
export interface DebitMandate {
  readonly reference: string
  /** `YYYY-MM-DD`. */
  readonly signedOn: string
  /** Holder and account as the mandate names them: an IBAN, or an account number with its sort code. */
  readonly debtorName: string
  readonly debtorAccount: string
  readonly debtorSortCode?: string | undefined
  /** The place of the collection in the sequence of its mandate: first, recurrent, one-off, final. */
  readonly sequence: 'FRST' | 'RCUR' | 'OOFF' | 'FNAL'
}

/** An instruction to the bank of a debtor: a mandate is new, or was canceled. */
export interface MandateInstruction {
  /** The id of its record. */
  readonly id: string
  readonly platformId: string
  readonly kind: 'NEW' | 'CANCEL'
  readonly mandateId: string
  readonly mandate: Omit<DebitMandate, 'sequence'>
  readonly now: Date
}

/** A payment before it is made. */
export type UnmadePayment = Pick<
  RailPayment,
  'account' | 'amount' | 'currency' | 'paymentRail' | 'remittanceInformation' | 'mandate'
> & {
  readonly direction: 'OUT' | 'PULL'
  /** The sender of a deposit to return. */
  readonly sender?: QueuedPayment['sender']
}

/** The part of a payment that a rail cannot carry, and the reason. */
export interface PaymentFault {
  readonly part: 'account' | 'amount' | 'remittanceInformation'
  readonly text: string
}

/** A chain transfer signed by a wallet's holder (EIP-3009), with a second one for the fee. */
export interface SignedChainPayment {
  /** The record of the wallet's address, and the address. */
  readonly senderId: string
  readonly sender: Hex
  /** Unix seconds. */
  readonly validBefore: bigint
  readonly signature: Hex
  readonly fee?: {
    /** Smallest unit. */
    readonly amount: bigint
    readonly recipient: Hex
    readonly signature: Hex
  }
}

/** A payment for a queue, with the id of its record. */
export interface QueuedPayment extends RailPayment {
  /** The holder's signature, if a wallet pays. */
  readonly signed?: SignedChainPayment | undefined
  readonly recordId: string
  readonly platformId: string
  readonly direction: 'OUT' | 'PULL'
  /** The sender of the returned deposit, as reported by the rail. */
  readonly sender?:
    | { readonly name?: string; readonly accountIdentifier?: string; readonly bankIdentifier?: string }
    | undefined
}

/**
 * The write that queues it, whose guard is that it is not queued yet; or the reason why the rail cannot carry
 * it.
 */
export type Enqueued =
  | { readonly outcome: 'queued'; readonly writes: readonly Write[] }
  | Extract<RailAnswer, { outcome: 'failed' }>

/** Failure reasons, as in specification 2.11. */
export const PAYMENT_FAILURES = [
  'QUOTE_EXECUTION_FAILED',
  'COUNTERPARTY_POST_TX_FAILED',
  'LIGHTNING_PAYMENT_FAILED',
  'OFFRAMP_FAILED',
  'PAY_REQUEST_FAILED',
] as const

export type PaymentFailure = (typeof PAYMENT_FAILURES)[number]

/**
 * A reply of a rail. It counts only for the payment that it names; a reply about another payment is ignored.
 */
export type RailReply = RailAnswer & {
  /** The payment that the reply is about, by its name at the rail. */
  readonly subject: string
}

export type RailAnswer =
  /** The rail has it, and it is in transit. Without `askAgainAt` the rail will report its outcome. */
  | { readonly outcome: 'accepted'; readonly askAgainAt?: Date; readonly connectorReference?: string }
  /** The outcome of the call is unknown. The rail is asked again, and nothing is refunded. */
  | { readonly outcome: 'unknown'; readonly askAgainAt: Date; readonly why: string }
  /**
   * Arrived; on a chain, under this hash. With `askAgainAt` the rail must be asked later whether it was
   * returned.
   */
  | {
      readonly outcome: 'delivered'
      readonly askAgainAt?: Date
      readonly transactionHash?: string
      readonly connectorReference?: string
    }
  | FailedAnswer
  | CancelledAnswer
  | ReturnedAnswer

/** It was never sent. */
interface FailedAnswer extends Setback {
  readonly outcome: 'failed'
}

/** It was stopped before it was sent. */
interface CancelledAnswer extends Setback {
  readonly outcome: 'cancelled'
}

/** It was sent and not delivered, or returned. */
interface ReturnedAnswer extends Setback {
  readonly outcome: 'returned'
  readonly reason: RefundReason
  /**
   * True if the rail could not recover the money either. It is not refunded: a person finds out where it is.
   */
  readonly isMoneyMissing?: true
}

/** The reason why a payment failed. */
export interface Setback {
  readonly failureReason: PaymentFailure
  /** The bank's message. */
  readonly detail: string
}

export type RefundReason = 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
