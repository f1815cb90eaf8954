import type { AccountTypeName, PaymentAccountInfoValue } from '@countersign/contract/accounts/account-types'
import type { ConnectorStatement } from '@countersign/contract/connectors/events'
import type { RailEntryValue } from '@countersign/contract/connectors/rails-file'
import type { EvmNetwork } from '@countersign/contract/core/evm'
import type { Hex } from '../../base/formats/hex.ts'
import type { NetworkFee } from '../../base/pricing/network-fees.ts'
import type { Write } from '../../storage/commit/writes.ts'
import type { Database } from '../../storage/engine/port.ts'
import type { Read } from '../../storage/read/read.ts'
import type { AccountDetails } from '../../storage/rows/stored-documents.ts'

/** Which way money goes by a rail: sent to an external account, pulled from one, or paid in by somebody. */
export type RailDirection = 'OUT' | 'PULL' | 'IN'

/** What a rail is asked to carry. */
export interface Wanted {
  readonly direction: RailDirection
  /** The type of the external account, or of the account to pay into. */
  readonly accountType: AccountTypeName
  /** The requested network; null leaves it to the rail. */
  readonly paymentRail: string | null
  readonly currency: string
  /** Smallest unit; undefined where it is not known yet. */
  readonly amount: bigint | undefined
}

/** What the sandbox's rail is called where a record names one. */
export const SANDBOX_RAIL = 'sandbox'

/** The rails of the server. The sandbox has one without a name, which carries everything. */
export interface Rails {
  /**
   * The first rail of the routing table that carries it for this platform; undefined where none does.
   */
  route(platformId: string, wanted: Wanted): Promise<Rail | undefined>
  /**
   * Why none does: the first rail that would, but for the amount, with its limits. Undefined where no rail serves the
   * account at all.
   */
  limitsFor(platformId: string, wanted: Wanted): Promise<RailLimits | undefined>
  /** A rail by its name, whether it still takes new payments or not. Null names the sandbox's. */
  find(name: string | null): Rail | undefined
  /** Whose rail it is; undefined while the server has no platform. */
  ownerOf(rail: Rail): Promise<string | undefined>
  /** All rails, in the order of the routing table. */
  list(): readonly Rail[]
}

/** The operation that records are of. */
export interface RecordsFrom {
  readonly now: Date
  readonly platform: { readonly id: string }
}

/** Where a rail reads what this server has recorded of it. */
export interface ReadsFrom {
  readonly db: Database
  readonly platform: { readonly id: string }
}

/** The chain of a rail: what quotes, wallets and estimates need of it. */
export interface RailChain {
  readonly network: EvmNetwork
  readonly chainId: number
  /** Where the platform's money on the chain is. */
  readonly treasury: Hex
  /**
   * Whether this server has ever reached it. The chain is followed from that moment on, so what is paid to an address that was made
   * before could be missed: there is none, and no payment begins.
   */
  isMet(): boolean
  /** The accounts of ours below their low-water mark a few seconds ago, in sentences for an operator. */
  lowBalances(): readonly string[]
  /** The contract of a currency, as it was read from the chain. Error: 503 `UNAVAILABLE` while nobody could read it. */
  token(currency: string): ChainToken
  /**
   * What the chain charges at most, by its present fees, for so many transfers of a currency, with the margin of the rails file.
   * Error: 503 `UNAVAILABLE` where no node tells.
   */
  transferFee(currency: string, transfers: number): Promise<NetworkFee>
  /**
   * The record of an address of its own, for an internal account or a quote, and the address in the API's spelling. Error: 503
   * `UNAVAILABLE` before the chain is met.
   */
  newAddress(
    from: RecordsFrom,
    ownerId: string,
  ): { readonly address: string; readonly writes: readonly Write[] }
  /**
   * Mints so much to an address, at the faucet of a sandbox's chain. Absent where there is none. Called twice it mints twice. Throws
   * where the node does not answer, or refuses.
   */
  mint?(currency: string, to: Hex, amount: bigint): Promise<void>
  /**
   * The record of the address of a wallet, whose key derives from the wallet's own seed. Error: 503 `UNAVAILABLE` before the chain is
   * met.
   */
  walletAddress(from: RecordsFrom, accountId: string, address: Hex): Write
  /** The id of that record. */
  walletAddressId(accountId: string): string
}

export interface ChainToken {
  readonly currency: string
  readonly address: Hex
  readonly standard: 'EIP3009' | 'ERC20'
  /** EIP-712. Undefined where the token has no EIP-3009. */
  readonly domain: { readonly name: string; readonly version: string } | undefined
}

/** Smallest unit. */
export interface RailLimits {
  readonly min?: bigint
  readonly max?: bigint
}

/**
 * A way to move money outside: a bank, a payout provider, a chain, or the sandbox's. A bank may answer late. A rail without
 * an outcome may say when to ask again; and asking again is a repeated call.
 */
export interface Rail {
  /** Null in the sandbox. */
  readonly name: string | null
  /** Its entry in the rails file. Absent in the sandbox. */
  readonly entry?: RailEntryValue
  /**
   * True if a call to this rail has no effect outside the server. The record of a payment is then written with the rail's
   * first reply, in one piece; for any other rail it is written before the first call, so that a crash leaves a trace.
   */
  readonly isSimulated?: true
  /**
   * True if a pull may still come back after the bank has booked it. It counts once the rail itself reports that it has arrived.
   */
  readonly arePullsProvisional?: boolean
  /** Present where it is a chain. */
  readonly chain?: RailChain
  /** Whether it takes nothing new any more. */
  readonly isRetired: boolean
  /** The currencies that others pay in by it. */
  readonly currenciesIn: readonly string[]
  /** The account at the bank, by every number that the bank may call it. Absent: nobody has named one. */
  readonly accountNumbers?: readonly string[]
  /** What becomes of money for a quote that has ended. */
  readonly lateDeposits: 'RETURN' | 'CREDIT'
  /** The first time from `now` on at which it takes payments: `now` itself within its hours. */
  opensAt(now: Date): Date
  /**
   * Puts a payment into a queue of this server, from which the rail takes it by itself and reports: instead of `send` and
   * `pull`. Present where payments do not go by calls.
   */
  enqueue?(payment: QueuedPayment): Enqueued
  /**
   * Sends a payment, or returns the outcome of an earlier call. Called at least once per payment. Idempotent: `id` names
   * the payment, which goes out once.
   */
  send(payment: RailPayment): Promise<RailReply>
  /**
   * Pulls money from an external account, in the same way. A quote that is paid from one is pulled and sent under the
   * same name, in two directions. A delivered pull may be returned: `returned`, with nothing to refund.
   */
  pull(payment: RailPayment): Promise<RailReply>
  /** The amount that a pull would bring now, in the smallest unit; undefined where it is unknown before the attempt. */
  pullable(account: PullableAccount): Promise<bigint | undefined>
  /** Reads a report: undefined where its signature is not valid. Absent where the rail reports in another way. */
  readEvent?(headers: Readonly<Record<string, string | undefined>>, body: Uint8Array): unknown
  /** Opens what others pay in to. Idempotent: the same request has the same details. Absent where nothing comes in. */
  openDepositAccount?(from: RecordsFrom, wanted: WantedDepositAccount): Promise<OpenedDepositAccount>
  /** Whether the holder of an account has this name. Absent where the rail cannot tell. */
  checkAccount?(account: AccountDetails): Promise<AccountCheckResult>
  /**
   * Why nothing is sent to an account, in words that end the sentence about it; undefined where nothing speaks against it, or nobody
   * can tell now. Absent where every account of the right form is taken.
   */
  faultOfPayee?(read: Read, account: AccountDetails): Promise<string | undefined>
  /**
   * The part of a payment that the rail cannot carry, before the payment is made. Undefined if it can carry all of it. Absent if the rail takes
   * every payment of the right form.
   */
  faultOfPayment?(payment: UnmadePayment): PaymentFault | undefined
  /**
   * True if the rail has said that the details of an account have changed, and nobody has looked at that yet: payments to it wait.
   * Absent if the rail never says that.
   */
  isAccountInDoubt?(read: Read, platformId: string, account: AccountDetails): Promise<boolean>
  /** Asks the rail not to send a payment. Its report says whether that was in time. Absent where it cannot be asked. */
  cancel?(id: string): Promise<RailReply>
  /** What the rail holds for us by currency, in the smallest unit. */
  balances?(from: ReadsFrom): Promise<ReadonlyMap<string, bigint>>
  /** The statement of a day (`YYYY-MM-DD`), as `ConnectorStatement`; undefined where the day is not closed. */
  statement?(date: string, currency: string, from: ReadsFrom): Promise<ConnectorStatement | undefined>
}

/** What is to be opened: for one internal account, or for all of a currency. */
export interface WantedDepositAccount {
  readonly id: string
  readonly purpose: 'ACCOUNT' | 'POOL'
  readonly currency: string
  readonly reference: string
  readonly holder: { readonly id: string; readonly name?: string } | undefined
}

export interface OpenedDepositAccount {
  /** The rail's own name for it, which deposits carry. */
  readonly railReference: string
  /** ACCOUNT: all that arrives there is for it. REFERENCE: the payer has to state the reference. */
  readonly matching: 'ACCOUNT' | 'REFERENCE'
  /** The details that payers need. */
  readonly accountInfo: PaymentAccountInfoValue
  /** What this server has to keep of it. */
  readonly writes?: readonly Write[]
}

export type AccountCheckResult = 'MATCH' | 'CLOSE_MATCH' | 'NO_MATCH' | 'UNAVAILABLE'

/** An external account, as a rail knows it. */
export interface PullableAccount {
  readonly identifier: string
  readonly currency: string
  /** The rail that pulls from it; null where none of its rails can pull. */
  readonly paymentRail: string | null
}

/** A payment or a pull. */
export interface RailPayment {
  /** Its name at the rail, for ever: the id of its transaction; of a deposit or a quote whose money goes back. */
  readonly id: string
  readonly purpose: 'quote' | 'transfer' | 'return'
  /**
   * The identifier of the other account: account number, IBAN, address, UMA address. Null for an internal account, or
   * where nothing was sent: a rail may then only have to refund an incoming payment.
   */
  readonly identifier: string | null
  /** The complete details of the other account; undefined in the sandbox, and where a deposit goes back. */
  readonly account?: AccountDetails | undefined
  /** The deposit whose money goes back to its sender, by the rail's own id. */
  readonly returnOf?: string | undefined
  /** Whose money it is: a customer, or the platform. */
  readonly originatorId: string
  /** The requested network; null leaves the choice to the rail. */
  readonly paymentRail: string | null
  /** The chain of the other account, by its account type; null where it is not on a chain. */
  readonly chain: string | null
  /** Smallest unit of `currency`. */
  readonly amount: bigint
  readonly currency: string
  /** Names the payment at both ends. */
  readonly reference: string
  /** Sent with the payment: ACH addenda, `remittanceInformation` of FedNow and RTP, information of a wire. */
  readonly remittanceInformation: string | null
  /** Whether the rail was called before: it is asked what became of the payment, and given it only where it has none. */
  readonly isAsked: boolean
  /** The time of the first call, and the current time. */
  readonly submittedAt: Date
  readonly now: Date
}

/** A payment before it is made. */
export type UnmadePayment = Pick<
  RailPayment,
  'account' | 'amount' | 'currency' | 'paymentRail' | 'remittanceInformation'
> & {
  readonly direction: 'OUT' | 'PULL'
  /** The sender of a deposit that is to go back. */
  readonly sender?: QueuedPayment['sender']
}

/** The part of a payment that a rail cannot carry, and the reason. */
export interface PaymentFault {
  readonly part: 'account' | 'amount' | 'remittanceInformation'
  readonly text: string
}

/** A transfer on a chain that the holder of a wallet has signed (EIP-3009), with a second one for the fee. */
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
  /** Present where a wallet pays: what its holder has signed. */
  readonly signed?: SignedChainPayment | undefined
  readonly recordId: string
  readonly platformId: string
  readonly direction: 'OUT' | 'PULL'
  /** The sender of the deposit whose money goes back, as the rail has told of it. */
  readonly sender?:
    | { readonly name?: string; readonly accountIdentifier?: string; readonly bankIdentifier?: string }
    | undefined
}

/** What puts it into the queue, whose guard is that it is not there yet; or why the rail cannot carry it. */
export type Enqueued =
  | { readonly outcome: 'queued'; readonly writes: readonly Write[] }
  | Extract<RailAnswer, { outcome: 'failed' }>

/** Why a payment failed, in the words of specification 2.11. */
export const PAYMENT_FAILURES = [
  'QUOTE_EXECUTION_FAILED',
  'COUNTERPARTY_POST_TX_FAILED',
  'LIGHTNING_PAYMENT_FAILED',
  'OFFRAMP_FAILED',
  'PAY_REQUEST_FAILED',
] as const

export type PaymentFailure = (typeof PAYMENT_FAILURES)[number]

/** A reply of a rail. It counts only for the payment that it names; a reply about another one says nothing. */
export type RailReply = RailAnswer & {
  /** The payment that the rail speaks of, by its name there. */
  readonly subject: string
}

export type RailAnswer =
  /** The rail has it, and it is on its way. Without `askAgainAt` the rail reports by itself. */
  | { readonly outcome: 'accepted'; readonly askAgainAt?: Date; readonly connectorReference?: string }
  /** Nobody knows what became of the call. It is asked about, and nothing is given back. */
  | { readonly outcome: 'unknown'; readonly askAgainAt: Date; readonly why: string }
  /** Arrived; on a chain, under this hash. With `askAgainAt` the rail has to be asked later if it has come back. */
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

/** It was sent and not delivered, or came back. */
interface ReturnedAnswer extends Setback {
  readonly outcome: 'returned'
  readonly reason: RefundReason
  /** True if the rail could not get the money back either. It is not refunded: a person finds out where it is. */
  readonly isMoneyMissing?: true
}

/** Why a payment has not worked. */
export interface Setback {
  readonly failureReason: PaymentFailure
  /** The bank's text. */
  readonly detail: string
}

export type RefundReason = 'TRANSACTION_FAILED' | 'USER_CANCELLATION'
