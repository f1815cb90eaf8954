import { type Static, Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { Int64, OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { Plain } from '../core/sensitivity.ts'
import { DEPOSIT_STATES } from '../states/deposit-states.ts'

const TAG = 'Deposits'

/** Why a deposit is in suspense or is returned. */
export const DEPOSIT_REASONS = [
  'NO_MATCH',
  'SEVERAL_MATCHES',
  'OTHER_CURRENCY',
  'OTHER_RAIL',
  'ACCOUNT_NOT_ACTIVE',
  'CUSTOMER_DELETED',
  'CUSTOMER_NOT_APPROVED',
  'OUT_OF_RANGE',
  'QUOTE_ENDED',
  'REJECTED',
  'PAYMENT_FAILED',
  'REQUESTED',
  'RETURN_FAILED',
  'RETURN_UNAVAILABLE',
  'SCREENING_HIT',
  'BOOKED_MORE',
] as const
export type DepositReason = (typeof DEPOSIT_REASONS)[number]

/** Money received through a rail. */
export const Deposit = Type.Object({
  id: Id('Deposit'),
  status: OneOfWords(
    DEPOSIT_STATES,
    'SUSPENSE: it needs manual review. PENDING: it needs approval. CREDITED: the account has been ' +
      'credited. FUNDED: it has paid for a quote. RETURNING, RETURNED: it is being, or has been, returned ' +
      'to its sender. REVERSED: the bank has taken it back. SPLIT: its parts have its money. WRITTEN_OFF: ' +
      'the platform has kept it',
  ),
  reason: Type.Optional(OneOfWords(DEPOSIT_REASONS, 'The reason why it is in suspense or is returned')),
  rail: Plain(Text(40, { description: 'The rail by which it arrived' })),
  railReference: Plain(Text(255, { description: "The rail's id of the deposit" })),
  amount: CurrencyAmount,
  partOf: Type.Optional(Id('Deposit', 'The deposit from which it was split, or whose excess it is')),
  adjustedFrom: Type.Optional(CurrencyAmount),
  accountId: Type.Optional(Id('InternalAccount', 'The credited account')),
  transactionId: Type.Optional(Id('Transaction', 'The record of its credit, or the payment of the quote')),
  remittanceInformation: Type.Optional(Prose(1000, { description: "The payer's message" })),
  sender: Type.Optional(
    Type.Object({
      name: Type.Optional(Text(255)),
      accountIdentifier: Type.Optional(Text(255)),
      bankName: Type.Optional(Text(255)),
      bankIdentifier: Type.Optional(Text(255)),
    }),
  ),
  paymentRail: Type.Optional(Plain(Text(50, { description: 'The network by which it arrived' }))),
  references: Type.Optional(
    Type.Array(
      Type.Object({
        reference: Plain(Text(14)),
        where: Plain(Text(50, { description: "The place in the bank's record that contains it" })),
      }),
      { description: "The references of accounts and quotes in the payer's message" },
    ),
  ),
  endToEndId: Type.Optional(Text(255)),
  traceNumber: Type.Optional(Text(255)),
  note: Type.Optional(Prose(1000, { description: 'The latest note by a bank or a person' })),
  receivedAt: Timestamp('The time at which the bank received it'),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

export const DEPOSIT_DECISIONS = ['ASSIGN', 'RETURN', 'SPLIT', 'WRITE_OFF', 'ADJUST'] as const

/** The choice that a member votes for. Only votes for the same choice are counted together. */
export const DepositChoice = Type.Object({
  decision: OneOfWords(DEPOSIT_DECISIONS),
  accountId: Type.Optional(Id('InternalAccount', 'ASSIGN: the account that is credited')),
  amounts: Type.Optional(
    Type.Array(Int64({ minimum: 1 }), {
      description: 'SPLIT: the parts. ADJUST: the amount that the bank has booked. In the smallest unit',
    }),
  ),
})
export type DepositChoice = Static<typeof DepositChoice>

export const depositPath = Type.Object({ depositId: PathId })
const note = Type.Optional(Prose(500, { description: 'Stored with the record' }))

export const DepositAssignRequest = Type.Object({
  accountId: Id(
    'InternalAccount',
    "An account of a customer or of the platform itself, in the deposit's currency",
  ),
  note,
})

export const DepositReturnRequest = Type.Object({ note })

export const deposit_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/deposits',
  tag: TAG,
  summary: 'List deposits',
  description:
    'Lists deposits received through rails, newest first, with or without an account. `status=SUSPENSE` ' +
    'returns the deposits that need manual review.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(DEPOSIT_STATES)),
    rail: Type.Optional(Text(40)),
    accountId: Type.Optional(IdOfAny(['InternalAccount'])),
    currency: Type.Optional(CurrencyCode),
    amountMin: Type.Optional(
      Int64({ minimum: 0, description: 'In the smallest unit of currency, which is then required' }),
    ),
    amountMax: Type.Optional(Int64({ minimum: 0, description: 'Like amountMin' })),
    ...pageQuery,
  }),
  responses: { 200: Page(Deposit) },
  errors: ['INVALID_INPUT'],
})

export const deposit_csv = fileOfList(deposit_list, 'deposits')

export const deposit_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/deposits/{depositId}',
  tag: TAG,
  summary: 'Read a deposit',
  description:
    "Shows a deposit: the payer's message, the credited account, and the reason if it is in suspense.",
  params: depositPath,
  responses: { 200: Deposit },
  errors: ['DEPOSIT_NOT_FOUND'],
})

/**
 * Credits a deposit in suspense to an account. The call is itself the platform's decision, so no further
 * approval is needed.
 */
export const deposit_assign = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/deposits/{depositId}/assign',
  tag: TAG,
  summary: 'Assign a deposit to an account',
  description:
    "Credits a deposit in suspense to an account of its currency. This call is the platform's approval: " +
    'no webhook requests it again. If the platform has set approvalsRequired, only members can assign ' +
    'the deposit, and it does not change until enough of them have voted for this account.',
  idempotent: true,
  params: depositPath,
  body: DepositAssignRequest,
  responses: { 200: Deposit },
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'DEPOSIT_NOT_FOUND',
    'ACCOUNT_NOT_FOUND',
    'CUSTOMER_DELETED',
    'USER_NOT_READY',
    'SCREENING_NOT_DECIDED',
    'INVALID_STATE_TRANSITION',
  ],
})

/** Returns a deposit in suspense to its sender through the rail by which it arrived. */
export const deposit_return = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/deposits/{depositId}/return',
  tag: TAG,
  summary: 'Return a deposit to its sender',
  description:
    'Returns a deposit in suspense to its sender through the rail by which it arrived. It is RETURNING ' +
    "until the rail has reported the outcome. Returns 409 if the rail does not know the sender's " +
    'account, as with ACH. If the platform has set approvalsRequired, only members can return the ' +
    'deposit, and it does not change until enough of them have approved.',
  idempotent: true,
  params: depositPath,
  body: DepositReturnRequest,
  bodyOptional: true,
  responses: { 200: Deposit },
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'DEPOSIT_NOT_FOUND',
    'SCREENING_NOT_DECIDED',
    'DEPOSIT_NOT_RETURNABLE',
    'INVALID_STATE_TRANSITION',
  ],
})

export const deposits = { deposit_list, deposit_csv, deposit_get, deposit_assign, deposit_return }
