import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { type Call, CONNECTIONS, type Figure, load, pickRandom, type Target } from './load.ts'
import { type Options, runOnServer } from './on-server.ts'
import { makeBankedCustomer } from './payers.ts'
import type { Credentials } from './server-process.ts'
import { printTable } from './table.ts'

const CUSTOMERS = 8
const WARM_UP_SECONDS = 1
/** The amount of each payment, in cents. */
const PAYMENT = 1_001n
/** More than a run can spend. */
const FUNDS = 1_000_000n * PAYMENT

/** One limit of each kind, so that all limits are checked. None of them is reached. */
const LIMITS = {
  currency: 'USD',
  perTransactionLimit: PAYMENT,
  dailyLimit: FUNDS,
  dailyTransactionLimit: 1_000_000,
  monthlyLimit: FUNDS,
}

/**
 * A customer with a dollar account and a bank account, and the token of the agent that pays on its behalf.
 */
export interface AgentPayer {
  readonly accountId: string
  readonly bankAccountId: string
  readonly accessToken: string
}

/** Measures quotes and their execution by an agent, alongside the same calls by the platform. */
export async function runAgents(options: Options): Promise<void> {
  const { seconds, rounds, isShort } = options
  await runOnServer(
    options,
    async () => undefined,
    async ({ target, credentials, waitUntilIdle }) => {
      const payers = await Promise.all(
        Array.from({ length: CUSTOMERS }, (_, n) => makeAgentPayer(credentials, n)),
      )
      const [first] = payers
      if (first === undefined) throw new Error('There are no agents.')
      // One agent for the whole load: autocannon does not report which connection it sets up a call for.
      const agent = { ...target, authorization: `Bearer ${first.accessToken}` }
      const payByPlatform = () => pay(target, '', payers, seconds, waitUntilIdle)
      const payByAgent = () => pay(agent, '/agents/me', [first], seconds, waitUntilIdle)
      await pay(target, '', payers, isShort ? 2 : WARM_UP_SECONDS, waitUntilIdle)
      const platform: Figure[] = []
      const agents: Figure[] = []
      for (let n = 0; n < rounds; n++) {
        platform.push(await payByPlatform())
        agents.push(await payByAgent())
      }
      printTable(
        `Quote and execute, by an agent with limits of every kind next to the platform. ${CONNECTIONS} connections, ${rounds} alternating rounds of ${seconds} s.
Times are per request, rates per payment.`,
        [
          { name: 'by the platform', figures: platform },
          { name: 'by an agent', figures: agents },
        ],
      )
    },
  )
}

async function pay(
  target: Target,
  prefix: string,
  payers: readonly AgentPayer[],
  seconds: number,
  waitUntilIdle: () => Promise<void>,
): Promise<Figure> {
  const { quote, execute } = buildAgentSteps(prefix, payers)
  return load(target, { seconds }, [quote, execute], waitUntilIdle)
}

/** The two calls of a payment. The second call takes the quote from the first one's response. */
export function buildAgentSteps(prefix: string, payers: readonly AgentPayer[]) {
  return {
    quote: (): Call => {
      const { accountId, bankAccountId } = pickRandom(payers)
      const body = {
        source: { sourceType: 'ACCOUNT', accountId },
        destination: { destinationType: 'ACCOUNT', accountId: bankAccountId },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: Number(PAYMENT),
      }
      return { path: `${prefix}/quotes`, body, status: 201 }
    },
    execute: (quote: unknown): Call => {
      const { id } = quote as { id: string }
      return { path: `${prefix}/quotes/${id}/execute`, headers: { 'Idempotency-Key': id }, status: 200 }
    },
  }
}

export async function makeAgentPayer(credentials: Credentials, n: number): Promise<AgentPayer> {
  const countersign = new Countersign(credentials)
  const { customerId, accounts, bankAccountId } = await makeBankedCustomer(countersign, n)
  const accountId = accounts.find(({ balance }) => balance.currency.code === 'USD')?.id
  if (accountId === undefined) throw new Error('The customer has no dollar account.')
  await countersign.call('sandbox_account_fund', { params: { accountId }, body: { amount: FUNDS } })
  const { body } = await countersign.call('agent_create', {
    body: {
      name: `Agent ${n}`,
      customerId,
      policy: {
        permissions: ['CREATE_QUOTES', 'EXECUTE_QUOTES'],
        defaultExecutionMode: 'AUTO',
        spendingLimits: LIMITS,
      },
    },
  })
  const { accessToken } = await Agent.redeem({ baseUrl: credentials.baseUrl, code: body.deviceCode.code })
  return { accountId, bankAccountId, accessToken }
}
