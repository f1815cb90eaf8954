import { setTimeout } from 'node:timers/promises'
import { Countersign } from '@countersign/sdk'
import { AGENT_PAYMENT, makeAgentPayer } from './agent-payers.ts'
import { type Connection, drive } from './connections.ts'
import { Api } from './payments.ts'
import type { Credentials } from './server-process.ts'

export const REQUESTS_PER_SECOND = 200

/** The outcome of an agent that requested twice its daily limit. */
export interface Budget {
  readonly perSecond: number
  readonly asked: number
  /** The number of transfers within the limit. */
  readonly fit: number
  readonly done: number
  readonly denied: number
  /** The amount beyond the limit that left the account, by the ledger; in cents. */
  readonly over: bigint
  /** Whether the usage in the record equals the amount that left the account. */
  readonly isUsageRight: boolean
}

/** Sends transfers of one agent at an even pace over all connections, whichever servers they lead to. */
export async function measureBudget(
  credentials: Credentials,
  connections: readonly Connection[],
  seconds: number,
): Promise<Budget> {
  const asked = Math.round(REQUESTS_PER_SECOND * seconds)
  const fit = Math.floor(asked / 2)
  // Leaves a rest that is too small for another transfer.
  const limit = BigInt(fit + 1) * AGENT_PAYMENT - 1n
  const countersign = new Countersign(credentials)
  const payer = await makeAgentPayer(credentials, asked, limit)
  const { accessToken, accountId, bankAccountId, agentId, customerId } = payer
  const balance = async () => {
    const { body } = await countersign.call('customer_internal_account_list', { query: { customerId } })
    return body.data.find(({ id }) => id === accountId)!.balance.amount
  }
  const before = await balance()
  const api = new Api(new URL(credentials.baseUrl).pathname, { accessToken })
  const request = api.post(
    '/agents/me/transfer-out',
    `{"source":{"accountId":"${accountId}"},"destination":{"accountId":"${bankAccountId}"},"amount":${AGENT_PAYMENT}}`,
  )
  const counts = { done: 0, denied: 0 }
  const begun = performance.now()
  let sent = 0
  const { done, seconds: took } = await drive(
    connections,
    () => sent >= asked,
    async (connection) => {
      const dueMs = begun + (sent++ * 1000) / REQUESTS_PER_SECOND
      await setTimeout(Math.max(0, dueMs - performance.now()))
      const { status, body } = await connection.send(request)
      if (status === 201) counts.done++
      else if (status === 403 && body.includes('"rule":"dailyLimit"')) counts.denied++
      else throw new Error(`The server answered ${status}: ${body}`)
      return true
    },
  )
  const left = before - (await balance())
  const { body: agent } = await countersign.call('agent_get', { params: { agentId } })
  return {
    perSecond: done / took,
    asked,
    fit,
    ...counts,
    over: left > limit ? left - limit : 0n,
    isUsageRight: agent.usage.dailySpend === left,
  }
}
