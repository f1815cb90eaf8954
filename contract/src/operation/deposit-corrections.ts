import { Type } from 'typebox'
import { endpoint } from '../core/endpoint.ts'
import { Int64, Prose } from '../core/schema.ts'
import { Deposit, depositPath } from '../payments/deposits.ts'

const TAG = 'Deposits'

/** Maximum number of parts per call. */
export const DEPOSIT_PARTS_MAX = 20

const VOTES =
  'If the platform has set approvalsRequired, only members can do this, and the deposit does not change ' +
  'until enough of them have voted for the same choice.'

const reason = Prose(500, { description: 'Stored as the note of the deposit' })

const SHARED_ERRORS = [
  'INVALID_INPUT',
  'FORBIDDEN',
  'DEPOSIT_NOT_FOUND',
  'DEPOSIT_NOT_CORRECTABLE',
  'SCREENING_NOT_DECIDED',
  'INVALID_STATE_TRANSITION',
] as const

export const DepositSplitRequest = Type.Object({
  amounts: Type.Array(Int64({ minimum: 1 }), {
    minItems: 1,
    maxItems: DEPOSIT_PARTS_MAX,
    description: 'In the smallest unit: at least two, which sum to the amount of the deposit',
  }),
  reason,
})

export const DepositParts = Type.Object({
  deposit: Deposit,
  parts: Type.Array(Deposit, {
    description: 'In the order of the amounts. Empty until enough members have voted',
  }),
})

export const DepositWriteOffRequest = Type.Object({ reason })

export const DepositAdjustRequest = Type.Object({
  amount: Int64({
    minimum: 1,
    description:
      'The amount booked by the bank, in the smallest unit. A statement must book the deposit with this amount',
  }),
  reason,
})

/** Splits a deposit in suspense into separate deposits. */
export const deposit_split = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/deposits/{depositId}/split',
  tag: TAG,
  summary: 'Split a deposit',
  description:
    'Splits a deposit in suspense into parts. Each part is a deposit in suspense that you can assign, ' +
    'return, split or write off. If the bank takes the deposit back later, all parts are reversed. ' +
    `${VOTES}`,
  idempotent: true,
  params: depositPath,
  body: DepositSplitRequest,
  responses: { 200: DepositParts },
  errors: SHARED_ERRORS,
})

/** Books a deposit in suspense to the platform's costs. */
export const deposit_write_off = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/deposits/{depositId}/write-off',
  tag: TAG,
  summary: 'Write off a deposit',
  description:
    "Books a deposit in suspense to the platform's account `costs`, which lowers the costs. For amounts " +
    `that have no owner and cannot be returned. ${VOTES}`,
  idempotent: true,
  params: depositPath,
  body: DepositWriteOffRequest,
  responses: { 200: Deposit },
  errors: SHARED_ERRORS,
})

/** Adjusts the ledger to the amount that the bank has booked for a deposit. */
export const deposit_adjust = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/deposits/{depositId}/adjust',
  tag: TAG,
  summary: 'Adjust a deposit to the amount booked by its bank',
  description:
    "Books the difference between a deposit and the line of a statement that books it. No customer's " +
    'balance changes. A deposit in suspense gets the amount of the line. For any other deposit, the ' +
    'excess becomes a deposit in suspense, and a shortfall is a cost of the platform. A deposit is ' +
    `adjusted once. ${VOTES}`,
  params: depositPath,
  body: DepositAdjustRequest,
  responses: { 200: DepositParts },
  errors: ['AMOUNT_OUT_OF_RANGE', ...SHARED_ERRORS],
})

export const depositCorrections = { deposit_split, deposit_write_off, deposit_adjust }
