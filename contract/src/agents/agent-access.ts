import { Type } from 'typebox'
import {
  customer_external_account_create,
  customer_external_account_delete,
  customer_external_account_get,
  ExternalAccountCreateRequest,
} from '../accounts/external-accounts.ts'
import { customer_internal_account_list } from '../accounts/internal-accounts.ts'
import { endpoint, KIB } from '../core/endpoint.ts'
import { CurrencyCode } from '../core/formats.ts'
import { PathId } from '../core/ids.ts'
import { Page, pageQuery } from '../core/schema.ts'
import { WALLET_SIGNATURE_HEADER } from '../core/wire-word.ts'
import { exchange_rate_list } from '../payments/exchange-rates.ts'
import { Quote, quote_create, quote_execute, quote_get } from '../payments/quotes.ts'
import { transaction_get, transaction_list } from '../payments/transactions.ts'
import { transfer_in, transfer_out } from '../payments/transfers.ts'
import { AgentAction, AgentActionStatus } from './agent-actions.ts'
import { Agent, agent_policy_simulate } from './agents.ts'

/**
 * The endpoints that an agent calls with its own credential (specification 4.8, 4.9, 5.2). It sees its customer's data
 * alone.
 */
const tag = 'Agent access'

/** The errors that the policy can give to any action. */
const DENIED = ['FORBIDDEN', 'VELOCITY_LIMIT_EXCEEDED'] as const

export const agent_me_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me',
  tag,
  summary: 'Read your own agent',
  description: 'The policy and the usage show what is still allowed.',
  responses: { 200: Agent },
  errors: [],
})

export const agent_me_internal_account_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/internal-accounts',
  tag,
  summary: "List the customer's accounts",
  query: Type.Omit(customer_internal_account_list.query, ['customerId']),
  responses: customer_internal_account_list.responses,
  errors: ['INVALID_INPUT'],
})

export const agent_me_external_account_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/external-accounts',
  tag,
  summary: "List the customer's external accounts",
  query: Type.Object({ currency: Type.Optional(CurrencyCode), ...pageQuery }),
  responses: { 200: Page(customer_external_account_get.responses[200]) },
  errors: ['INVALID_INPUT'],
})

export const agent_me_external_account_create = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/external-accounts',
  tag,
  summary: 'Add an external account',
  description:
    'Needs MANAGE_EXTERNAL_ACCOUNTS in the policy. A customerId must be that of your own customer.',
  idempotent: true,
  body: ExternalAccountCreateRequest,
  bodyBytesMax: 16 * KIB,
  responses: customer_external_account_create.responses,
  errors: [...customer_external_account_create.errors, 'FORBIDDEN'],
})

export const agent_me_external_account_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/external-accounts/{externalAccountId}',
  tag,
  summary: 'Read an external account',
  params: customer_external_account_get.params,
  responses: customer_external_account_get.responses,
  errors: customer_external_account_get.errors,
})

export const agent_me_external_account_delete = endpoint({
  auth: 'agent',
  method: 'DELETE',
  path: '/agents/me/external-accounts/{externalAccountId}',
  tag,
  summary: 'Remove an external account',
  description: 'Needs MANAGE_EXTERNAL_ACCOUNTS in the policy.',
  params: customer_external_account_delete.params,
  responses: customer_external_account_delete.responses,
  errors: [...customer_external_account_delete.errors, 'FORBIDDEN'],
})

export const agent_me_exchange_rate_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/exchange-rates',
  tag,
  summary: 'List exchange rates',
  query: exchange_rate_list.query,
  responses: exchange_rate_list.responses,
  errors: exchange_rate_list.errors,
})

export const agent_me_quote_create = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/quotes',
  tag,
  summary: 'Create a quote',
  description:
    'Needs CREATE_QUOTES in the policy. Execution is a separate call: immediatelyExecute is refused.',
  idempotent: true,
  body: quote_create.body,
  bodyBytesMax: 16 * KIB,
  responses: quote_create.responses,
  errors: [...quote_create.errors, ...DENIED],
})

/** Answers 404 for a quote that another agent created (specification 4.8). */
export const agent_me_quote_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/quotes/{quoteId}',
  tag,
  summary: 'Read your quote',
  params: quote_get.params,
  responses: { 200: Quote },
  errors: quote_get.errors,
})

export const agent_me_quote_execute = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/quotes/{quoteId}/execute',
  tag,
  summary: 'Execute your quote',
  description:
    'Needs EXECUTE_QUOTES in the policy, which decides whether it executes at once or waits for approval. From an ' +
    `embedded wallet it waits for the signature of the customer, unless ${WALLET_SIGNATURE_HEADER} carries that signature.`,
  signed: true,
  signatureAlone: 'executes',
  idempotent: true,
  params: quote_execute.params,
  responses: { 200: AgentAction },
  errors: [...quote_execute.errors, ...DENIED],
})

export const agent_me_transfer_in = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/transfer-in',
  tag,
  summary: 'Pull money in',
  description:
    'Needs CREATE_TRANSFERS in the policy, which decides whether it executes at once or waits for approval.',
  idempotent: true,
  body: transfer_in.body,
  responses: { 201: AgentAction },
  errors: [...transfer_in.errors, ...DENIED],
})

export const agent_me_transfer_out = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/transfer-out',
  tag,
  summary: 'Push money out',
  description:
    'Needs CREATE_TRANSFERS in the policy, which decides whether it executes at once or waits for approval.',
  idempotent: true,
  body: transfer_out.body,
  responses: { 201: AgentAction },
  errors: [...transfer_out.errors, ...DENIED],
})

export const agent_me_transaction_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/transactions',
  tag,
  summary: "List the customer's transactions",
  description: 'Needs VIEW_TRANSACTIONS in the policy.',
  query: Type.Omit(transaction_list.query, ['customerId', 'platformCustomerId']),
  responses: transaction_list.responses,
  errors: [...transaction_list.errors, 'FORBIDDEN'],
})

export const agent_me_transaction_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/transactions/{transactionId}',
  tag,
  summary: 'Read a transaction',
  description: 'Needs VIEW_TRANSACTIONS in the policy, unless you started the transaction.',
  params: transaction_get.params,
  responses: transaction_get.responses,
  errors: [...transaction_get.errors, 'FORBIDDEN'],
})

export const agent_me_action_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/actions',
  tag,
  summary: 'List your actions',
  query: Type.Object({ status: Type.Optional(AgentActionStatus), ...pageQuery }),
  responses: { 200: Page(AgentAction) },
  errors: ['INVALID_INPUT'],
})

export const agent_me_action_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/actions/{actionId}',
  tag,
  summary: 'Read your action',
  params: Type.Object({ actionId: PathId }),
  responses: { 200: AgentAction },
  errors: ['AGENT_ACTION_NOT_FOUND'],
})

export const agent_me_policy_simulate = endpoint({
  auth: 'agent',
  whilePaused: true,
  method: 'POST',
  path: '/agents/me/policy/simulate',
  tag,
  summary: 'Ask what your policy would decide',
  description: 'Nothing is executed, reserved or recorded. Balances are not checked.',
  body: agent_policy_simulate.body,
  responses: agent_policy_simulate.responses,
  errors: ['INVALID_INPUT', 'INVALID_CURRENCY', 'ACCOUNT_NOT_FOUND'],
})

export const agentAccess = {
  agent_me_get,
  agent_me_internal_account_list,
  agent_me_external_account_list,
  agent_me_external_account_create,
  agent_me_external_account_get,
  agent_me_external_account_delete,
  agent_me_exchange_rate_list,
  agent_me_quote_create,
  agent_me_quote_get,
  agent_me_quote_execute,
  agent_me_transfer_in,
  agent_me_transfer_out,
  agent_me_transaction_list,
  agent_me_transaction_get,
  agent_me_action_list,
  agent_me_action_get,
  agent_me_policy_simulate,
}
