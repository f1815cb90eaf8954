import type {
  ConnectorPaymentStatus,
  PaymentRequest,
  PullRequest,
} from '@countersign/contract/connectors/protocol'

/**
 * Settings that people and tests can change while the bank runs (`PATCH /bank/behaviour`). A restart resets
 * them.
 */
export interface Behaviour {
  /** The delay of protocol responses. */
  answerDelayMs: number
  /** From accepted to delivered or failed. */
  settleDelayMs: number
  /** From delivered to returned. */
  returnDelayMs: number
  /** The next n calls that create are accepted, and the connection is closed without a response. */
  dropAnswers: number
  /** The next n responses about an order name another one of the same kind, in another state if the bank has one. */
  mixAnswers: number
  /** The next n calls are not even read. */
  dropRequests: number
  /** Until this time (milliseconds since 1970) every call returns 503. */
  failUntilMs: number
  /** Each event is delivered n times. */
  repeatEvents: number
  /** Each event waits a random part of a second, so that they arrive in any order. */
  shuffleEvents: boolean
  /** Events wait until this is false again. */
  holdEvents: boolean
}

export const DEFAULT_BEHAVIOUR: Behaviour = {
  answerDelayMs: 0,
  settleDelayMs: 300,
  returnDelayMs: 1500,
  dropAnswers: 0,
  mixAnswers: 0,
  dropRequests: 0,
  failUntilMs: 0,
  repeatEvents: 1,
  shuffleEvents: false,
  holdEvents: false,
}

/** The states that an order passes through; the first one is the response. */
type Way = readonly [ConnectorPaymentStatus, ...ConnectorPaymentStatus[]]

/** The last three characters of the other account select the outcome; all other accounts are paid. */
const WAYS: Readonly<Record<string, Way>> = {
  '101': ['ACCEPTED', 'FAILED'],
  '102': ['DELIVERED'],
  '103': ['FAILED'],
  '104': ['ACCEPTED', 'DELIVERED', 'RETURNED'],
  '105': ['ACCEPTED'],
  '106': ['UNKNOWN', 'DELIVERED'],
  '107': ['DELIVERED'],
}
const USUAL: Way = ['ACCEPTED', 'DELIVERED']

/** The response waits until the event has been received, so that Countersign gets the event first. */
const EVENT_FIRST = '107'

const NAME_RESULTS = { '111': 'NO_MATCH', '112': 'CLOSE_MATCH', '113': 'UNAVAILABLE' } as const

export function wayOf(request: PaymentRequest | PullRequest): Way {
  return WAYS[suffixOf(otherAccountOf(request))] ?? USUAL
}

export function isEventFirst(request: PaymentRequest | PullRequest): boolean {
  return suffixOf(otherAccountOf(request)) === EVENT_FIRST
}

/** The result of a holder name check. */
export function nameResultOf(account: Readonly<Record<string, unknown>>) {
  const results: Readonly<Record<string, (typeof NAME_RESULTS)[keyof typeof NAME_RESULTS]>> = NAME_RESULTS
  return results[suffixOf(account)] ?? 'MATCH'
}

function otherAccountOf(request: PaymentRequest | PullRequest): Readonly<Record<string, unknown>> {
  const party = 'payer' in request ? request.payer : request.beneficiary
  return party?.account ?? {}
}

function suffixOf(account: Readonly<Record<string, unknown>>): string {
  return String(account.iban ?? account.accountNumber ?? '').slice(-3)
}
