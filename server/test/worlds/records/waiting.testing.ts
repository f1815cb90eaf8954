import { type Client, fund, newBankAccount, newCustomer } from '../client.testing.ts'
import { newAgent } from './agents.testing.ts'

/** An agent's transfer that waits, as the path of its action. */
export async function waitingAction(client: Client): Promise<string> {
  const customer = await newCustomer(client)
  const [external] = await Promise.all([
    newBankAccount(client, customer.id),
    fund(client, customer.usd, 100_000),
  ])
  const agent = await newAgent(client, customer.id, { defaultExecutionMode: 'APPROVAL_REQUIRED' })
  const body = { source: { accountId: customer.usd }, destination: { accountId: external }, amount: 500 }
  const asked = await agent.post('/agents/me/transfer-out', body)
  if (asked.status !== 201) throw new Error(JSON.stringify(asked.body))
  return `/agents/${agent.id}/actions/${asked.body.id}`
}
