import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { CountersignError } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'

const { BASE = '', DEVICE_CODE = '', FROM = '', TO = '', TOKEN_FILE = '.agent-token' } = process.env

/** Redeems the device code, which works only once. The access token is stored for the next run. */
async function connect(): Promise<Agent> {
  if (existsSync(TOKEN_FILE))
    return Agent.withToken({ baseUrl: BASE, accessToken: readFileSync(TOKEN_FILE, 'utf8') })
  const agent = await Agent.redeem({ baseUrl: BASE, code: DEVICE_CODE })
  writeFileSync(TOKEN_FILE, agent.accessToken, { mode: 0o600 })
  return agent
}

/** Makes a payment, and waits for approval if the policy requires it. Resolves to the final status. */
async function pay(agent: Agent, cents: bigint): Promise<string> {
  const quote = await agent.createQuote({
    source: { sourceType: 'ACCOUNT', accountId: FROM },
    destination: { destinationType: 'ACCOUNT', accountId: TO },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: cents,
  })
  const action = await agent.executeQuote(quote.id)
  if (action.status === 'PENDING_APPROVAL') console.log('waits for approval')
  const { status, transaction } = await agent.waitForDecision(action.id)
  if (status !== 'APPROVED' || !transaction) return status
  return (await agent.waitForTransaction(transaction.id)).status
}

try {
  console.log(await pay(await connect(), BigInt(process.argv[2] ?? 0)))
} catch (error) {
  // If the policy denied the payment, `details` names the rule.
  if (!(error instanceof CountersignError)) throw error
  console.log(`${error.code}: ${error.message}`)
}
