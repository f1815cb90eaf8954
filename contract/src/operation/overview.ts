import { Type } from 'typebox'
import { Currency } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { EVM_NETWORKS } from '../core/evm.ts'
import { Int64, OneOfWords, Text, Timestamp } from '../core/schema.ts'
import { TRANSACTION_STATUSES, TRANSACTION_TYPES } from '../payments/transactions.ts'
import { DISABLED_REASONS } from '../states/delivery-states.ts'
import { WatchReading } from './watch-reading.ts'

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The total held in one currency, in the smallest unit. */
export const HeldBalance = Type.Object({
  currency: Currency,
  customers: Int64({ description: 'In the accounts of all customers' }),
  platform: Int64({ description: "In the platform's own accounts" }),
})

export const Waiting = Type.Object({
  approvals: count(
    'Agent actions, payments, payouts, schedules and changes of account details that wait for approval',
  ),
  verifications: count('Verifications that need manual review'),
  screenings: count('Payments to or from an address that is on a list'),
  deposits: count('Money in suspense, without deposits whose sender is on a list'),
  railEvents: count('Unattributed rail reports'),
  reconciliations: count('Days on which statement and ledger differ'),
})

const since = Type.Optional(Timestamp())

/** When the oldest pending record was created. Absent if nothing is pending. */
const WaitingSince = Type.Object({
  approvals: since,
  verifications: since,
  screenings: since,
  deposits: since,
  railEvents: since,
  reconciliations: since,
})

export const ChainHealth = Type.Object({
  rail: Text(40),
  followedBlock: Int64({
    minimum: 0,
    description: 'The block up to which the chain was followed and booked',
  }),
  followedTime: Timestamp('The time of that block'),
})

export const ProofHealth = Type.Object({
  unchainedTransfers: count(
    'The number of ended transfers that are not in the hash chain yet, normally from the last seconds',
  ),
  lastCheckpointAt: Type.Optional(Timestamp()),
})

export const WebhookHealth = Type.Object({
  endpoint: Type.Optional(Type.String({ description: 'The webhookEndpoint of the configuration' })),
  pending: count(
    'Events that wait for delivery or are being retried. At most 10,000 without an attempt are counted',
  ),
  failed: count('Events of the last 7 days that failed permanently'),
  lastDeliveredAt: Type.Optional(Timestamp()),
  disabledReason: Type.Optional(
    OneOfWords(
      DISABLED_REASONS,
      'The reason why the server stopped sending; set the endpoint again with PATCH /config',
    ),
  ),
})

export const RailHealth = Type.Object({
  name: Text(40),
  kind: Text(40, { description: 'The kind in the rails file; sandbox for the simulator' }),
  isAvailable: Type.Boolean({ description: 'True if the rail accepts payments now' }),
  detail: Type.Optional(Type.String({ description: 'The reason if it is not available' })),
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description: 'Accounts of a chain that are below their low-water mark, as sentences',
    }),
  ),
  network: Type.Optional(OneOfWords(EVM_NETWORKS, 'The network, if the rail is a chain')),
  treasury: Type.Optional(
    Text(42, { description: "The current address of the platform's treasury on the chain" }),
  ),
})

export const Overview = Type.Object({
  balances: Type.Array(HeldBalance),
  waiting: Waiting,
  waitingSince: WaitingSince,
  webhooks: WebhookHealth,
  rails: Type.Array(RailHealth),
  chains: Type.Array(ChainHealth),
  proofs: ProofHealth,
  watches: Type.Array(WatchReading, { description: 'Every watched value, with its limit' }),
})

export const overview_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/overview',
  tag: 'Overview',
  summary: 'Read the overview',
  description:
    'Shows the balances in each currency, the pending work and its age, the health of webhooks, the ' +
    "rails that accept payments now, the progress of chains and of the ledger's hash chain, and all " +
    'watched values. Everything is counted at the time of the call. Workers and chain accounts are those ' +
    'of the responding server.',
  responses: { 200: Overview },
  errors: [],
})

export const STATISTICS_INTERVALS = ['HOUR', 'DAY'] as const

/** Maximum number of intervals in a response. */
export const STATISTICS_INTERVALS_MAX = 184

/** The number of payments in an interval that have the same attributes. */
export const TransactionStatistic = Type.Object({
  start: Timestamp('The beginning of the interval'),
  type: OneOfWords(TRANSACTION_TYPES),
  status: OneOfWords(TRANSACTION_STATUSES, 'The current status'),
  count: Type.Integer({ minimum: 1 }),
  amount: Int64({
    description: 'The amount sent for outgoing payments, or received for incoming ones',
  }),
  currency: Currency,
})

export const transaction_statistics = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/transaction-statistics',
  tag: 'Overview',
  summary: 'Count payments by time',
  description:
    'Counts the payments that were created in each hour or day and sums their amounts, by currency, type ' +
    `and status. Intervals without payments are omitted. At most ${STATISTICS_INTERVALS_MAX} intervals.`,
  query: Type.Object({
    interval: OneOfWords(STATISTICS_INTERVALS),
    startDate: Timestamp('Created at or after'),
    endDate: Type.Optional(Timestamp('Created before. Default: now')),
    timeZone: Type.Optional(
      Text(64, {
        description: 'The time zone in which days begin, by its IANA name: Europe/Berlin. Default: UTC',
      }),
    ),
  }),
  responses: { 200: Type.Object({ data: Type.Array(TransactionStatistic) }) },
  errors: ['INVALID_INPUT'],
})

export const overview = { overview_get, transaction_statistics }
