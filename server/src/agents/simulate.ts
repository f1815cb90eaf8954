import type { AgentPolicySimulateRequest } from '@countersign/contract/agents'
import { isKnownCurrency } from '@countersign/contract/currencies'
import type { Static } from 'typebox'
import { findInternalAccount } from '../accounts/accounts.ts'
import type { Op } from '../app.ts'
import type { AgentRow } from '../db/agent-tables.ts'
import { findExternalAccount } from '../external-accounts/external-accounts.ts'
import { ApiError, fieldError } from '../operation.ts'
import { permissionFor } from './actions.ts'
import { usageView } from './agents.ts'
import { evaluate } from './evaluate.ts'

type Body = Static<typeof AgentPolicySimulateRequest>

/** What the policy of an agent would say to an action. Nothing is done, reserved or recorded. */
export async function simulate(op: Op, agent: AgentRow, body: Body) {
  const { type, amount, currency, sourceAccountId, destinationAccountId } = body
  if (!isKnownCurrency(currency))
    throw fieldError('INVALID_CURRENCY', 'currency', `There is no currency ${currency}`)
  if (sourceAccountId === undefined)
    throw fieldError('INVALID_INPUT', 'sourceAccountId', 'sourceAccountId is required')
  if (destinationAccountId === undefined && type !== 'EXECUTE_QUOTE')
    throw fieldError('INVALID_INPUT', 'destinationAccountId', `destinationAccountId is required for ${type}`)
  const needsSignature = await checkAccount(op, agent, sourceAccountId, 'sourceAccountId')
  if (destinationAccountId !== undefined)
    await checkAccount(op, agent, destinationAccountId, 'destinationAccountId')
  const { decision, usage } = await evaluate(op, agent, {
    permission: permissionFor(type),
    accountIds: [sourceAccountId, destinationAccountId ?? null],
    spends: { amount, currency, needsSignature: needsSignature && type === 'EXECUTE_QUOTE' },
  })
  return { decision, usage: usageView(op, usage) }
}

/** Whether an account is an embedded wallet. Error: 404 `ACCOUNT_NOT_FOUND` for one that is not the customer's. */
async function checkAccount(op: Op, agent: AgentRow, id: string, field: string): Promise<boolean> {
  const account = id.startsWith('InternalAccount:')
    ? await findInternalAccount(op, id, field)
    : await findExternalAccount(op, id, field)
  if (account.customer_id !== agent.customer_id)
    throw new ApiError('ACCOUNT_NOT_FOUND', { details: { field } })
  return 'type' in account && account.type === 'EMBEDDED_WALLET'
}
