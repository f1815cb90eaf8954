import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, IdOfAny } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { OneOfWords, Page, pageQuery, Timestamp } from '../core/schema.ts'
import { DepositChoice } from '../payments/deposits.ts'

export const APPROVAL_KINDS = [
  'AGENT_ACTION',
  'INCOMING_PAYMENT',
  'SCREENING',
  'DEPOSIT',
  'RAIL_EVENT',
  'PAYOUT_BATCH',
  'PAYMENT_SCHEDULE',
  'OWN_ACCOUNT',
  'PLATFORM_WITHDRAWAL',
  'ACCOUNT_CHANGE',
  'TREASURY_MOVEMENT',
  'TREASURY_KEY',
  'FUNDS_HOLD',
] as const
export type ApprovalKind = (typeof APPROVAL_KINDS)[number]

/** Kinds of records that can wait for a decision. */
const APPROVAL_OBJECTS = [
  'AgentAction',
  'Transaction',
  'Screening',
  'Deposit',
  'RailEvent',
  'PayoutBatch',
  'PaymentSchedule',
  'OwnAccount',
  'PlatformWithdrawal',
  'AccountChange',
  'TreasuryMovement',
  'TreasuryKey',
  'FundsHold',
] as const

const kind = OneOfWords(
  APPROVAL_KINDS,
  'AGENT_ACTION, INCOMING_PAYMENT: approve or reject it. SCREENING: release or reject it. DEPOSIT: ' +
    'assign or return it. RAIL_EVENT: resolve it, or decide its payment. PAYOUT_BATCH: execute or cancel ' +
    'it. PAYMENT_SCHEDULE, PLATFORM_WITHDRAWAL, TREASURY_MOVEMENT, TREASURY_KEY: approve or cancel it. ' +
    'OWN_ACCOUNT: approve or remove it. ACCOUNT_CHANGE: apply or dismiss it. FUNDS_HOLD: lift it',
)

export const REQUESTER_TYPES = ['AGENT', 'SENDER', 'RAIL'] as const

/** The reason for a manual decision. */
export const ApprovalReason = Type.Object({
  rule: Type.String({
    description: "The policy's rule, the deposit's reason or the screening's list",
  }),
  words: Type.String({ description: 'The reason, as a sentence' }),
  remaining: Type.Optional(
    Type.Array(Type.Object({ limit: OneOfWords(['DAILY', 'MONTHLY']), amount: CurrencyAmount }), {
      description: "The agent's remaining limits after this action",
    }),
  ),
})

/** A member's vote for approval. */
export const ApprovalVote = Type.Object({
  memberId: Id('Member'),
  memberName: Type.String(),
  at: Timestamp(),
  choice: Type.Optional(DepositChoice),
})

/** A pending decision. */
export const Approval = Type.Object({
  objectId: Type.String({
    description:
      'The id of the agent action, transaction, screening, deposit, rail report, payout batch, payment ' +
      'schedule, own account or withdrawal of the operator, treasury movement or key, change of account ' +
      'details, or hold that a member wants to lift',
  }),
  kind,
  createdAt: Timestamp(),
  expiresAt: Type.Optional(Timestamp('The deadline for the decision')),
  customerId: Type.Optional(Id('Customer', 'The customer concerned')),
  customerName: Type.Optional(Type.String()),
  requestedBy: Type.Optional(
    Type.Object({
      type: OneOfWords(REQUESTER_TYPES),
      id: Type.Optional(Type.String({ description: "The agent's id" })),
      name: Type.Optional(Type.String()),
    }),
  ),
  payee: Type.Optional(
    Type.Object({
      name: Type.Optional(Type.String()),
      account: Type.Optional(
        Type.String({ description: 'Its type and last four characters, or its address' }),
      ),
    }),
  ),
  amount: Type.Optional(CurrencyAmount),
  transactionId: Type.Optional(
    Id('Transaction', 'The payment that a rail report is about. Deciding the payment resolves the report'),
  ),
  policy: Type.Optional(ApprovalReason),
  votes: Type.Array(ApprovalVote, {
    description:
      'The members who have approved so far. For a deposit, `votesRequired` members must vote for the same choice',
  }),
  votesRequired: Type.Integer({ minimum: 1 }),
})

export const approval_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/approvals',
  tag: 'Overview',
  summary: 'List pending decisions',
  description:
    'Lists everything that needs a manual decision, newest first unless `sortOrder` says otherwise: ' +
    'agent actions, incoming payments, screening hits, money in suspense, rail reports, payout batches ' +
    'and payment schedules that need another approval, changes of account details, and holds that a ' +
    'member wants to lift. Each shows the requester, the customer, the payee, the amount and the reason. ' +
    'Each kind has a separate call for the decision.',
  query: Type.Object({
    kind: Type.Optional(kind),
    customerId: Type.Optional(Id('Customer')),
    objectId: Type.Optional(IdOfAny(APPROVAL_OBJECTS, 'The record to decide')),
    sortOrder: Type.Optional(
      Type.Unsafe<'asc' | 'desc'>({ type: 'string', enum: ['asc', 'desc'], default: 'desc' }),
    ),
    ...pageQuery,
  }),
  responses: { 200: Page(Approval) },
  errors: ['INVALID_INPUT'],
})

export const approval_csv = fileOfList(approval_list, 'approvals')

export const approvals = { approval_list, approval_csv }
