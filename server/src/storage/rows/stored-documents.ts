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

/** A value as read from a JSON column: integers up to 2^53 are numbers. */
export type StoredJson<T> = T extends bigint
  ? bigint | number
  : T extends object
    ? { [Member in keyof T]: StoredJson<T[Member]> }
    : T

/** The information that the counterparty of a payment discloses about itself. */
export type Counterparty = { readonly [Field in (typeof CUSTOMER_INFO_FIELDS)[number]]?: string }

/** The `details` of a transaction. */
export interface TransactionDetails {
  readonly rates?: RateSummary
  /** Set for an outgoing transfer, which has no counterparty. */
  readonly ownRates?: OwnRateDetails
  /**
   * The chain on which the external account is paid, from its account type, and the hash of the transaction
   * there.
   */
  readonly chain?: string
  readonly transactionHash?: string
  /** Shown as `counterpartyInformation`. */
  readonly counterparty?: Readonly<Record<string, unknown>>
  /** Payment instructions for real-time funding. */
  readonly paymentInstructions?: NonNullable<Static<typeof OutgoingTransaction>['paymentInstructions']>
  /** The UMA address that is paid. */
  readonly uma?: string
  /** The amount received for a quote refunded instead of executed. */
  readonly fundedAmount?: bigint
  /**
   * The rail that sends the payment or brought the money in. Absent in the sandbox, and if no money left the
   * server.
   */
  readonly rail?: string
  /** The mandate for a direct debit. */
  readonly mandateId?: string
  /** True for one of the two deposits that verify an external account. */
  readonly isMicroDeposit?: boolean
  /** When the payment is submitted to its rail, if the rail was closed. */
  readonly submitsAt?: string
  /**
   * The deposit that funded the transaction or that it records, and what the rail reported about the sender.
   */
  readonly deposit?: string
  readonly sender?: DepositDetails
  /** True if the holder of the wallet's key paid without using this server. */
  readonly isByOwnKey?: boolean
  /** For an incoming payment: the platform has confirmed the webhook and will decide later. */
  readonly isTaken?: boolean
  readonly receiverCustomerInfo?: Readonly<Record<string, unknown>>
}

/**
 * The `details` of a quote: fields of its request, the reference of the incoming payment, the rail that pulls
 * its money, and the information that the platform requires about the receiver.
 */
export interface StoredQuoteRequest {
  readonly customerId?: string
  readonly reference?: string
  readonly pullRail?: string
  /** The configured rails that send the payment and bring its money in. Absent in the sandbox. */
  readonly railOut?: string
  readonly railIn?: string
  /** The mandate under which the account is debited. */
  readonly mandateId?: string
  /** Payment instructions of the rail that brings the money in. */
  readonly paidInTo?: PaymentAccountInfoValue
  readonly counterparty?: Counterparty
  /** The paying wallet, if it is on a chain. If `railIn` is set, its money is collected first. */
  readonly wallet?: { readonly rail: string; readonly address: Hex }
  /** The address of the paid wallet on its chain. */
  readonly payTo?: string
}

type CustomerView = SuccessOf<typeof customer_get>['body']
type Person = Extract<CustomerView, { customerType: 'INDIVIDUAL' }>
type Business = Extract<CustomerView, { customerType: 'BUSINESS' }>

/** The `details` of a customer, depending on the customer type. */
export type CustomerDetails = Readonly<
  Pick<Person, 'phoneNumber' | 'fullName' | 'birthDate' | 'nationality' | 'address'> &
    Pick<Business, 'businessInfo'>
>

export type IncomingFailure = (typeof INCOMING_FAILURE_REASONS)[number]
export type OutgoingFailure = (typeof OUTGOING_FAILURE_REASONS)[number]

export type BeneficiaryStatus = (typeof BENEFICIARY_VERIFICATION_STATUSES)[number]

/** The details of an external account, as the API received them. */
export type AccountDetails = ExternalAccountCreateInfoValue
