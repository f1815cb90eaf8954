import { beforeAll, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { Client } from '../worlds/client.testing.ts'
import { AgentClient, changePolicy, newAgent, newPayer, readUsage } from '../worlds/records/agents.testing.ts'
import { ensureServerBuilt, newPlace, onPostgres, ServerProcess } from '../worlds/server-process.testing.ts'

const REQUESTS = 50
const REQUESTS_IN_LIMIT = 7
const AMOUNT = 1_001

beforeAll(ensureServerBuilt)

test.runIf(onPostgres)(
  'two processes on one database together spend exactly the limit of an agent',
  async () => {
    const place = await newPlace()
    const server = await ServerProcess.ready(place)
    const otherServer = await ServerProcess.ready(place)
    const client = server.client()
    const payer = await newPayer(client)
    const limits = { currency: 'USD', perTransactionLimit: AMOUNT, dailyLimit: REQUESTS_IN_LIMIT * AMOUNT }
    const agent = await newAgent(client, payer.id, { spendingLimits: limits })
    const agentAtOther = new AgentClient(
      new Client(client.credentials, otherServer.baseUrl),
      agent.id,
      agent.token,
    )
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) =>
        (index % 2 ? agent : agentAtOther).transferOut(payer, AMOUNT),
      ),
    )
    for (const { status, body } of replies) expect([201, 403], toJson(body)).toContain(status)
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(REQUESTS_IN_LIMIT)
    expect(await readUsage(client, agent)).toMatchObject({
      dailyTransactionCount: REQUESTS_IN_LIMIT,
      dailySpend: REQUESTS_IN_LIMIT * AMOUNT,
      monthlySpend: REQUESTS_IN_LIMIT * AMOUNT,
    })
    // A policy change in one process applies to the next request to the other.
    expect((await changePolicy(client, agent, { spendingLimits: { dailyLimit: null } })).status).toBe(200)
    expect((await agentAtOther.transferOut(payer, AMOUNT)).status).toBe(201)
  },
)
