import { Type } from 'typebox'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { Id, PathId } from '../core/ids.ts'
import { OneOfWords, Page, Prose, pageQuery, Text, Timestamp } from '../core/schema.ts'
import { SCREENING_STATES } from '../states/screening-states.ts'

const TAG = 'Screenings'

export const SCREENING_DIRECTIONS = ['PAY', 'CREDIT'] as const
export type ScreeningDirection = (typeof SCREENING_DIRECTIONS)[number]

const direction = OneOfWords(
  SCREENING_DIRECTIONS,
  'PAY: before a payment to the address. CREDIT: before a deposit from it is credited',
)

/** The screening of a chain address for a payment or deposit. */
export const Screening = Type.Object({
  id: Id('Screening'),
  status: OneOfWords(
    SCREENING_STATES,
    'CLEAR: on no list. WAITING: on a list; it needs manual review. RELEASED, REJECTED: decided in manual review',
  ),
  direction,
  network: Text(40, {
    description: 'ETHEREUM, BASE, POLYGON, …; EVM if a deposit names an address of that form and no chain',
  }),
  address: Text(4096),
  amount: CurrencyAmount,
  transactionId: Type.Optional(Id('Transaction', 'The payment to the address')),
  depositId: Type.Optional(Id('Deposit', 'The deposit from the address')),
  list: Type.Optional(Text(100, { description: 'The list that it is on' })),
  detail: Type.Optional(Text(500, { description: "The list's comment on the address" })),
  note: Type.Optional(Prose(500, { description: 'The note of the reviewer' })),
  decidedAt: Type.Optional(Timestamp('The time of the manual decision')),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})

const screeningPath = Type.Object({ screeningId: PathId })

export const ScreeningDecisionRequest = Type.Object({
  note: Type.Optional(Prose(500, { description: 'Stored with the record' })),
})

export const screening_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/screenings',
  tag: TAG,
  summary: 'List screenings',
  description:
    'Lists screened addresses, newest first. `status=WAITING` returns the addresses that need manual ' +
    'review.',
  query: Type.Object({
    status: Type.Optional(OneOfWords(SCREENING_STATES)),
    direction: Type.Optional(direction),
    ...pageQuery,
  }),
  responses: { 200: Page(Screening) },
  errors: ['INVALID_INPUT'],
})

export const screening_get = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/screenings/{screeningId}',
  tag: TAG,
  summary: 'Read a screening',
  description: 'Shows one screened address, the result, and the held payment or deposit.',
  params: screeningPath,
  responses: { 200: Screening },
  errors: ['SCREENING_NOT_FOUND'],
})

/** Resumes a payment, or processes a deposit as if its sender were not on a list. */
export const screening_release = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/screenings/{screeningId}/release',
  tag: TAG,
  summary: 'Release a held payment or deposit',
  description:
    'Dismisses a hit. The payment goes to its rail, or the deposit is credited, as if the address were ' +
    'on no list. If the platform has set approvalsRequired, only members can release it, and nothing ' +
    'changes until enough of them have.',
  idempotent: true,
  params: screeningPath,
  body: ScreeningDecisionRequest,
  bodyOptional: true,
  responses: { 200: Screening },
  errors: ['INVALID_INPUT', 'FORBIDDEN', 'SCREENING_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

/** Fails a payment, whose money is refunded, or leaves a deposit in suspense. */
export const screening_reject = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  method: 'POST',
  path: '/screenings/{screeningId}/reject',
  tag: TAG,
  summary: 'Reject a held payment or deposit',
  description:
    'Confirms a hit. The payment fails, and its money is refunded. A deposit stays in suspense: ' +
    'you may have to freeze it, and only you know whether it may be returned (`POST ' +
    '/deposits/{depositId}/return`).',
  idempotent: true,
  params: screeningPath,
  body: ScreeningDecisionRequest,
  bodyOptional: true,
  responses: { 200: Screening },
  errors: ['INVALID_INPUT', 'SCREENING_NOT_FOUND', 'INVALID_STATE_TRANSITION'],
})

export const screenings = { screening_list, screening_get, screening_release, screening_reject }
