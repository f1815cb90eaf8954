import type {
  agent_me_action_get,
  agent_me_action_list,
  agent_me_exchange_rate_list,
  agent_me_external_account_create,
  agent_me_external_account_delete,
  agent_me_external_account_get,
  agent_me_external_account_list,
  agent_me_get,
  agent_me_internal_account_list,
  agent_me_policy_simulate,
  agent_me_quote_create,
  agent_me_quote_execute,
  agent_me_quote_get,
  agent_me_transaction_get,
  agent_me_transaction_list,
  agent_me_transfer_in,
  agent_me_transfer_out,
} from '@countersign/contract/agent-access'
import { customerInternalAccountList } from '../accounts/handlers.ts'
import type { Op } from '../app.ts'
import type { AgentRow } from '../db/schema/agent-tables.ts'
import type { QuoteRow } from '../db/schema/tables.ts'
import { expectRow, type Write } from '../db/writes.ts'
import { exchangeRateList } from '../exchange-rates/handlers.ts'
import {
  customerExternalAccountCreate,
  customerExternalAccountDelete,
  customerExternalAccountGet,
  customerExternalAccountList,
} from '../external-accounts/handlers.ts'
import { ApiError, fieldError, type Handler, type SignedHandler } from '../operation.ts'
import { page } from '../paging.ts'
import { createQuote } from '../quotes/create.ts'
import { checkExecution, checkIsPaidFromAccount } from '../quotes/execution.ts'
import { executeQuote, executionCall, findPayload, findQuote, quoteView } from '../quotes/quotes.ts'
import { transactionList } from '../transactions/handlers.ts'
import { findTransaction, transactionView, transferOutAnswer } from '../transactions/transactions.ts'
import {
  beginTransfer,
  draftTransferIn,
  draftTransferOut,
  recordTransfer,
  type TransferDraft,
} from '../transfers/transfers.ts'
import {
  actionView,
  actionViews,
  findAction,
  findActionOf,
  findPayment,
  propose,
  pulling,
} from './actions.ts'
import { actingAgent, agentView, policyOf } from './agents.ts'
import { allow } from './evaluate.ts'
import { simulate } from './simulate.ts'
import { selectActions } from './store.ts'

/** What an agent itself calls. It sees its own customer's records alone, by `maySee`; here is what else binds it. */

export const agentMeGet: Handler<typeof agent_me_get> = async (op) => ({
  status: 200,
  body: await agentView(op, await actingAgent(op)),
})

export const agentMePolicySimulate: Handler<typeof agent_me_policy_simulate> = async (op, { body }) => ({
  status: 200,
  body: await simulate(op, await actingAgent(op), body),
})

export const agentMeExchangeRateList: Handler<typeof agent_me_exchange_rate_list> = exchangeRateList

export const agentMeInternalAccountList: Handler<typeof agent_me_internal_account_list> = async (
  op,
  { query, ...input },
) => customerInternalAccountList(op, { ...input, query: { ...query, ...(await ownCustomer(op)) } })

export const agentMeExternalAccountList: Handler<typeof agent_me_external_account_list> = async (
  op,
  { query, ...input },
) => customerExternalAccountList(op, { ...input, query: { ...query, ...(await ownCustomer(op)) } })

export const agentMeExternalAccountGet: Handler<typeof agent_me_external_account_get> =
  customerExternalAccountGet

export const agentMeExternalAccountCreate: Handler<typeof agent_me_external_account_create> = async (
  op,
  { body, ...input },
) => {
  const agent = await actingAgent(op)
  const customerId = body.customerId ?? agent.customer_id
  const outcome = await customerExternalAccountCreate(op, { ...input, body: { ...body, customerId } })
  return withWrites(
    outcome,
    await allow(op, agent, { permission: 'MANAGE_EXTERNAL_ACCOUNTS', accountIds: [] }),
  )
}

export const agentMeExternalAccountDelete: Handler<typeof agent_me_external_account_delete> = async (
  op,
  input,
) => {
  const agent = await actingAgent(op)
  const outcome = await customerExternalAccountDelete(op, input)
  const ask = {
    permission: 'MANAGE_EXTERNAL_ACCOUNTS',
    accountIds: [input.params.externalAccountId],
  } as const
  return withWrites(outcome, await allow(op, agent, ask))
}

/** Executing is a decision of its own, so `immediatelyExecute` is refused. A payment to be paid in is the customer's. */
export const agentMeQuoteCreate: Handler<typeof agent_me_quote_create> = async (op, { body }) => {
  if (body.immediatelyExecute)
    throw fieldError(
      'INVALID_INPUT',
      'immediatelyExecute',
      'An agent executes a quote with POST /agents/me/quotes/{quoteId}/execute',
    )
  const agent = await actingAgent(op)
  const source = { ...body.source, customerId: body.source.customerId ?? agent.customer_id }
  const { quote, payloadToSign, writes } = await createQuote(op, { ...body, source })
  const destination = quote.destination_uma === null ? quote.destination_account_id : null
  const accountIds = [...(quote.source_account_id ? [quote.source_account_id] : []), destination]
  return {
    status: 201,
    body: quoteView(op, quote, payloadToSign),
    writes: [
      ...(await allow(op, agent, { permission: 'CREATE_QUOTES', ...pulling(quote), accountIds })),
      ...writes,
    ],
  }
}

export const agentMeQuoteGet: Handler<typeof agent_me_quote_get> = async (op, { params }) => {
  const quote = await findOwnQuote(op, params.quoteId)
  return { status: 200, body: quoteView(op, quote, await findPayload(op, quote)) }
}

export const agentMeQuoteExecute: SignedHandler<typeof agent_me_quote_execute> = {
  async signedAs(_, { params }) {
    return executionCall(params.quoteId)
  },

  /** Without a signature the customer is asked for it later: the action waits. */
  async authorize(op, { params }, isSigned) {
    const { signing_request_id } = await findOwnQuote(op, params.quoteId)
    return isSigned && signing_request_id !== null ? { requestId: signing_request_id } : null
  },

  async handle(op, { params, approval }) {
    const agent = await actingAgent(op)
    const quote = await findOwnQuote(op, params.quoteId)
    checkIsPaidFromAccount(quote)
    if (approval && approval.requestId !== quote.signing_request_id)
      throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', { reason: 'The signature is for another quote' })
    const transaction = await findTransaction(op, quote.transaction_id)
    const before = await findActionOf(op, transaction)
    if (before)
      throw new ApiError('CONFLICT', {
        message: `This quote was executed before: the action is ${before.state}.`,
        details: { actionId: before.id, status: before.state },
      })
    const account = await checkExecution(op, quote)
    const { view, writes } = await propose(op, agent, {
      type: 'EXECUTE_QUOTE',
      transaction,
      quote,
      isSigned: approval !== undefined,
      begin: () => executeQuote(op, account, quote, transaction),
      record: () => [expectRow('quotes', quote.id, { state: 'PENDING' })],
    })
    return { status: 200, body: view, writes }
  },
}

export const agentMeTransferIn: Handler<typeof agent_me_transfer_in> = async (op, { body }) =>
  transfer(op, 'TRANSFER_IN', await draftTransferIn(op, body))

export const agentMeTransferOut: Handler<typeof agent_me_transfer_out> = async (op, { body }) =>
  transfer(op, 'TRANSFER_OUT', await draftTransferOut(op, body))

async function transfer(op: Op, type: 'TRANSFER_IN' | 'TRANSFER_OUT', draft: TransferDraft) {
  const { view, writes } = await propose(op, await actingAgent(op), {
    type,
    transaction: draft.transaction,
    quote: undefined,
    isSigned: false,
    begin: () => ({ ...beginTransfer(op, draft), quote: undefined }),
    record: () => recordTransfer(op, draft),
  })
  const { transaction } = draft
  const body = type === 'TRANSFER_OUT' ? { ...view, transaction: transferOutAnswer(transaction) } : view
  return { status: 201, body, writes } as const
}

export const agentMeTransactionList: Handler<typeof agent_me_transaction_list> = async (
  op,
  { query, ...input },
) => {
  const agent = await actingAgent(op)
  checkMayView(agent)
  return transactionList(op, { ...input, query: { ...query, customerId: agent.customer_id } })
}

export const agentMeTransactionGet: Handler<typeof agent_me_transaction_get> = async (op, { params }) => {
  const agent = await actingAgent(op)
  const transaction = await findTransaction(op, params.transactionId)
  if (transaction.agent_id !== agent.id) checkMayView(agent)
  return { status: 200, body: transactionView(transaction, transaction) }
}

export const agentMeActionList: Handler<typeof agent_me_action_list> = async (op, { query }) => {
  const agentId = (await actingAgent(op)).id
  return {
    status: 200,
    body: await page(op, { ...query, agentId } as typeof query, {
      rows: selectActions(op, { ...query, agentId }),
      table: 'agent_actions',
      view: (rows) => actionViews(op, rows),
    }),
  }
}

export const agentMeActionGet: Handler<typeof agent_me_action_get> = async (op, { params }) => {
  const action = await findAction(op, params.actionId, (await actingAgent(op)).id)
  return { status: 200, body: await actionView(op, action, await findPayment(op, action)) }
}

/** A filter for lists that a platform can ask for everybody. */
async function ownCustomer(op: Op): Promise<{ readonly customerId: string }> {
  return { customerId: (await actingAgent(op)).customer_id }
}

/** Error: 404 `QUOTE_NOT_FOUND`, also where another one created the quote (specification 4.8). */
async function findOwnQuote(op: Op, id: string): Promise<QuoteRow> {
  const quote = await findQuote(op, id)
  const { agent_id } = await findTransaction(op, quote.transaction_id)
  if (op.actor.kind !== 'agent' || agent_id !== op.actor.agentId)
    throw new ApiError('QUOTE_NOT_FOUND', { details: { field: 'quoteId' } })
  return quote
}

/** Error: 403 `FORBIDDEN`. Reading is not recorded, and a paused agent may. */
function checkMayView(agent: AgentRow): void {
  const permission = 'VIEW_TRANSACTIONS'
  if (!policyOf(agent).permissions.includes(permission))
    throw new ApiError('FORBIDDEN', {
      message: `The policy of the agent does not have the permission ${permission}.`,
      details: { rule: 'permission', subject: permission },
    })
}

function withWrites<T extends { readonly writes?: readonly Write[] }>(
  outcome: T,
  writes: readonly Write[],
): T {
  return { ...outcome, writes: [...writes, ...(outcome.writes ?? [])] }
}
