import type {
  ExternalAccountCreateInfoValue,
  PaymentAccountInfoValue,
} from '@countersign/contract/accounts/account-types'
import type { BENEFICIARY_VERIFICATION_STATUSES } from '@countersign/contract/accounts/external-accounts'
import type { SuccessOf } from '@countersign/contract/core/endpoint'
import type { CUSTOMER_INFO_FIELDS } from '@countersign/contract/customers/customer-info'
import type { customer_get } from '@countersign/contract/customers/customers'
import type {
  INCOMING_FAILURE_REASONS,
  OUTGOING_FAILURE_REASONS,
  OutgoingTransaction,
} from '@countersign/contract/payments/transactions'
import type { Static } from 'typebox'
import type { Hex } from '../../base/formats/hex.ts'
import type { OwnRateDetails, RateSummary } from '../../base/pricing/pricing.ts'
import type { DepositDetails } from './rail.ts'

/** A value as a JSON column returns it: an integer is a number where it is within 2^53. */
export type Stored<T> = T extends bigint
  ? bigint | number
  : T extends object
    ? { [Member in keyof T]: Stored<T[Member]> }
    : T

/** The information that a counterparty of a payment discloses. */
export type Counterparty = { readonly [Field in (typeof CUSTOMER_INFO_FIELDS)[number]]?: string }

/** The `details` of a transaction. */
export interface TransactionDetails {
  readonly rates?: RateSummary
  /** For a transfer out, which has no counterparty. */
  readonly ownRates?: OwnRateDetails
  /** The chain that pays the external account, by its account type, and the hash of the payment there. */
  readonly chain?: string
  readonly transactionHash?: string
  /** Shown as `counterpartyInformation`. */
  readonly counterparty?: Readonly<Record<string, unknown>>
  /** Where a payment with real-time funding is to be paid. */
  readonly paymentInstructions?: NonNullable<Static<typeof OutgoingTransaction>['paymentInstructions']>
  /** The UMA address that is paid. */
  readonly uma?: string
  /** The amount that came in for a quote and is refunded instead of executing it. */
  readonly fundedAmount?: bigint
  /** The rail that the payment was given to, or the money came in by. Absent in the sandbox, and where nothing left. */
  readonly rail?: string
  /** When the payment is given to its rail, where the rail was closed. */
  readonly submitsAt?: string
  /** The deposit that paid it, or that it is the record of; and what the rail said of its sender. */
  readonly deposit?: string
  readonly sender?: DepositDetails
  /** Whether the holder of a wallet's key has paid without this server. */
  readonly isByOwnKey?: boolean
  /** For a receipt: the platform has received the question and decides later. */
  readonly isTaken?: boolean
  readonly receiverCustomerInfo?: Readonly<Record<string, unknown>>
}

/**
 * The `details` of a quote: members of its request, the reference of a payment to be made, the rail that pulls its money,
 * and what the platform requires of the receiver.
 */
export interface KeptRequest {
  readonly customerId?: string
  readonly reference?: string
  readonly pullRail?: string
  /** The rails of the server's file that send it, and that bring its money in. Absent in the sandbox. */
  readonly railOut?: string
  readonly railIn?: string
  /** Where it is paid in to, by the rail that brings its money in. */
  readonly paidInTo?: PaymentAccountInfoValue
  readonly counterparty?: Counterparty
  /** The paying wallet, where it is on a chain. With `railIn` its money is collected first. */
  readonly wallet?: { readonly rail: string; readonly address: Hex }
  /** The address of the wallet that is paid on a chain. */
  readonly payTo?: string
}

type CustomerView = SuccessOf<typeof customer_get>['body']
type Person = Extract<CustomerView, { customerType: 'INDIVIDUAL' }>
type Business = Extract<CustomerView, { customerType: 'BUSINESS' }>

/** The `details` of a customer; the type of customer decides which members are present. */
export type CustomerDetails = Readonly<
  Pick<Person, 'phoneNumber' | 'fullName' | 'birthDate' | 'nationality' | 'address'> &
    Pick<Business, 'businessInfo'>
>

export type IncomingFailure = (typeof INCOMING_FAILURE_REASONS)[number]
export type OutgoingFailure = (typeof OUTGOING_FAILURE_REASONS)[number]

export type BeneficiaryStatus = (typeof BENEFICIARY_VERIFICATION_STATUSES)[number]

/** The details of an external account, as they were given. */
export type AccountDetails = ExternalAccountCreateInfoValue
