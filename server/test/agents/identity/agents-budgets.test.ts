import { beforeAll, describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, fund, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import {
  type AgentClient,
  advanceTo,
  changePolicy,
  newAgent,
  newAgentPlatform,
  newPayer,
  type Payer,
  readUsage,
  say,
  settled,
} from '../../worlds/records/agents.testing.ts'

const USD = { currency: 'USD', perTransactionLimit: 100_000 }

function expectLimitExceeded(reply: Reply, rule: string, asked: number, left: number) {
  expect(reply, toJson(reply.body)).toMatchObject({
    status: 403,
    body: { code: 'VELOCITY_LIMIT_EXCEEDED', details: { rule, asked, left } },
  })
}

async function spend(agent: AgentClient, payer: Payer, amount: number): Promise<Reply['body']> {
  const { status, body } = await agent.transferOut(payer, amount)
  expect(status, toJson(body)).toBe(201)
  return body
}

/** Sums the amounts of the actions whose payment has not failed, according to their recorded decisions. */
async function sumReservations(client: Client, agent: AgentClient): Promise<{ count: number; sum: number }> {
  const decisions = (await client.get(`/agents/${agent.id}/decisions?limit=100`)).body.data
  const actions = (await agent.get('/agents/me/actions?limit=100')).body.data
  const active = actions.filter(
    ({ transaction }: Reply['body']) =>
      !['FAILED', 'REJECTED', 'EXPIRED', 'REFUNDED'].includes(transaction.status),
  )
  const amounts = active.map(
    ({ id }: { id: string }) =>
      decisions.findLast(({ actionId }: Reply['body']) => actionId === id).decision.amount,
  )
  return { count: active.length, sum: amounts.reduce((sum: number, amount: number) => sum + amount, 0) }
}

async function expectUsageIsReserved(client: Client, agent: AgentClient) {
  const { count, sum } = await sumReservations(client, agent)
  expect(await readUsage(client, agent)).toMatchObject({
    dailyTransactionCount: count,
    dailySpend: sum,
    monthlySpend: sum,
  })
}

describe('days and months', () => {
  /** Noon on a day of the month after next, without earlier spending. */
  let start: Date
  beforeAll(async () => {
    const now = new Date((await (await newPlatform()).get('/sandbox/clock')).body.now)
    start = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 2, 10, 12))
  })
  const toTime = (day: number, hour: number) =>
    new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), day, hour))
  const toDate = (time: Date) => time.toISOString().slice(0, 10)

  test('begin at midnight in UTC by the clock of the platform', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD, dailyLimit: 1_000, monthlyLimit: 1_500, dailyTransactionLimit: 2 },
    })
    await advanceTo(client, toTime(10, 23))
    await spend(agent, payer, 600)
    expectLimitExceeded(await agent.transferOut(payer, 401), 'dailyLimit', 401, 400)
    expect(await readUsage(client, agent)).toEqual({
      dailyTransactionCount: 1,
      dailySpend: 600,
      dailyResetDate: toDate(toTime(11, 0)),
      monthlySpend: 600,
      monthlyResetMonth: toDate(toTime(32, 12)).slice(0, 7),
    })
    await advanceTo(client, toTime(11, 0))
    expect(await readUsage(client, agent)).toMatchObject({
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: toDate(toTime(12, 0)),
      monthlySpend: 600,
    })
    await spend(agent, payer, 401)
    await spend(agent, payer, 99)
    expectLimitExceeded(await agent.transferOut(payer, 1), 'dailyTransactionLimit', 1, 0)
    await advanceTo(client, toTime(12, 0))
    expectLimitExceeded(await agent.transferOut(payer, 401), 'monthlyLimit', 401, 400)
    await spend(agent, payer, 400)
    expectLimitExceeded(await agent.transferOut(payer, 1), 'monthlyLimit', 1, 0)
    // The last hour before the next month.
    const lastHour = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1, 0) - 3600_000)
    await advanceTo(client, lastHour)
    expectLimitExceeded(await agent.transferOut(payer, 1), 'monthlyLimit', 1, 0)
    await client.advance(3600)
    await spend(agent, payer, 1_000)
    expect(await readUsage(client, agent)).toMatchObject({
      dailyTransactionCount: 1,
      dailySpend: 1_000,
      monthlySpend: 1_000,
    })
  })

  test('keep their reservations: a release on a later day does not reduce the usage of that day', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD, dailyLimit: 1_000, monthlyLimit: 1_600 },
      approvalThresholds: { amount: 500 },
    })
    await advanceTo(client, toTime(10, 23))
    const [rejected, approved] = [await spend(agent, payer, 501), await spend(agent, payer, 499)]
    expect([rejected.status, approved.status]).toEqual(['PENDING_APPROVAL', 'APPROVED'])
    await client.advance(20 * 3600)
    const waiting = await spend(agent, payer, 600)
    expect((await say(client, 'reject', rejected)).status).toBe(200)
    expect(await readUsage(client, agent)).toMatchObject({ dailySpend: 600, monthlySpend: 1_099 })
    await advanceTo(client, toTime(12, 0))
    // An action approved on a later day counts on the day of its request, and not against itself.
    expect((await say(client, 'approve', waiting)).body).toMatchObject({ status: 'APPROVED' })
    expect(await readUsage(client, agent)).toMatchObject({
      dailyTransactionCount: 0,
      dailySpend: 0,
      monthlySpend: 1_099,
    })
    expectLimitExceeded(await agent.transferOut(payer, 502), 'monthlyLimit', 502, 501)
  })
})

describe('limits', () => {
  test('apply to amounts in another currency, at the current rate', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD, dailyLimit: 11_600 },
      approvalThresholds: { amount: 4_000, currency: 'EUR' },
    })
    await fund(client, payer.eur, 1_000_000)
    const execute = async (amount: number) => {
      const quote = await agent.quote(payer, amount, payer.eur)
      expect(quote.status, toJson(quote.body)).toBe(201)
      expect(quote.body.totalSendingAmount).toBe(amount)
      return agent.post(`/agents/me/quotes/${quote.body.id}/execute`)
    }
    const simulated = await agent.post('/agents/me/policy/simulate', {
      type: 'EXECUTE_QUOTE',
      amount: 3_000,
      currency: 'EUR',
      sourceAccountId: payer.eur,
      destinationAccountId: payer.bank,
    })
    const { decision } = simulated.body
    expect(decision).toMatchObject({ outcome: 'ALLOWED', currency: 'USD' })
    // In the sandbox a euro is worth between one and two dollars.
    expect(decision.amount).toBeGreaterThan(3_000)
    expect(decision.amount).toBeLessThan(6_000)
    const executed = await execute(3_000)
    expect(executed.body.status, toJson(executed.body)).toBe('APPROVED')
    const spent = (await readUsage(client, agent)).dailySpend
    // The rate may have moved slightly since the simulation.
    expect(Math.abs(spent - decision.amount)).toBeLessThan(decision.amount / 50)
    // The threshold is in euros.
    expect((await execute(4_000)).body.status).toBe('APPROVED')
    const left = 11_600 - (await readUsage(client, agent)).dailySpend
    const refused = await execute(4_001)
    expect(refused, toJson(refused.body)).toMatchObject({
      status: 403,
      body: { code: 'VELOCITY_LIMIT_EXCEEDED', details: { rule: 'dailyLimit', left, currency: 'USD' } },
    })
    await changePolicy(client, agent, { spendingLimits: { dailyLimit: null } })
    expect((await execute(4_001)).body.status).toBe('PENDING_APPROVAL')
    await expectUsageIsReserved(client, agent)
  })

  test('in a new currency start unused, but the daily count continues', async () => {
    const { client, payer, agent } = await newAgentPlatform({ spendingLimits: { ...USD, dailyLimit: 1_000 } })
    await spend(agent, payer, 1_000)
    const euros = { currency: 'EUR', perTransactionLimit: 100_000, dailyLimit: 1_000 }
    expect((await changePolicy(client, agent, { spendingLimits: euros })).status).toBe(200)
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 1, dailySpend: 0 })
    await changePolicy(client, agent, { spendingLimits: { dailyTransactionLimit: 1 } })
    expectLimitExceeded(await agent.transferOut(payer, 1), 'dailyTransactionLimit', 1, 0)
  })

  test('on the number of transactions apply to parallel actions', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD, dailyTransactionLimit: 5 },
      approvalThresholds: { amount: 1_000 },
    })
    const quotes = await Promise.all(Array.from({ length: 6 }, () => agent.quote(payer, 100)))
    const pull = { source: { accountId: payer.bank }, destination: { accountId: payer.usd }, amount: 10 }
    const replies = await Promise.all([
      ...quotes.map(({ body }) => agent.post(`/agents/me/quotes/${body.id}/execute`)),
      ...Array.from({ length: 6 }, () => agent.transferOut(payer, 1_001)),
      ...Array.from({ length: 6 }, () => agent.post('/agents/me/transfer-in', pull)),
    ])
    const accepted = replies.filter(({ status }) => status < 300)
    expect(accepted).toHaveLength(5)
    for (const reply of replies.filter((one) => !accepted.includes(one)))
      expectLimitExceeded(reply, 'dailyTransactionLimit', 1, 0)
    await expectUsageIsReserved(client, agent)
    // A rejected action makes room for exactly one other.
    const [waiting] = (await client.get('/agents/approvals')).body.data
    if (waiting) expect((await say(client, 'reject', waiting)).status).toBe(200)
    const transfers = await Promise.all([agent.transferOut(payer, 1), agent.transferOut(payer, 1)])
    expect(transfers.filter(({ status }) => status === 201)).toHaveLength(waiting ? 1 : 0)
    await expectUsageIsReserved(client, agent)
  })

  test('of several agents of one customer are separate', async () => {
    const limited = { spendingLimits: { ...USD, dailyLimit: 100 } }
    const { client, payer, agent } = await newAgentPlatform(limited)
    const otherAgent = await newAgent(client, payer.id, limited)
    await Promise.all([spend(agent, payer, 100), spend(otherAgent, payer, 100)])
    for (const one of [agent, otherAgent])
      expectLimitExceeded(await one.transferOut(payer, 1), 'dailyLimit', 1, 0)
  })

  test('are used by exactly the recorded payments, after every outcome', async () => {
    const { client, payer, agent } = await newAgentPlatform({ approvalThresholds: { amount: 1_000 } })
    const failingBank = (
      await client.post('/customers/external-accounts', {
        customerId: payer.id,
        currency: 'USD',
        accountInfo: {
          accountType: 'USD_ACCOUNT',
          accountNumber: '555555002',
          routingNumber: '021000021',
          beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
        },
      })
    ).body.id
    await spend(agent, payer, 11)
    const failed = await spend(agent, { ...payer, bank: failingBank }, 13)
    const rejected = await spend(agent, payer, 1_017)
    await spend(agent, payer, 1_019)
    const approved = await spend(agent, payer, 1_023)
    const broken = await spend(agent, { ...payer, bank: failingBank }, 1_029)
    await say(client, 'reject', rejected)
    await say(client, 'approve', approved)
    await say(client, 'approve', broken)
    for (const { id } of [failed, broken])
      expect(await settled(client, agent, id)).toMatchObject({
        status: 'APPROVED',
        transaction: { status: 'FAILED' },
      })
    expect(await sumReservations(client, agent)).toEqual({ count: 3, sum: 11 + 1_019 + 1_023 })
    await expectUsageIsReserved(client, agent)
    expect((await agent.get('/agents/me')).body.usage).toEqual(await readUsage(client, agent))
    // A request refused before the policy is evaluated, or by it, reserves nothing.
    await agent.transferOut(payer, 100_001)
    await agent.transferOut(payer, 90_000_000)
    await agent.transferOut({ ...payer, bank: payer.usd }, 1)
    await expectUsageIsReserved(client, agent)
  })

  test('of the largest possible amount do not overflow', async () => {
    const largest = 2n ** 63n - 1n
    const client = await newPlatform()
    const payer = await newPayer(client)
    const limits = {
      currency: 'USD',
      perTransactionLimit: largest,
      dailyLimit: largest,
      monthlyLimit: largest,
    }
    const agent = await newAgent(client, payer.id, { spendingLimits: limits })
    expect((await agent.get('/agents/me')).body.policy.spendingLimits).toEqual(limits)
    await spend(agent, payer, 1_000)
    const simulated = await agent.post('/agents/me/policy/simulate', {
      type: 'TRANSFER_OUT',
      amount: largest,
      currency: 'USD',
      sourceAccountId: payer.usd,
      destinationAccountId: payer.bank,
    })
    expect(simulated.body.decision).toMatchObject({
      rule: 'dailyLimit',
      asked: largest,
      left: largest - 1_000n,
    })
  })
})
