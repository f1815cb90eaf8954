import type { AgentPolicySimulateRequest } from '@countersign/contract/agents/agents'
import { isKnownCurrency } from '@countersign/contract/core/currencies'
import type { Static } from 'typebox'
import type { Op } from '../../kernel/operation/app.ts'
import { createFieldError } from '../../kernel/operation/operation.ts'
import type { AgentRow } from '../../storage/rows/agent.ts'
import { findCustomerAccount } from '../identity/agents.ts'
import { evaluateRequest, getRequiredPermission } from './evaluate.ts'
import { toUsageView } from './usage.ts'

type Body = Static<typeof AgentPolicySimulateRequest>

/** Evaluates an agent's policy for an action, without executing, reserving or recording anything. */
export async function simulateAction(op: Op, agent: AgentRow, body: Body) {
  const { type, amount, currency, sourceAccountId, destinationAccountId } = body
  if (!isKnownCurrency(currency))
    throw createFieldError('INVALID_CURRENCY', 'currency', `${currency} is not a supported currency.`)
  if (sourceAccountId === undefined)
    throw createFieldError('INVALID_INPUT', 'sourceAccountId', 'sourceAccountId is required')
  if (destinationAccountId === undefined && type !== 'EXECUTE_QUOTE')
    throw createFieldError(
      'INVALID_INPUT',
      'destinationAccountId',
      `destinationAccountId is required for ${type}`,
    )
  const { customer_id } = agent
  const source = await findCustomerAccount(op, customer_id, sourceAccountId, 'sourceAccountId')
  if (destinationAccountId !== undefined)
    await findCustomerAccount(op, customer_id, destinationAccountId, 'destinationAccountId')
  const isInternal = sourceAccountId.startsWith('InternalAccount:')
  const isWallet = 'type' in source && source.type === 'EMBEDDED_WALLET'
  const { decision, usage } = await evaluateRequest(op, agent, {
    permission: getRequiredPermission(type),
    ...(type === 'EXECUTE_QUOTE' && !isInternal ? { alsoNeeds: [getRequiredPermission('TRANSFER_IN')] } : {}),
    accountIds: [sourceAccountId, destinationAccountId ?? null],
    spends: { amount, currency, needsSignature: isWallet && type === 'EXECUTE_QUOTE' },
  })
  return { decision, usage: toUsageView(op, usage) }
}
