import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { makeBankedCustomer } from './payers.ts'
import type { Credentials } from './server-process.ts'

/** A customer with dollars and a bank account, and an agent that pays for it. */
export interface AgentPayer {
  readonly customerId: string
  readonly accountId: string
  readonly bankAccountId: string
  readonly agentId: string
  readonly accessToken: string
}

/** What each payment moves, in cents. */
export const AGENT_PAYMENT = 1_001n
/** More than a run can spend. */
const FUNDS = 1_000_000n * AGENT_PAYMENT

/** Limits of every kind, none of which is reached, so that all of them are checked. */
const LIMITS = {
  currency: 'USD',
  perTransactionLimit: AGENT_PAYMENT,
  dailyLimit: FUNDS,
  dailyTransactionLimit: 1_000_000,
  monthlyLimit: FUNDS,
}

export function makeAgentPayers(credentials: Credentials, count: number): Promise<AgentPayer[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => makeAgentPayer(credentials, n)))
}

/** `dailyLimit` in cents. */
export async function makeAgentPayer(
  credentials: Credentials,
  n: number,
  dailyLimit = LIMITS.dailyLimit,
): Promise<AgentPayer> {
  const countersign = new Countersign(credentials)
  const { customerId, accounts, bankAccountId } = await makeBankedCustomer(countersign, n)
  const accountId = accounts.find(({ balance }) => balance.currency.code === 'USD')!.id
  await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: FUNDS } })
  const { body } = await countersign.call('agent_create', {
    body: {
      name: `Agent ${n}`,
      customerId,
      policy: {
        permissions: ['CREATE_TRANSFERS', 'CREATE_QUOTES', 'EXECUTE_QUOTES'],
        defaultExecutionMode: 'AUTO',
        spendingLimits: { ...LIMITS, dailyLimit },
      },
    },
  })
  const { accessToken } = await Agent.redeem({ baseUrl: credentials.baseUrl, code: body.deviceCode.code })
  return { customerId, accountId, bankAccountId, agentId: body.agent.id, accessToken }
}
