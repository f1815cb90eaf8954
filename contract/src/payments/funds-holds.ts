import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { fileOfList } from '../core/list-file.ts'
import { NamedPage, namesQuery } from '../core/record-names.ts'
import { OneOfWords, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { FUNDS_HOLD_STATES } from '../states/funds-hold-states.ts'
import { FundsHoldRule } from './risk-config.ts'

const TAG = 'Funds holds'

/** Money pulled from an external account that cannot be spent yet. */
export const FundsHold = Type.Object({
  id: Id('FundsHold'),
  status: OneOfWords(
    FUNDS_HOLD_STATES,
    'HELD: the account cannot spend the money. RELEASED: its banking days have passed. LIFTED: it was ' +
      'ended early. RETURNED: the paying bank took the money back',
  ),
  accountId: Id('InternalAccount', 'The account that holds the money'),
  customerId: Type.Optional(Id('Customer', 'The owner of the account, unless it is the platform')),
  transactionId: Id('Transaction', 'The transfer that pulled the money'),
  amount: CurrencyAmount,
  rule: FundsHoldRule,
  reason: Text(500, { description: 'The rule as a sentence' }),
  releaseAt: Timestamp('The time at which it is released, unless it ends earlier'),
  note: Type.Optional(Prose(500, { description: 'The reason for lifting it' })),
  endedAt: Type.Optional(Timestamp('The time at which it was released, lifted or returned')),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const holdPath = Type.Object({ fundsHoldId: PathId })

export const FundsHoldLiftRequest = Type.Object({
  reason: Prose(500, { description: 'Stored as the note of the hold' }),
})

export const funds_hold_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/funds-holds',
  tag: TAG,
  summary: 'List holds',
  description:
    'Lists holds of pulled money, newest first. `status=HELD` returns the money that cannot be spent now.',
  query: Type.Object({
    accountId: Type.Optional(Id('InternalAccount')),
    customerId: Type.Optional(Id('Customer')),
    transactionId: Type.Optional(Id('Transaction')),
    status: Type.Optional(OneOfWords(FUNDS_HOLD_STATES)),
    ...namesQuery,
    ...pageQuery,
  }),
  responses: { 200: NamedPage(FundsHold) },
  errors: ['INVALID_INPUT'],
})

export const funds_hold_csv = fileOfList(funds_hold_list, 'holds')

export const funds_hold_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/funds-holds/{fundsHoldId}',
  tag: TAG,
  summary: 'Read a hold',
  description: 'Shows one hold of pulled money, with its rule and the time of its release.',
  params: holdPath,
  responses: { 200: FundsHold },
  errors: ['FUNDS_HOLD_NOT_FOUND'],
})

/** Ends a hold early. */
export const funds_hold_lift = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/funds-holds/{fundsHoldId}/lift',
  tag: TAG,
  summary: 'Lift a hold',
  description:
    'Ends a hold early: the account can spend the money immediately. If the bank takes it back later, ' +
    'the part that the account no longer has is owed to the platform. If approvalsRequired is above 1, ' +
    'only members can lift the hold, and it stays HELD until enough of them have approved.',
  idempotent: true,
  params: holdPath,
  body: FundsHoldLiftRequest,
  responses: { 200: FundsHold },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'FUNDS_HOLD_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const fundsHolds = { funds_hold_list, funds_hold_csv, funds_hold_get, funds_hold_lift }
