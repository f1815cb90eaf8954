import { Type } from 'typebox'
import { CurrencyCode } from '../core/formats.ts'
import { Id, IdOfAny } from '../core/ids.ts'
import { Int64, OneOfWords, Prose, Text, Timestamp } from '../core/schema.ts'
import { Quote } from '../payments/quotes.ts'
import { Transaction } from '../payments/transactions.ts'
import { AGENT_ACTION_STATES } from '../states/agent-states.ts'

export const AGENT_ACTION_TYPES = ['EXECUTE_QUOTE', 'TRANSFER_OUT', 'TRANSFER_IN'] as const
export type AgentActionType = (typeof AGENT_ACTION_TYPES)[number]

/** The time in which the platform can decide on a transfer. A quote can be decided on until it expires. */
export const AGENT_APPROVAL_SECONDS = 24 * 3600

export const AgentActionStatus = OneOfWords(AGENT_ACTION_STATES)

export const AgentTransferDetails = Type.Object({
  amount: Int64({ exclusiveMinimum: 0, description: 'In the smallest unit of currency' }),
  currency: CurrencyCode,
  sourceAccountId: IdOfAny(['InternalAccount', 'ExternalAccount']),
  destinationAccountId: IdOfAny(['InternalAccount', 'ExternalAccount']),
})

/** A money movement requested by an agent, and its outcome. */
export const AgentAction = Type.Object({
  id: Id('AgentAction'),
  agentId: Id('Agent'),
  customerId: Id('Customer'),
  platformCustomerId: Text(255),
  status: OneOfWords(
    AGENT_ACTION_STATES,
    'APPROVED: the action was executed. The transaction shows the outcome of the payment',
  ),
  type: OneOfWords(AGENT_ACTION_TYPES),
  quote: Type.Optional(Quote),
  transferDetails: Type.Optional(AgentTransferDetails),
  transaction: Type.Optional(Transaction),
  rejectionReason: Type.Optional(
    Prose(500, { description: 'The reason why the action was rejected or failed' }),
  ),
  createdAt: Timestamp(),
  updatedAt: Timestamp(),
})
