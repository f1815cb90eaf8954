import type { ErrorCode } from '@countersign/contract/core/errors'
import type { CUSTOMER_INFO_FIELDS } from '@countersign/contract/customers/customer-info'

/** Information about the sender that a receiver asks for. */
export interface RequiredSenderField {
  readonly name: (typeof CUSTOMER_INFO_FIELDS)[number]
  readonly mandatory: boolean
}

interface UmaRefusal {
  /** `lookup`: both the lookup and the quote are rejected. `quote`: only the quote is rejected. */
  readonly at: 'lookup' | 'quote'
  readonly code: ErrorCode
  readonly meaning: string
}

/** Sandbox receivers that reject a payment, or fail, before it exists, by the name before the `@`. */
export const UMA_REFUSALS: Readonly<Record<string, UmaRefusal>> = {
  '$fail.lnurlp.usd': {
    at: 'lookup',
    code: 'LNURLP_REQUEST_FAILED',
    meaning: 'The receiving side does not respond to a lookup',
  },
  '$fail.payreq.usd': {
    at: 'quote',
    code: 'PAYREQ_REQUEST_FAILED',
    meaning: 'It responds to the lookup, but not to the quote request',
  },
  '$fail.pubkey.usd': {
    at: 'lookup',
    code: 'COUNTERPARTY_PUBKEY_FETCH_ERROR',
    meaning: 'Its public keys cannot be fetched',
  },
  '$fail.quote.usd': {
    at: 'quote',
    code: 'QUOTE_REQUEST_FAILED',
    meaning: 'It does not return a price',
  },
  '$fail.switch.usd': {
    at: 'quote',
    code: 'SVC_SWITCH_ERROR',
    meaning: 'The switch fails',
  },
  '$fail.version.usd': {
    at: 'lookup',
    code: 'UNSUPPORTED_UMA_VERSION',
    meaning: 'It uses a version of UMA that this server does not support',
  },
  '$fail.versions.usd': {
    at: 'lookup',
    code: 'NO_COMPATIBLE_UMA_VERSION',
    meaning: 'It offers several versions, none of which this server supports',
  },
}

/** Sandbox receivers that require information about the sender. */
export const UMA_REQUIRED_FIELDS: Readonly<Record<string, readonly RequiredSenderField[]>> = {
  '$asks.sender.usd': [
    { name: 'FULL_NAME', mandatory: true },
    { name: 'BIRTH_DATE', mandatory: true },
    { name: 'NATIONALITY', mandatory: false },
  ],
}

/** The currency of all these receivers. */
export const UMA_RECEIVER_CURRENCY = 'USD'
