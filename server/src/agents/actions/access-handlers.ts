import type { agentAccess } from '@countersign/contract/agents/agent-access'
import { internalAccountHandlers } from '../../kernel/accounts/handlers.ts'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, createFieldError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { findAgentAction } from '../../kernel/transactions/agent-action.ts'
import { transactionHandlers } from '../../kernel/transactions/handlers.ts'
import {
  findTransaction,
  toTransactionView,
  toTransferOutResponse,
} from '../../kernel/transactions/transactions.ts'
import { externalAccountHandlers } from '../../money/external-accounts/handlers.ts'
import { exchangeRateHandlers } from '../../money/prices/exchange-rate-handlers.ts'
import { createQuote } from '../../money/quotes/create.ts'
import { checkExecution, checkIsPaidFromAccount, executeQuote } from '../../money/quotes/execute-quote.ts'
import { buildExecutionCall, findPayload, findQuote, quoteView } from '../../money/quotes/quotes.ts'
import { Velocity } from '../../money/rails/velocity.ts'
import { draftTransferOut } from '../../money/transfers/transfer-out.ts'
import {
  beginTransfer,
  draftTransferIn,
  recordTransfer,
  type TransferDraft,
} from '../../money/transfers/transfers.ts'
import { expectRow, type Write } from '../../storage/commit/writes.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { findActingAgent } from '../identity/agents.ts'
import { readPolicy } from '../policy/agent-policies.ts'
import { toAgentView } from '../policy/agent-view.ts'
import { authorizeRequest } from '../policy/evaluate.ts'
import { simulateAction } from '../policy/simulate.ts'
import { findPayment, findPullPermission, proposeAction, toActionView, toActionViews } from './actions.ts'
import { findAction } from './find-action.ts'
import { selectActions } from './store.ts'

/**
 * Endpoints that agents call. `canSee` limits them to the records of the agent's customer; this file makes
 * all other checks.
 */
export const agentAccessHandlers: Handlers<typeof agentAccess> = {
  agent_me_get: async (op) => ({
    status: 200,
    body: await toAgentView(op, await findActingAgent(op)),
  }),

  agent_me_internal_account_list: async (op, { query, ...input }) =>
    internalAccountHandlers.customer_internal_account_list(op, {
      ...input,
      query: { ...query, ...(await buildCustomerFilter(op)) },
    }),

  agent_me_external_account_list: async (op, { query, ...input }) =>
    externalAccountHandlers.customer_external_account_list(op, {
      ...input,
      query: { ...query, ...(await buildCustomerFilter(op)) },
    }),

  agent_me_external_account_create: async (op, { body, ...input }) => {
    const agent = await findActingAgent(op)
    const customerId = body.customerId ?? agent.customer_id
    const outcome = await externalAccountHandlers.customer_external_account_create(op, {
      ...input,
      body: { ...body, customerId },
    })
    return addWrites(
      outcome,
      await authorizeRequest(op, agent, { permission: 'MANAGE_EXTERNAL_ACCOUNTS', accountIds: [] }),
    )
  },

  agent_me_external_account_get: externalAccountHandlers.customer_external_account_get,

  agent_me_external_account_delete: async (op, input) => {
    const agent = await findActingAgent(op)
    const outcome = await externalAccountHandlers.customer_external_account_delete(op, input)
    const request = {
      permission: 'MANAGE_EXTERNAL_ACCOUNTS',
      accountIds: [input.params.externalAccountId],
    } as const
    return addWrites(outcome, await authorizeRequest(op, agent, request))
  },

  agent_me_exchange_rate_list: exchangeRateHandlers.exchange_rate_list,

  /**
   * Rejects `immediatelyExecute`, because the policy decides about the execution separately. A quote that is
   * funded in real time belongs to the agent's customer.
   */
  agent_me_quote_create: async (op, { body }) => {
    if (body.immediatelyExecute)
      throw createFieldError(
        'INVALID_INPUT',
        'immediatelyExecute',
        'Agents cannot set immediatelyExecute. Execute the quote with POST /agents/me/quotes/{quoteId}/execute.',
      )
    const agent = await findActingAgent(op)
    const source = { ...body.source, customerId: body.source.customerId ?? agent.customer_id }
    const { quote, payloadToSign, writes } = await createQuote(op, { ...body, source })
    const destination = quote.destination_uma === null ? quote.destination_account_id : null
    const accountIds = [...(quote.source_account_id ? [quote.source_account_id] : []), destination]
    return {
      status: 201,
      body: quoteView(op, quote, payloadToSign),
      writes: [
        ...(await authorizeRequest(op, agent, {
          permission: 'CREATE_QUOTES',
          ...findPullPermission(quote),
          accountIds,
        })),
        ...writes,
      ],
    }
  },

  agent_me_quote_get: async (op, { params }) => {
    const quote = await findOwnQuote(op, params.quoteId)
    return { status: 200, body: quoteView(op, quote, await findPayload(op, quote)) }
  },

  agent_me_quote_execute: {
    async findSignedCall(_, { params }) {
      return buildExecutionCall(params.quoteId)
    },

    /** Without a signature the action waits for approval, and the customer signs later. */
    async toSign(op, { params }, isSigned) {
      const { signing_request_id } = await findOwnQuote(op, params.quoteId)
      return isSigned && signing_request_id !== null ? { requestId: signing_request_id } : null
    },

    async handle(op, { params, approval }) {
      const agent = await findActingAgent(op)
      const quote = await findOwnQuote(op, params.quoteId)
      checkIsPaidFromAccount(quote)
      if (approval && approval.requestId !== quote.signing_request_id)
        throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', { reason: 'The signature is for another quote' })
      const transaction = await findTransaction(op, quote.transaction_id)
      const existingAction = await findAgentAction(op, transaction)
      if (existingAction)
        throw new ApiError('QUOTE_ALREADY_EXECUTED', {
          message: `This quote was already executed. Its action is ${existingAction.state}.`,
          details: { actionId: existingAction.id, status: existingAction.state },
        })
      const execution = await checkExecution(op, quote, transaction)
      const { view, writes } = await proposeAction(op, agent, {
        type: 'EXECUTE_QUOTE',
        transaction,
        quote,
        isSigned: approval !== undefined,
        begin: () => executeQuote(op, execution, quote, transaction),
        record: () => [expectRow('quotes', quote.id, { state: 'PENDING' })],
      })
      return { status: 200, body: view, writes }
    },
  },

  agent_me_transfer_in: async (op, { body }) =>
    proposeTransfer(op, 'TRANSFER_IN', await draftTransferIn(op, body)),

  agent_me_transfer_out: async (op, { body }) =>
    proposeTransfer(op, 'TRANSFER_OUT', await draftTransferOut(op, body)),

  agent_me_transaction_list: async (op, { query, ...input }) => {
    const agent = await findActingAgent(op)
    checkMayView(agent)
    return transactionHandlers.transaction_list(op, {
      ...input,
      query: { ...query, customerId: agent.customer_id },
    })
  },

  agent_me_transaction_get: async (op, { params }) => {
    const agent = await findActingAgent(op)
    const transaction = await findTransaction(op, params.transactionId)
    if (transaction.agent_id !== agent.id) checkMayView(agent)
    return { status: 200, body: toTransactionView(transaction, transaction) }
  },

  agent_me_action_list: async (op, { query }) => {
    const agentId = (await findActingAgent(op)).id
    return {
      status: 200,
      body: await listPage(
        op,
        { ...query, agentId },
        {
          rows: selectActions(op, { ...query, agentId }),
          table: 'agent_actions',
          view: (rows) => toActionViews(op, rows),
        },
      ),
    }
  },

  agent_me_action_get: async (op, { params }) => {
    const action = await findAction(op, params.actionId, (await findActingAgent(op)).id)
    return { status: 200, body: await toActionView(op, action, await findPayment(op, action)) }
  },

  agent_me_policy_simulate: async (op, { body }) => ({
    status: 200,
    body: await simulateAction(op, await findActingAgent(op), body),
  }),
}

async function proposeTransfer(op: Op, type: 'TRANSFER_IN' | 'TRANSFER_OUT', draft: TransferDraft) {
  const velocityWrites = type === 'TRANSFER_IN' ? [] : await new Velocity(op).admit(draft.transaction)
  const { view, writes } = await proposeAction(op, await findActingAgent(op), {
    type,
    transaction: draft.transaction,
    quote: undefined,
    isSigned: false,
    begin: () => ({ ...beginTransfer(op, draft, velocityWrites), quote: undefined }),
    record: () => recordTransfer(op, draft),
  })
  const { transaction } = draft
  const body = type === 'TRANSFER_OUT' ? { ...view, transaction: toTransferOutResponse(transaction) } : view
  return { status: 201, body, writes } as const
}

/** Restricts a list to the records of the agent's own customer. */
async function buildCustomerFilter(op: Op): Promise<{ readonly customerId: string }> {
  return { customerId: (await findActingAgent(op)).customer_id }
}

/**
 * Throws 404 `QUOTE_NOT_FOUND`, even if the quote exists but was created by someone else (specification 4.8).
 */
async function findOwnQuote(op: Op, id: string): Promise<QuoteRow> {
  const quote = await findQuote(op, id)
  const { agent_id } = await findTransaction(op, quote.transaction_id)
  if (op.actor.kind !== 'agent' || agent_id !== op.actor.agentId)
    throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/** Throws 403 `FORBIDDEN`. Reads are not recorded, and paused agents may still read. */
function checkMayView(agent: AgentRow): void {
  const permission = 'VIEW_TRANSACTIONS'
  if (!readPolicy(agent).permissions.includes(permission))
    throw new ApiError('FORBIDDEN', {
      message: `The agent's policy does not grant the permission ${permission}.`,
      details: { rule: 'permission', subject: permission },
    })
}

function addWrites<T extends { readonly writes?: readonly Write[] }>(
  outcome: T,
  writes: readonly Write[],
): T {
  return { ...outcome, writes: [...writes, ...(outcome.writes ?? [])] }
}
