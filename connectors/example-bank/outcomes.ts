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
  /** The time from accepted to delivered or failed. */
  settleDelayMs: number
  /** The time from delivered to returned. */
  returnDelayMs: number
  /** The next n calls that create an object are accepted, but their connections are closed without a response. */
  dropAnswers: number
  /** The next n responses about an order describe another order of the same kind, in another status if possible. */
  mixAnswers: number
  /** The next n connections are closed before the request is read. */
  dropRequests: number
  /** Until this time (milliseconds since 1970) every call returns 503. */
  failUntilMs: number
  /** Each event is delivered n times. */
  repeatEvents: number
  /** Each event is delayed by a random part of a second, so that events arrive in any order. */
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

/** The statuses that an order passes through. The first one is in the response. */
type StatusPath = readonly [ConnectorPaymentStatus, ...ConnectorPaymentStatus[]]

/** The last three characters of the other account select the outcome; all other accounts are paid. */
const STATUS_PATHS: Readonly<Record<string, StatusPath>> = {
  '101': ['ACCEPTED', 'FAILED'],
  '102': ['DELIVERED'],
  '103': ['FAILED'],
  '104': ['ACCEPTED', 'DELIVERED', 'RETURNED'],
  '105': ['ACCEPTED'],
  '106': ['UNKNOWN', 'DELIVERED'],
  '107': ['DELIVERED'],
}
const DEFAULT_PATH: StatusPath = ['ACCEPTED', 'DELIVERED']

/** Accounts with this suffix delay the response until Countersign has received the event. */
const EVENT_FIRST = '107'

const NAME_RESULTS = { '111': 'NO_MATCH', '112': 'CLOSE_MATCH', '113': 'UNAVAILABLE' } as const

export function findStatusPath(request: PaymentRequest | PullRequest): StatusPath {
  return STATUS_PATHS[getSuffix(getOtherAccount(request))] ?? DEFAULT_PATH
}

export function isEventFirst(request: PaymentRequest | PullRequest): boolean {
  return getSuffix(getOtherAccount(request)) === EVENT_FIRST
}

/** The result of a holder name check. */
export function findNameResult(account: Readonly<Record<string, unknown>>) {
  const results: Readonly<Record<string, (typeof NAME_RESULTS)[keyof typeof NAME_RESULTS]>> = NAME_RESULTS
  return results[getSuffix(account)] ?? 'MATCH'
}

function getOtherAccount(request: PaymentRequest | PullRequest): Readonly<Record<string, unknown>> {
  const party = 'payer' in request ? request.payer : request.beneficiary
  return party?.account ?? {}
}

function getSuffix(account: Readonly<Record<string, unknown>>): string {
  return String(account.iban ?? account.accountNumber ?? '').slice(-3)
}
