import { beforeAll, expect, test } from 'vitest'
import { toJson } from '../../src/base/json/json.ts'
import { Client } from '../worlds/client.testing.ts'
import { AgentClient, changePolicy, newAgent, newPayer, usageOf } from '../worlds/records/agents.testing.ts'
import { ensureServerBuilt, newPlace, onPostgres, ServerProcess } from '../worlds/server-process.testing.ts'

const REQUESTS = 50
const FIT = 7
const AMOUNT = 1_001

beforeAll(ensureServerBuilt)

test.runIf(onPostgres)(
  'two processes on one database use up a limit of an agent to the unit, and no more',
  async () => {
    const place = await newPlace()
    const one = await ServerProcess.ready(place)
    const other = await ServerProcess.ready(place)
    const client = one.client()
    const payer = await newPayer(client)
    const limits = { currency: 'USD', perTransactionLimit: AMOUNT, dailyLimit: FIT * AMOUNT }
    const agent = await newAgent(client, payer.id, { spendingLimits: limits })
    const there = new AgentClient(new Client(client.credentials, other.baseUrl), agent.id, agent.token)
    const replies = await Promise.all(
      Array.from({ length: REQUESTS }, (_, index) => (index % 2 ? agent : there).transferOut(payer, AMOUNT)),
    )
    for (const { status, body } of replies) expect([201, 403], toJson(body)).toContain(status)
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(FIT)
    expect(await usageOf(client, agent)).toMatchObject({
      dailyTransactionCount: FIT,
      dailySpend: FIT * AMOUNT,
      monthlySpend: FIT * AMOUNT,
    })
    // A policy change in one applies in the other from the next request on.
    expect((await changePolicy(client, agent, { spendingLimits: { dailyLimit: null } })).status).toBe(200)
    expect((await there.transferOut(payer, AMOUNT)).status).toBe(201)
  },
)
