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
 * The endpoints that an agent calls with its own credential (specification 4.8, 4.9, 5.2). An agent sees only
 * its customer's data.
 */
const tag = 'Agent access'

/** Errors that the policy can cause for any action. */
const POLICY_ERRORS = ['FORBIDDEN', 'VELOCITY_LIMIT_EXCEEDED'] as const

export const agent_me_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me',
  tag,
  summary: 'Read your own agent',
  description:
    'Returns the calling agent and the customer that it acts for. The policy and the usage show what is ' +
    'still allowed.',
  responses: { 200: Agent },
  errors: [],
})

export const agent_me_internal_account_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/internal-accounts',
  tag,
  summary: "List the customer's accounts",
  description: "Lists the accounts and balances of the agent's customer that the policy lets the agent use.",
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
  description: "Lists the external accounts of the customer that the agent's policy allows it to pay.",
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
    "Adds an external account of the agent's customer, under the rules of POST " +
    '/customers/external-accounts. Needs MANAGE_EXTERNAL_ACCOUNTS in the policy. A customerId must name ' +
    'your own customer.',
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
  description:
    "Shows one external account of the agent's customer. Accounts that its policy does not allow return 404.",
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
  description:
    "Removes an external account of the agent's customer. Needs MANAGE_EXTERNAL_ACCOUNTS in the policy.",
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
  description: 'Lists the rates that the platform would get, with the same filters as GET /exchange-rates.',
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
    'Locks a rate for a payment that the agent wants to make for its customer. Needs CREATE_QUOTES in ' +
    'the policy. Execution is a separate call: immediatelyExecute is not allowed.',
  idempotent: true,
  body: quote_create.body,
  bodyBytesMax: 16 * KIB,
  responses: quote_create.responses,
  errors: [...quote_create.errors, ...POLICY_ERRORS],
})

/** Returns 404 for a quote created by another agent (specification 4.8). */
export const agent_me_quote_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/quotes/{quoteId}',
  tag,
  summary: 'Read your quote',
  description: 'Shows a quote that the agent created itself. Quotes of other callers return 404.',
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
    'Requests the payment of a quote. Needs EXECUTE_QUOTES in the policy, which decides whether it ' +
    'executes immediately or waits for approval. A payment from an embedded wallet waits for the ' +
    `customer's signature, unless ${WALLET_SIGNATURE_HEADER} carries that signature.`,
  signed: true,
  signatureAlone: 'executes',
  idempotent: true,
  params: quote_execute.params,
  responses: { 200: AgentAction },
  errors: [...quote_execute.errors, ...POLICY_ERRORS],
})

export const agent_me_transfer_in = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/transfer-in',
  tag,
  summary: 'Pull money in',
  description:
    'Requests a pull from an external account of the customer. Needs CREATE_TRANSFERS in the policy, ' +
    'which decides whether it happens immediately or waits for approval.',
  idempotent: true,
  body: transfer_in.body,
  responses: { 201: AgentAction },
  errors: [...transfer_in.errors, ...POLICY_ERRORS],
})

export const agent_me_transfer_out = endpoint({
  auth: 'agent',
  method: 'POST',
  path: '/agents/me/transfer-out',
  tag,
  summary: 'Push money out',
  description:
    'Requests a payment to an external account. The policy needs CREATE_TRANSFERS and decides ' +
    'whether the transfer executes immediately, waits for approval or is denied.',
  idempotent: true,
  body: transfer_out.body,
  responses: { 201: AgentAction },
  errors: [...transfer_out.errors, ...POLICY_ERRORS],
})

export const agent_me_transaction_list = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/transactions',
  tag,
  summary: "List the customer's transactions",
  description:
    "Lists the payments of the agent's customer, with the same filters as GET /transactions. Needs " +
    'VIEW_TRANSACTIONS in the policy.',
  query: Type.Omit(transaction_list.query, ['customerId', 'platformCustomerId', 'includeNames']),
  responses: transaction_list.responses,
  errors: [...transaction_list.errors, 'FORBIDDEN'],
})

export const agent_me_transaction_get = endpoint({
  auth: 'agent',
  method: 'GET',
  path: '/agents/me/transactions/{transactionId}',
  tag,
  summary: 'Read a transaction',
  description:
    'Shows the current state of a payment. Needs VIEW_TRANSACTIONS in the policy, unless you started ' +
    'the transaction.',
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
  description: "Lists the agent's requests so far and the outcome of each, newest first.",
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
  description:
    'Returns whether an action was executed, was rejected, or still waits for approval. Agents poll this ' +
    'endpoint until the action is decided.',
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
  changesNothing: true,
  summary: 'Check an action against your policy',
  description:
    'Returns whether an action would be allowed, would be denied or would need approval. Nothing is ' +
    'executed, reserved or recorded, and balances are not checked.',
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
