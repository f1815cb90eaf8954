import type { ExternalAccountCreateInfoValue } from '@countersign/contract/accounts/account-types'
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
import type { OwnRateDetails, RateSummary } from '../../pricing/pricing.ts'

/** A value as a JSON column gives it back: an integer is a number where it is within 2^53. */
export type Stored<T> = T extends bigint
  ? bigint | number
  : T extends object
    ? { [Member in keyof T]: Stored<T[Member]> }
    : T

/** What somebody tells of itself as the other side of a payment. */
export type Counterparty = { readonly [Field in (typeof CUSTOMER_INFO_FIELDS)[number]]?: string }

/** What a transaction keeps beside its columns. */
export interface TransactionDetails {
  readonly rates?: RateSummary
  /** Of a transfer out, which has no other side. */
  readonly ownRates?: OwnRateDetails
  /** The chain that pays the account elsewhere, by its account type; and the hash of the payment there. */
  readonly chain?: string
  readonly transactionHash?: string
  /** Shown as `counterpartyInformation`. */
  readonly counterparty?: Readonly<Record<string, unknown>>
  /** Where a payment with real-time funding is to be paid. */
  readonly paymentInstructions?: NonNullable<Static<typeof OutgoingTransaction>['paymentInstructions']>
  /** The UMA address that is paid. */
  readonly uma?: string
  /** What came in for a quote and goes back as it came, in place of executing it. */
  readonly fundedAmount?: bigint
  /** Of a receipt: the platform has the question and said that it decides later. */
  readonly isTaken?: boolean
  readonly receiverCustomerInfo?: Readonly<Record<string, unknown>>
}

/**
 * What a quote keeps of its request, the reference of its payment where it is to be paid in, the rail that its money is
 * pulled by, and what the platform asks of the receiver.
 */
export interface KeptRequest {
  readonly customerId?: string
  readonly reference?: string
  readonly pullRail?: string
  readonly counterparty?: Counterparty
}

type CustomerView = SuccessOf<typeof customer_get>['body']
type Person = Extract<CustomerView, { customerType: 'INDIVIDUAL' }>
type Business = Extract<CustomerView, { customerType: 'BUSINESS' }>

/** What a customer's row keeps beside its columns; which of it depends on the type of customer. */
export type CustomerDetails = Readonly<
  Pick<Person, 'phoneNumber' | 'fullName' | 'birthDate' | 'nationality' | 'address'> &
    Pick<Business, 'businessInfo'>
>

export type IncomingFailure = (typeof INCOMING_FAILURE_REASONS)[number]
export type OutgoingFailure = (typeof OUTGOING_FAILURE_REASONS)[number]

export type BeneficiaryStatus = (typeof BENEFICIARY_VERIFICATION_STATUSES)[number]

/** An account elsewhere, as it was given. */
export type AccountDetails = ExternalAccountCreateInfoValue
