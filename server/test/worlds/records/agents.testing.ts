import { expect } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, fund, newBankAccount, newCustomer, newPlatform, type Reply } from '../client.testing.ts'

/** A policy that allows everything, up to 1,000.00 USD at a time. */
export const POLICY = {
  permissions: [
    'VIEW_TRANSACTIONS',
    'CREATE_TRANSFERS',
    'CREATE_QUOTES',
    'EXECUTE_QUOTES',
    'MANAGE_EXTERNAL_ACCOUNTS',
  ],
  defaultExecutionMode: 'AUTO',
  spendingLimits: { currency: 'USD', perTransactionLimit: 100_000 },
}

/** Creates a customer with 10,000.00 USD and a bank account. */
export async function newPayer(client: Client) {
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 1_000_000)
  return { ...customer, bank: await newBankAccount(client, customer.id) }
}

export type Payer = Awaited<ReturnType<typeof newPayer>>

/** A client that uses an agent's token. */
export class AgentClient {
  readonly #client: Client
  readonly id: string
  readonly token: string

  constructor(client: Client, id: string, token: string) {
    this.#client = client
    this.id = id
    this.token = token
  }

  get authorization(): string {
    return `Bearer ${this.token}`
  }

  send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#client.send(method, path, body, { Authorization: this.authorization, ...headers })
  }

  get = (path: string) => this.send('GET', path)
  post = (path: string, body?: unknown, headers?: Record<string, string>) =>
    this.send('POST', path, body, headers)

  transferOut(payer: Payer, amount: number | bigint, headers?: Record<string, string>): Promise<Reply> {
    return this.post(
      '/agents/me/transfer-out',
      { source: { accountId: payer.usd }, destination: { accountId: payer.bank }, amount },
      headers,
    )
  }

  async quote(payer: Payer, amount: number, source = payer.usd): Promise<Reply> {
    return this.post('/agents/me/quotes', {
      source: { sourceType: 'ACCOUNT', accountId: source },
      destination: { destinationType: 'ACCOUNT', accountId: payer.bank },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: amount,
    })
  }

  /** Pays with a quote, and returns the action. */
  async pays(payer: Payer, amount: number): Promise<Reply> {
    const quote = await this.quote(payer, amount)
    expect(quote.status, toJson(quote.body)).toBe(201)
    return this.post(`/agents/me/quotes/${quote.body.id}/execute`)
  }
}

type PolicyChange = { readonly [member: string]: unknown }

/** Creates a customer's agent and connects it. */
export async function newAgent(
  client: Client,
  customerId: string,
  policy: PolicyChange = {},
): Promise<AgentClient> {
  const created = await client.post('/agents', {
    name: 'Shopper',
    customerId,
    policy: { ...POLICY, ...policy },
  })
  expect(created.status, toJson(created.body)).toBe(201)
  const { code } = created.body.deviceCode
  const redeemed = await client.send('POST', `/agents/device-codes/${code}/redeem`, undefined, {
    Authorization: '',
  })
  expect(redeemed.status, toJson(redeemed.body)).toBe(200)
  return new AgentClient(client, created.body.agent.id, redeemed.body.accessToken)
}

/** Creates a platform with a payer and the payer's agent. */
export async function newAgentPlatform(policy: PolicyChange = {}) {
  const client = await newPlatform()
  const payer = await newPayer(client)
  return { client, payer, agent: await newAgent(client, payer.id, policy) }
}

/** Runs all due jobs, then returns the action. */
export async function settled(client: Client, agent: AgentClient, id: string): Promise<Reply['body']> {
  await client.advance(0)
  return (await agent.get(`/agents/me/actions/${id}`)).body
}

/** Reads the usage of an agent's limits. */
export async function readUsage(client: Client, agent: AgentClient): Promise<Reply['body']> {
  return (await client.get(`/agents/${agent.id}`)).body.usage
}

/** Reads today's count and amount, and this month's amount. */
export async function used(client: Client, agent: AgentClient): Promise<[number, number, number]> {
  const { dailyTransactionCount, dailySpend, monthlySpend } = await readUsage(client, agent)
  return [dailyTransactionCount, dailySpend, monthlySpend]
}

/**
 * Creates an action that waits for approval: a transfer by an agent whose policy requires approval for
 * everything.
 */
export async function newWaitingTransfer(policy: PolicyChange = {}, amount = 2_000) {
  const world = await newAgentPlatform({ defaultExecutionMode: 'APPROVAL_REQUIRED', ...policy })
  const reply = await world.agent.transferOut(world.payer, amount)
  expect(reply.body.status, toJson(reply.body)).toBe('PENDING_APPROVAL')
  return { ...world, action: reply.body as Reply['body'] }
}

/** Approves or rejects an action on behalf of the platform. */
export function say(
  client: Client,
  decision: 'approve' | 'reject',
  { agentId, id }: { readonly agentId: string; readonly id: string },
  body?: unknown,
): Promise<Reply> {
  return client.post(`/agents/${agentId}/actions/${id}/${decision}`, body)
}

export async function changePolicy(client: Client, agent: AgentClient, change: PolicyChange): Promise<Reply> {
  return client.send('PATCH', `/agents/${agent.id}/policy`, change)
}

/** Moves a platform's clock forward to a time. */
export async function advanceTo(client: Client, time: Date): Promise<void> {
  const { now } = (await client.get('/sandbox/clock')).body
  await client.advance(Math.ceil((time.getTime() - Date.parse(now)) / 1000))
}

/** Creates an agent's transfer that waits for approval. Returns the path of its action. */
export async function waitingAction(client: Client): Promise<string> {
  const customer = await newCustomer(client)
  const [external] = await Promise.all([
    newBankAccount(client, customer.id),
    fund(client, customer.usd, 100_000),
  ])
  const agent = await newAgent(client, customer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
  const body = { source: { accountId: customer.usd }, destination: { accountId: external }, amount: 500 }
  const reply = await agent.post('/agents/me/transfer-out', body)
  if (reply.status !== 201) throw new Error(JSON.stringify(reply.body))
  return `/agents/${agent.id}/actions/${reply.body.id}`
}
