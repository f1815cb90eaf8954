import type { TSchema } from 'typebox'
import { ConnectorStatement } from './events.ts'
import {
  AccountCheck,
  AccountCheckRequest,
  Balances,
  CancelRequest,
  ConnectorPayment,
  DepositAccount,
  DepositAccountRequest,
  PaymentRequest,
  PullRequest,
} from './protocol.ts'

/** A call from Countersign to a connector, declared as data. The OpenAPI document is generated from these. */
export interface ConnectorCall {
  readonly method: 'GET' | 'POST'
  /** The path below the connector's base address, with parameters in braces. */
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: TSchema
  readonly response: TSchema
  /**
   * True if the call creates the record with the body's `id`. It then has an `Idempotency-Key` and may return
   * 409.
   */
  readonly creates?: boolean
  /** The error code of a 404 that means the record never arrived or does not exist yet. */
  readonly notFound?: { readonly code: string; readonly means: string }
}

const PAYMENT_PATH = { id: 'The id from the call that created the payment' }
const PULL_PATH = { id: 'The id from the call that created the pull' }

const NEVER_ARRIVED = 'it never arrived; Countersign sends it again under the same id'

export const CONNECTOR_CALLS = {
  payment_create: {
    method: 'POST',
    path: '/payments',
    summary: 'Send a payment',
    description:
      'Pays the beneficiary, or gives a deposit back to its sender (`returnOf`). Store the payment ' +
      'durably before you respond. The same id with the same body returns the current state of the same ' +
      'payment, however late; with another body it returns 409.',
    body: PaymentRequest,
    response: ConnectorPayment,
    creates: true,
  },
  payment_get: {
    method: 'GET',
    path: '/payments/{id}',
    summary: 'Read the state of a payment',
    description: 'Countersign calls it when a response was lost or an event is overdue.',
    params: PAYMENT_PATH,
    response: ConnectorPayment,
    notFound: { code: 'PAYMENT_NOT_FOUND', means: NEVER_ARRIVED },
  },
  payment_cancel: {
    method: 'POST',
    path: '/payments/{id}/cancel',
    summary: 'Cancel a payment, if it is not too late',
    description:
      'Returns CANCELLED if nothing will be paid any more, otherwise the current status. It may be called any number of times.',
    params: PAYMENT_PATH,
    body: CancelRequest,
    response: ConnectorPayment,
    notFound: { code: 'PAYMENT_NOT_FOUND', means: 'it never arrived' },
  },
  pull_create: {
    method: 'POST',
    path: '/pulls',
    summary: 'Pull money from an account',
    description:
      'Pulls by direct debit or the method of the rail. DELIVERED: the money is in our account. Repeated calls work as for payments.',
    body: PullRequest,
    response: ConnectorPayment,
    creates: true,
  },
  pull_get: {
    method: 'GET',
    path: '/pulls/{id}',
    summary: 'Read the state of a pull',
    description: 'Works as for payments.',
    params: PULL_PATH,
    response: ConnectorPayment,
    notFound: { code: 'PULL_NOT_FOUND', means: NEVER_ARRIVED },
  },
  deposit_account_create: {
    method: 'POST',
    path: '/deposit-accounts',
    summary: 'Create details to pay into',
    description:
      'The account belongs to one internal account, or is a pooled account for a currency. The same id always returns the same details.',
    body: DepositAccountRequest,
    response: DepositAccount,
    creates: true,
  },
  account_check: {
    method: 'POST',
    path: '/account-checks',
    summary: 'Check the name of an account holder',
    description: 'Changes nothing. A connector without this check returns UNAVAILABLE.',
    body: AccountCheckRequest,
    response: AccountCheck,
  },
  balance_get: {
    method: 'GET',
    path: '/balance',
    summary: 'Read the balances of our accounts',
    description: 'Booked balances by currency.',
    response: Balances,
  },
  statement_get: {
    method: 'GET',
    path: '/statements/{date}',
    summary: 'Read the statement of a day',
    description: 'The same content as the event `statement` of that day and currency.',
    params: { date: 'YYYY-MM-DD, a day of the bank' },
    query: { currency: 'EUR' },
    response: ConnectorStatement,
    notFound: { code: 'STATEMENT_NOT_FOUND', means: 'the day has not been closed' },
  },
} as const satisfies Readonly<Record<string, ConnectorCall>>
