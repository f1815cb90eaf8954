import { Type } from 'typebox'
import { AuditActor } from '../core/actors.ts'
import { CurrencyAmount } from '../core/currencies.ts'
import { endpoint } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { Id, PathId } from '../core/ids.ts'
import { Int64, OneOfWords, Page, Prose, pageQuery, Timestamp } from '../core/schema.ts'
import { Transaction } from '../payments/transactions.ts'

const TAG = 'Transactions'

/** The ends of a payment. */
export const SETTLED_OUTCOMES = ['DELIVERED', 'FAILED', 'RETURNED'] as const
export type SettledOutcome = (typeof SETTLED_OUTCOMES)[number]

export const PAYMENT_OUTCOMES = [...SETTLED_OUTCOMES, 'REVERSAL'] as const
export type PaymentOutcome = (typeof PAYMENT_OUTCOMES)[number]

export const REVERSAL_STATES = ['WAITING', 'SENT', 'FAILED'] as const

export const PAYMENT_DECISION_STATES = ['PROPOSED', 'DECIDED'] as const

const outcome = OneOfWords(
  PAYMENT_OUTCOMES,
  'DELIVERED: the payee has the money. FAILED: it never left. RETURNED: it left and was returned. After ' +
    'FAILED or RETURNED, the payer has the money again. REVERSAL: it was sent in error by ACH, and the ' +
    "payee's bank is asked to return it. No money moves",
)

/** A payment normally has one line when it leaves and one when it is returned, but a bank may split them. */
const STATEMENT_LINES_MAX = 5

const evidenceFields = {
  note: Type.Optional(Prose(1000, { description: 'For example, who at the bank said what and when' })),
  statementEntryIds: Type.Optional(
    Type.Array(Id('StatementEntry'), {
      minItems: 1,
      maxItems: STATEMENT_LINES_MAX,
      description:
        'Statement lines of the rail that book exactly the decided amount. Unexplained lines become ' +
        'lines of this payment',
    }),
  ),
  documentId: Type.Optional(
    Id(
      'Document',
      'An uploaded document of the paying customer. It cannot be replaced or deleted afterwards',
    ),
  ),
}

const evidence = Type.Object(evidenceFields, { description: 'At least one field is required' })

export const PaymentReversal = Type.Object(
  {
    status: OneOfWords(
      REVERSAL_STATES,
      'WAITING: for the next file. SENT: in a file. FAILED: not sent, or rejected or returned by the bank. The payment is unchanged and can be reversed again',
    ),
    failure: Type.Optional(
      Type.String({ description: 'The reason for the failure, such as the return code of the other bank' }),
    ),
  },
  { description: 'The progress of a decided REVERSAL' },
)

/** A manual decision on a payment. Never modified or deleted. */
export const PaymentDecision = Type.Object({
  id: Id('PaymentDecision'),
  status: OneOfWords(
    PAYMENT_DECISION_STATES,
    "PROPOSED: a member's vote. The decision takes effect once approvalsRequired members have voted for the same outcome",
  ),
  transactionId: Id('Transaction'),
  outcome,
  amount: CurrencyAmount,
  charge: Type.Optional(CurrencyAmount),
  reason: Prose(500),
  evidence,
  railEventId: Type.Optional(Id('RailEvent', 'The report that the decision resolved')),
  reversal: Type.Optional(PaymentReversal),
  decidedBy: AuditActor,
  createdAt: Timestamp(),
})

export const PaymentDecisionRequest = Type.Object({
  outcome,
  reason: Prose(500, { description: 'Stored with the decision' }),
  evidence,
  charge: Type.Optional(
    Type.Object(
      {
        amount: Int64({ minimum: 1, description: 'In the smallest unit. At most the amount of the payment' }),
        currency: CurrencyCode,
      },
      {
        description:
          "The charges of intermediary banks, in the payment's currency. The platform bears them: they " +
          'are booked to the account `costs`',
      },
    ),
  ),
  railEventId: Type.Optional(
    Id(
      'RailEvent',
      'The open rail report about this payment that the decision resolves. Required if the payment has ended',
    ),
  ),
})

export const PaymentDecided = Type.Object({
  transaction: Transaction,
  decision: Type.Optional(PaymentDecision),
})

const transactionPath = Type.Object({ transactionId: PathId })

/**
 * Decides the outcome of a payment if its rail has reported none, or a wrong one; or requests the payment
 * back.
 */
export const transaction_decide = endpoint({
  auth: 'platform',
  permission: 'APPROVE',
  movesHeldMoney: true,
  method: 'POST',
  path: '/transactions/{transactionId}/decide',
  tag: TAG,
  summary: 'Set the outcome of a payment',
  description:
    'Sets the outcome of an outgoing payment that its rail has not completed: the money moves as if the ' +
    'rail had reported it, and the rail is not polled any more. A payment has one decision. If the rail ' +
    'contradicts it later, the report is listed in `GET /rail-events`, and another decision that names ' +
    'the report resolves it. A payment from an embedded wallet can be decided DELIVERED only with ' +
    'statement lines. If the platform has set approvalsRequired, only members can decide, and until ' +
    'enough of them agree on outcome, charge, lines and report, each call is stored as a proposal. A ' +
    'repeated proposal by the same member is not stored, and `decision` is absent. REVERSAL does not set ' +
    "the outcome: it asks the payee's bank to return a payment that an ACH file has carried, within five " +
    'banking days of its settlement. No money moves: a statement line that names the reversal is listed ' +
    'in `GET /rail-events`, and RETURNED with that line credits the payer. A decision on the outcome ' +
    'withdraws a reversal that waits for a file. Another REVERSAL is possible if the previous one has ' +
    'failed. It has no charge, lines or report.',
  idempotent: true,
  params: transactionPath,
  body: PaymentDecisionRequest,
  responses: { 200: PaymentDecided },
  errors: [
    'INVALID_INPUT',
    'FORBIDDEN',
    'INVALID_CURRENCY',
    'AMOUNT_OUT_OF_RANGE',
    'TRANSACTION_NOT_FOUND',
    'DOCUMENT_NOT_FOUND',
    'RAIL_EVENT_NOT_FOUND',
    'SCREENING_NOT_DECIDED',
    'PAYMENT_NOT_DECIDABLE',
    'INVALID_STATE_TRANSITION',
  ],
})

export const transaction_decision_list = endpoint({
  auth: 'platform',
  permission: 'VIEW',
  method: 'GET',
  path: '/transactions/{transactionId}/decisions',
  tag: TAG,
  summary: 'List the decisions on a payment',
  description:
    'Lists the decisions on a payment with their authors, times, reasons and evidence, newest first.',
  params: transactionPath,
  query: Type.Object(pageQuery),
  responses: { 200: Page(PaymentDecision) },
  errors: ['INVALID_INPUT', 'TRANSACTION_NOT_FOUND'],
})

export const paymentDecisions = { transaction_decide, transaction_decision_list }
