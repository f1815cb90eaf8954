import type { quotes } from '@countersign/contract/payments/quotes'
import type { Op } from '../../kernel/operation/app.ts'
import { ApiError, type Handlers } from '../../kernel/operation/operation.ts'
import { listPage } from '../../kernel/operation/paging.ts'
import { findAgentAction } from '../../kernel/transactions/agent-action.ts'
import { findTransaction } from '../../kernel/transactions/transactions.ts'
import type { QuoteRow } from '../../storage/rows/tables.ts'
import { createQuote } from './create.ts'
import { checkExecution, checkIsPaidFromAccount, executeQuote, findExecutable } from './execute-quote.ts'
import { findPayload, findQuote, quoteView } from './quotes.ts'
import { selectQuotes } from './store.ts'

export const quoteHandlers: Handlers<typeof quotes> = {
  quote_create: async (op, { body }) => {
    const { quote, payloadToSign, writes } = await createQuote(op, body)
    return { status: 201, body: quoteView(op, quote, payloadToSign), writes }
  },

  quote_list: async (op, { query }) => ({
    status: 200,
    body: await listPage(op, query, {
      rows: selectQuotes(op, query),
      table: 'quotes',
      view: (rows) => Promise.all(rows.map((row) => toView(op, row))),
    }),
  }),

  quote_get: async (op, { params }) => ({
    status: 200,
    body: await toView(op, await findQuote(op, params.quoteId)),
  }),

  quote_execute: {
    async toSign(op, { params }, isSigned) {
      const quote = await findExecutable(op, params.quoteId)
      checkIsPaidFromAccount(quote)
      if (quote.signing_request_id === null) return null
      // If the call is signed, a used or expired signing request rejects it.
      if (!isSigned) await checkExecution(op, quote, await findTransaction(op, quote.transaction_id))
      return { requestId: quote.signing_request_id }
    },

    async handle(op, { params, approval }) {
      const quote = await findExecutable(op, params.quoteId)
      checkIsPaidFromAccount(quote)
      if (quote.signing_request_id !== (approval?.requestId ?? null))
        throw new ApiError('WALLET_SIGNATURE_BODY_MISMATCH', {
          reason: 'The signature is for another quote.',
        })
      const transaction = await findTransaction(op, quote.transaction_id)
      const action = await findAgentAction(op, transaction)
      if (action?.state === 'PENDING_APPROVAL')
        throw new ApiError('ACTION_NOT_DECIDED', {
          message:
            "An agent proposed this payment, and it is waiting for approval. Approve the agent's action instead.",
          details: { agentId: action.agent_id, actionId: action.id },
        })
      const execution = await checkExecution(op, quote, transaction)
      const executed = executeQuote(op, execution, quote, transaction)
      return { status: 200, body: await toView(op, executed.quote), writes: executed.writes }
    },
  },
}

async function toView(op: Op, quote: QuoteRow) {
  return quoteView(op, quote, await findPayload(op, quote))
}
