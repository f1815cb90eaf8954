import type { ErrorCode } from '@countersign/contract/core/errors'
import type { CUSTOMER_INFO_FIELDS } from '@countersign/contract/customers/customer-info'

/** Information about the sender that a receiver requires. */
export interface AskedField {
  readonly name: (typeof CUSTOMER_INFO_FIELDS)[number]
  readonly mandatory: boolean
}

interface UmaRefusal {
  /** `lookup`: both the lookup and the quote are refused; `quote`: only the quote is. */
  readonly at: 'lookup' | 'quote'
  readonly code: ErrorCode
  readonly meaning: string
}

/** Receivers of the sandbox whose side refuses or fails before a payment exists, by the name before the `@`. */
export const UMA_REFUSALS: Readonly<Record<string, UmaRefusal>> = {
  '$fail.lnurlp.usd': {
    at: 'lookup',
    code: 'LNURLP_REQUEST_FAILED',
    meaning: 'The receiving side does not answer a lookup',
  },
  '$fail.payreq.usd': {
    at: 'quote',
    code: 'PAYREQ_REQUEST_FAILED',
    meaning: 'It answers the lookup, but not the request of a quote',
  },
  '$fail.pubkey.usd': {
    at: 'lookup',
    code: 'COUNTERPARTY_PUBKEY_FETCH_ERROR',
    meaning: 'Its public keys cannot be fetched',
  },
  '$fail.quote.usd': {
    at: 'quote',
    code: 'QUOTE_REQUEST_FAILED',
    meaning: 'It gives no price for any payment',
  },
  '$fail.switch.usd': {
    at: 'quote',
    code: 'SVC_SWITCH_ERROR',
    meaning: 'The switch to it fails',
  },
  '$fail.version.usd': {
    at: 'lookup',
    code: 'UNSUPPORTED_UMA_VERSION',
    meaning: 'It speaks a version of UMA that this server does not speak',
  },
  '$fail.versions.usd': {
    at: 'lookup',
    code: 'NO_COMPATIBLE_UMA_VERSION',
    meaning: 'It offers several versions, and this server speaks none of them',
  },
}

/** Receivers of the sandbox that require information about the sender. */
export const UMA_ASKED: Readonly<Record<string, readonly AskedField[]>> = {
  '$asks.sender.usd': [
    { name: 'FULL_NAME', mandatory: true },
    { name: 'BIRTH_DATE', mandatory: true },
    { name: 'NATIONALITY', mandatory: false },
  ],
}

/** The currency that all of these receive. */
export const UMA_OTHERS_CURRENCY = 'USD'
