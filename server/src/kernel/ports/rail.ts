import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import type { ConnectorStatement } from '@countersign/contract/connectors/events'
import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import type { Hex } from '../../base/formats/hex.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'
import type { RailChain, RecordContext } from './rail-chain.ts'
import type { Reversals } from './reversals.ts'

/** The direction of money on a rail: sent to an external account, pulled from one, or paid in by anyone. */
export type RailDirection = 'OUT' | 'PULL' | 'IN'

/** A payment that needs a rail. */
export interface RouteRequest {
  readonly direction: RailDirection
  /** The type of the external account, or of the account to be paid into. */
  readonly accountType: AccountTypeName
  /** The requested network; null lets the rail choose. */
  readonly paymentRail: string | null
  readonly currency: string
  /** In the smallest unit; undefined if not known yet. */
  readonly amount: bigint | undefined
}

/** The name of the sandbox's rail in records. */
export const SANDBOX_RAIL = 'sandbox'

/** The name of a rail's cold storage in the ledger and in statements. No rail can have this name. */
export function toColdStorageName(rail: string): string {
  return `${rail}:cold`
}

/** All rails and their cold storage: everything that has statements. */
export function withColdStorage(rails: readonly Rail[]): readonly Rail[] {
  return rails.flatMap((rail) => (rail.coldStorage ? [rail, rail.coldStorage] : [rail]))
}

/** The rails of the server. The sandbox has a single rail without a name, for all payments. */
export interface Rails {
  /** The first rail in the routing table that takes the payment for this platform. */
  route(platformId: string, wanted: RouteRequest): Promise<Rail | undefined>
  /**
   * The limits of the first rail that would take the payment with another amount. Undefined if no rail serves
   * the account at all.
   */
  limitsFor(platformId: string, wanted: RouteRequest): Promise<RailLimits | undefined>
  /** Finds a rail, retired or not, or the cold storage of one. Null finds the sandbox's rail. */
  find(name: string | null): Rail | undefined
  /** The platform that owns a rail. Undefined while the server has no platform. */
  ownerOf(rail: Rail): Promise<string | undefined>
  /** All rails, in the order of the routing table. */
  list(): readonly Rail[]
}

/** Access to the records that a rail keeps itself. */
export interface ReadsFrom {
  readonly db: Database
  readonly platform: { readonly id: string }
}

/** In the smallest unit. */
export interface RailLimits {
  readonly min?: bigint
  readonly max?: bigint
}

/**
 * A way to move money in and out: a bank, a payout provider, a chain, or the sandbox's simulation. A bank may
 * respond late. A rail without an outcome may say when to ask again, by repeating the call.
 */
export interface Rail {
  /** Null in the sandbox. */
  readonly name: string | null
  /** The rail's entry in the rails file. Absent in the sandbox. */
  readonly entry?: RailEntryValue
  /**
   * True if a call to this rail has no effect outside of the server. A payment is then recorded together with
   * the rail's first reply, in one transaction. For any other rail it is recorded before the first call, so
   * that a crash leaves a trace.
   */
  readonly isSimulated?: true
  /**
   * True if a pull may still be returned after the bank has booked it. The pull then counts only once the
   * rail itself reports that it has arrived.
   */
  readonly arePullsProvisional?: boolean
  /** Present if the rail uses a chain. */
  readonly chain?: RailChain
  /**
   * The operator's addresses on a chain whose keys are not on this server. They are a separate account in the
   * ledger, with their own statements, and take no payments.
   */
  readonly coldStorage?: Rail
  /** True if the rail takes no new payments. */
  readonly isRetired: boolean
  /** True if the rail pulls only under mandates. */
  readonly needsMandates?: boolean
  /** The currencies of incoming payments. */
  readonly currenciesIn: readonly string[]
  /** The account at the bank, with every number the bank may use for it. Absent if none is configured. */
  readonly accountNumbers?: readonly string[]
  /** The treatment of money that arrives for an expired or finished quote. */
  readonly lateDeposits: 'RETURN' | 'CREDIT'
  /** When the rail next accepts payments, not before `now`: `now` itself during its hours. */
  opensAt(now: Date): Date
  /**
   * Queues a payment on this server, from where the rail takes and reports it. Replaces `send` and `pull`;
   * present if payments are not sent by calls.
   */
  enqueue?(payment: QueuedPayment): Enqueued
  /**
   * Queues an instruction about a mandate, or returns why the rail cannot take it. Such a rail debits only
   * under mandates that it was instructed about. Absent if mandates need no instruction.
   */
  instruct?(
    instruction: MandateInstruction,
  ): { readonly writes: readonly Write[] } | { readonly fault: string }
  /**
   * Sends a payment, or returns the outcome of an earlier call. Called at least once per payment. Idempotent:
   * `id` identifies the payment, which is sent only once.
   */
  send(payment: RailPayment): Promise<RailReply>
  /**
   * Pulls money from an external account, like `send`. If a quote is paid from one, its pull and its payment
   * have the same id and different directions. A delivered pull may be returned later: `returned`, with
   * nothing to refund.
   */
  pull(payment: RailPayment): Promise<RailReply>
  /**
   * The amount that a pull would get now, in the smallest unit. Undefined if it is unknown before the
   * attempt.
   */
  pullable(account: PullableAccount): Promise<bigint | undefined>
  /** Parses a report. Undefined if its signature is invalid. Absent if the rail reports in another way. */
  readEvent?(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array): unknown
  /**
   * Opens an account for incoming payments. Idempotent: the same request returns the same details. Absent if
   * the rail takes no incoming payments.
   */
  openDepositAccount?(from: RecordContext, wanted: WantedDepositAccount): Promise<OpenedDepositAccount>
  /** Compares the holder's name with the one at the bank. Absent if the rail cannot do this. */
  checkAccount?(account: AccountDetails): Promise<AccountCheckResult>
  /**
   * Why nothing can be sent to an account, as the end of a sentence about it. Undefined if something can be
   * sent, or if the rail is unreachable. Absent if the rail accepts every well-formed account.
   */
  findPayeeFault?(read: Read, account: AccountDetails): Promise<string | undefined>
  /**
   * The part of a payment that the rail cannot take, checked before the payment is created. Undefined if it
   * can take all of it. Absent if the rail accepts every well-formed payment.
   */
  faultOfPayment?(payment: PaymentDraft): PaymentFault | undefined
  /**
   * True if the rail has reported changed details of an account that nobody has reviewed yet. Payments to the
   * account then wait. Absent if the rail never reports changes.
   */
  isAccountInDoubt?(read: Read, platformId: string, account: AccountDetails): Promise<boolean>
  /**
   * Asks the rail not to send a payment. The rail reports whether the request was in time. Absent if the rail
   * cannot cancel payments.
   */
  cancel?(id: string): Promise<RailReply>
  /** Requests to return money sent in error. Absent if the rail cannot make them. */
  readonly reversals?: Reversals
  /** The balances that the rail holds for us, by currency, in the smallest unit. */
  balances?(from: ReadsFrom): Promise<ReadonlyMap<string, bigint>>
  /**
   * The statement of a day (`YYYY-MM-DD`), as a `ConnectorStatement`. Undefined if the day is not closed yet.
   */
  statement?(date: string, currency: string, from: ReadsFrom): Promise<ConnectorStatement | undefined>
}

/** A deposit account to be opened for one internal account, or for a whole currency. */
export interface WantedDepositAccount {
  readonly id: string
  readonly purpose: 'ACCOUNT' | 'POOL'
  readonly currency: string
  readonly reference: string
  readonly holder: { readonly id: string; readonly name?: string } | undefined
}

export interface OpenedDepositAccount {
  /** The rail's reference, which its deposits state. */
  readonly railReference: string
  /**
   * ACCOUNT: everything that arrives on the account belongs to its owner. REFERENCE: the payer must state the
   * reference.
   */
  readonly matching: 'ACCOUNT' | 'REFERENCE'
  /** The account details that payers need. */
  readonly accountInfo: PaymentAccountInfoValue
  /** Writes that must be committed together with the account. */
  readonly writes?: readonly Write[]
}

export type AccountCheckResult = 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH' | 'UNAVAILABLE'

export interface PullableAccount {
  readonly identifier: string
  readonly currency: string
  /** The payment rail for pulls from the account. Null if none of its rails can pull. */
  readonly paymentRail: string | null
}

export interface RailPayment {
  /**
   * The permanent id of the payment at the rail: the id of its transaction, or of the deposit or quote whose
   * money is returned.
   */
  readonly id: string
  readonly purpose: 'quote' | 'transfer' | 'return'
  /**
   * Identifies the other account: account number, IBAN, blockchain address or UMA address. Null for an
   * internal account, or if nothing was sent, in which case a rail may only have to refund an incoming
   * payment.
   */
  readonly identifier: string | null
  /** The complete details of the other account. Undefined in the sandbox, and when a deposit is returned. */
  readonly account?: AccountDetails | undefined
  /** The mandate for a pull, if the rail needs one and there is one. */
  readonly mandate?: DebitMandate | undefined
  /** The deposit whose money is returned to its sender, by the rail's own id. */
  readonly returnOf?: string | undefined
  /** The originator of the money: a customer, or the platform itself. */
  readonly originatorId: string
  /** The requested network; null lets the rail choose. */
  readonly paymentRail: string | null
  /** The chain of the other account, from its account type. Null if it is not on a chain. */
  readonly chain: string | null
  /** In the smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** Identifies the payment for both the payer and the payee. */
  readonly reference: string
  /** Sent with the payment: ACH addenda, `remittanceInformation` of FedNow and RTP, or wire information. */
  readonly remittanceInformation: string | null
  /** True for one of the two deposits that verify the account. */
  readonly isMicroDeposit?: boolean
  /**
   * True if the rail was called before. It then returns the outcome of the payment, and takes the payment
   * only if it does not know it.
   */
  readonly alreadySubmitted: boolean
  /** When the rail was first called, and the current time. */
  readonly submittedAt: Date
  readonly now: Date
}

/** A mandate in the form that direct debits state it. */
export interface DebitMandate {
  readonly reference: string
  /** `YYYY-MM-DD`. */
  readonly signedOn: string
  /** Holder and account as stated in the mandate: an IBAN, or an account number with its sort code. */
  readonly debtorName: string
  readonly debtorAccount: string
  readonly debtorSortCode?: string | undefined
  /** The position of the collection in the sequence of its mandate: first, recurrent, one-off or final. */
  readonly sequence: 'FRST' | 'RCUR' | 'OOFF' | 'FNAL'
}

/** An instruction to a debtor's bank that a mandate is new or was canceled. */
export interface MandateInstruction {
  /** The id of its record. */
  readonly id: string
  readonly platformId: string
  readonly kind: 'NEW' | 'CANCEL'
  readonly mandateId: string
  readonly mandate: Omit<DebitMandate, 'sequence'>
  readonly now: Date
}

/** A payment before it is created. */
export type PaymentDraft = Pick<
  RailPayment,
  'account' | 'amount' | 'currency' | 'paymentRail' | 'remittanceInformation' | 'mandate' | 'isMicroDeposit'
> & {
  readonly direction: 'OUT' | 'PULL'
  /** The sender of a deposit that is to be returned. */
  readonly sender?: QueuedPayment['sender']
}

/** The part of a payment that a rail cannot take, and the reason. */
export interface PaymentFault {
  readonly part: 'account' | 'amount' | 'remittanceInformation'
  readonly text: string
}

/** A chain transfer signed by the wallet's holder (EIP-3009), and possibly a second one for the fee. */
export interface SignedChainPayment {
  /** The record of the wallet's address, and the address itself. */
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

/** A payment to be queued, with the id of its record. */
export interface QueuedPayment extends RailPayment {
  /** The holder's signature, if a wallet pays. */
  readonly signed?: SignedChainPayment | undefined
  readonly recordId: string
  readonly platformId: string
  readonly direction: 'OUT' | 'PULL'
  /** The sender of the deposit being returned, as reported by the rail. */
  readonly sender?:
    | { readonly name?: string; readonly accountIdentifier?: string; readonly bankIdentifier?: string }
    | undefined
}

/**
 * The write that queues the payment, guarded against queueing it twice; or why the rail cannot take the
 * payment.
 */
export type Enqueued =
  | { readonly outcome: 'queued'; readonly writes: readonly Write[] }
  | Extract<RailResult, { outcome: 'failed' }>

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
 * A reply of a rail. It counts only for the payment that it names; replies about other payments are ignored.
 */
export type RailReply = RailResult & {
  /** The payment that the reply is about, by its id at the rail. */
  readonly subject: string
}

export type RailResult =
  /** The rail has the payment, which is in transit. Without `pollAt` the rail will report the outcome. */
  | { readonly outcome: 'accepted'; readonly pollAt?: Date; readonly connectorReference?: string }
  /** The outcome of the call is unknown. The rail is asked again, and nothing is refunded meanwhile. */
  | { readonly outcome: 'unknown'; readonly pollAt: Date; readonly why: string }
  /**
   * The payment has arrived; on a chain, with this transaction hash. With `pollAt` the rail must be asked
   * later whether it was returned.
   */
  | {
      readonly outcome: 'delivered'
      readonly pollAt?: Date
      readonly transactionHash?: string
      readonly connectorReference?: string
    }
  | FailedResult
  | CanceledResult
  | ReturnedResult

/** The payment was never sent. */
interface FailedResult extends Setback {
  readonly outcome: 'failed'
}

/** The payment was stopped before it was sent. */
interface CanceledResult extends Setback {
  readonly outcome: 'cancelled'
}

/** The payment was sent but not delivered, or was returned. */
interface ReturnedResult extends Setback {
  readonly outcome: 'returned'
  readonly reason: RefundReason
  /**
   * True if the rail could not recover the money either. Nothing is refunded; an operator has to find out
   * where the money is.
   */
  readonly isMoneyMissing?: true
}

/** Why a payment failed. */
export interface Setback {
  readonly failureReason: PaymentFailure
  /** The bank's message. */
  readonly detail: string
}

export type RefundReason = 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
