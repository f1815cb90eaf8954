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
  say,
  settled,
  usageOf,
} from '../../worlds/records/agents.testing.ts'

const USD = { currency: 'USD', perTransactionLimit: 100_000 }

function expectOver(reply: Reply, rule: string, asked: number, left: number) {
  expect(reply, toJson(reply.body)).toMatchObject({
    status: 403,
    body: { code: 'VELOCITY_LIMIT_EXCEEDED', details: { rule, asked, left } },
  })
}

async function spends(agent: AgentClient, payer: Payer, amount: number): Promise<Reply['body']> {
  const { status, body } = await agent.transferOut(payer, amount)
  expect(status, toJson(body)).toBe(201)
  return body
}

/** The amounts that the records show as reserved and not released: the decisions with their payments. */
async function reserved(client: Client, agent: AgentClient): Promise<{ count: number; sum: number }> {
  const decisions = (await client.get(`/agents/${agent.id}/decisions?limit=100`)).body.data
  const actions = (await agent.get('/agents/me/actions?limit=100')).body.data
  const kept = actions.filter(
    ({ transaction }: Reply['body']) =>
      !['FAILED', 'REJECTED', 'EXPIRED', 'REFUNDED'].includes(transaction.status),
  )
  const amounts = kept.map(
    ({ id }: { id: string }) =>
      decisions.findLast(({ actionId }: Reply['body']) => actionId === id).decision.amount,
  )
  return { count: kept.length, sum: amounts.reduce((sum: number, amount: number) => sum + amount, 0) }
}

async function expectUsageIsReserved(client: Client, agent: AgentClient) {
  const { count, sum } = await reserved(client, agent)
  expect(await usageOf(client, agent)).toMatchObject({
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
  const at = (day: number, hour: number) =>
    new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth(), day, hour))
  const dateOf = (time: Date) => time.toISOString().slice(0, 10)

  test('begin at midnight in UTC by the clock of the platform', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD, dailyLimit: 1_000, monthlyLimit: 1_500, dailyTransactionLimit: 2 },
    })
    await advanceTo(client, at(10, 23))
    await spends(agent, payer, 600)
    expectOver(await agent.transferOut(payer, 401), 'dailyLimit', 401, 400)
    expect(await usageOf(client, agent)).toEqual({
      dailyTransactionCount: 1,
      dailySpend: 600,
      dailyResetDate: dateOf(at(11, 0)),
      monthlySpend: 600,
      monthlyResetMonth: dateOf(at(32, 12)).slice(0, 7),
    })
    await advanceTo(client, at(11, 0))
    expect(await usageOf(client, agent)).toMatchObject({
      dailyTransactionCount: 0,
      dailySpend: 0,
      dailyResetDate: dateOf(at(12, 0)),
      monthlySpend: 600,
    })
    await spends(agent, payer, 401)
    await spends(agent, payer, 99)
    expectOver(await agent.transferOut(payer, 1), 'dailyTransactionLimit', 1, 0)
    await advanceTo(client, at(12, 0))
    expectOver(await agent.transferOut(payer, 401), 'monthlyLimit', 401, 400)
    await spends(agent, payer, 400)
    expectOver(await agent.transferOut(payer, 1), 'monthlyLimit', 1, 0)
    // The first of the next month, to the hour.
    const lastHour = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1, 1, 0) - 3600_000)
    await advanceTo(client, lastHour)
    expectOver(await agent.transferOut(payer, 1), 'monthlyLimit', 1, 0)
    await client.advance(3600)
    await spends(agent, payer, 1_000)
    expect(await usageOf(client, agent)).toMatchObject({
      dailyTransactionCount: 1,
      dailySpend: 1_000,
      monthlySpend: 1_000,
    })
  })

  test('keep their reservations: a later release does not count for the later day', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD, dailyLimit: 1_000, monthlyLimit: 1_600 },
      approvalThresholds: { amount: 500 },
    })
    await advanceTo(client, at(10, 23))
    const [rejected, approved] = [await spends(agent, payer, 501), await spends(agent, payer, 499)]
    expect([rejected.status, approved.status]).toEqual(['PENDING_APPROVAL', 'APPROVED'])
    await client.advance(20 * 3600)
    const waiting = await spends(agent, payer, 600)
    expect((await say(client, 'reject', rejected)).status).toBe(200)
    expect(await usageOf(client, agent)).toMatchObject({ dailySpend: 600, monthlySpend: 1_099 })
    await advanceTo(client, at(12, 0))
    // An action approved on a later day counts on the day of its request, and not against itself.
    expect((await say(client, 'approve', waiting)).body).toMatchObject({ status: 'APPROVED' })
    expect(await usageOf(client, agent)).toMatchObject({
      dailyTransactionCount: 0,
      dailySpend: 0,
      monthlySpend: 1_099,
    })
    expectOver(await agent.transferOut(payer, 502), 'monthlyLimit', 502, 501)
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
    // A euro is more than a dollar in the sandbox, and no more than two.
    expect(decision.amount).toBeGreaterThan(3_000)
    expect(decision.amount).toBeLessThan(6_000)
    const done = await execute(3_000)
    expect(done.body.status, toJson(done.body)).toBe('APPROVED')
    const spent = (await usageOf(client, agent)).dailySpend
    // Between the two the rate may have moved by a little.
    expect(Math.abs(spent - decision.amount)).toBeLessThan(decision.amount / 50)
    // The threshold is in euros.
    expect((await execute(4_000)).body.status).toBe('APPROVED')
    const left = 11_600 - (await usageOf(client, agent)).dailySpend
    const over = await execute(4_001)
    expect(over, toJson(over.body)).toMatchObject({
      status: 403,
      body: { code: 'VELOCITY_LIMIT_EXCEEDED', details: { rule: 'dailyLimit', left, currency: 'USD' } },
    })
    await changePolicy(client, agent, { spendingLimits: { dailyLimit: null } })
    expect((await execute(4_001)).body.status).toBe('PENDING_APPROVAL')
    await expectUsageIsReserved(client, agent)
  })

  test('in another currency begin unused, and the count of the day continues', async () => {
    const { client, payer, agent } = await newAgentPlatform({ spendingLimits: { ...USD, dailyLimit: 1_000 } })
    await spends(agent, payer, 1_000)
    const euros = { currency: 'EUR', perTransactionLimit: 100_000, dailyLimit: 1_000 }
    expect((await changePolicy(client, agent, { spendingLimits: euros })).status).toBe(200)
    expect(await usageOf(client, agent)).toMatchObject({ dailyTransactionCount: 1, dailySpend: 0 })
    await changePolicy(client, agent, { spendingLimits: { dailyTransactionLimit: 1 } })
    expectOver(await agent.transferOut(payer, 1), 'dailyTransactionLimit', 1, 0)
  })

  test('on a count hold for parallel actions', async () => {
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
    const done = replies.filter(({ status }) => status < 300)
    expect(done).toHaveLength(5)
    for (const reply of replies.filter((one) => !done.includes(one)))
      expectOver(reply, 'dailyTransactionLimit', 1, 0)
    await expectUsageIsReserved(client, agent)
    // A rejected action makes room for exactly one.
    const [waiting] = (await client.get('/agents/approvals')).body.data
    if (waiting) expect((await say(client, 'reject', waiting)).status).toBe(200)
    const more = await Promise.all([agent.transferOut(payer, 1), agent.transferOut(payer, 1)])
    expect(more.filter(({ status }) => status === 201)).toHaveLength(waiting ? 1 : 0)
    await expectUsageIsReserved(client, agent)
  })

  test('of several agents of one customer are separate', async () => {
    const limited = { spendingLimits: { ...USD, dailyLimit: 100 } }
    const { client, payer, agent } = await newAgentPlatform(limited)
    const other = await newAgent(client, payer.id, limited)
    await Promise.all([spends(agent, payer, 100), spends(other, payer, 100)])
    for (const one of [agent, other]) expectOver(await one.transferOut(payer, 1), 'dailyLimit', 1, 0)
  })

  test('are used according to the records, after all outcomes', async () => {
    const { client, payer, agent } = await newAgentPlatform({ approvalThresholds: { amount: 1_000 } })
    const failing = (
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
    await spends(agent, payer, 11)
    const failed = await spends(agent, { ...payer, bank: failing }, 13)
    const rejected = await spends(agent, payer, 1_017)
    await spends(agent, payer, 1_019)
    const approved = await spends(agent, payer, 1_023)
    const broken = await spends(agent, { ...payer, bank: failing }, 1_029)
    await say(client, 'reject', rejected)
    await say(client, 'approve', approved)
    await say(client, 'approve', broken)
    for (const { id } of [failed, broken])
      expect(await settled(client, agent, id)).toMatchObject({
        status: 'APPROVED',
        transaction: { status: 'FAILED' },
      })
    expect(await reserved(client, agent)).toEqual({ count: 3, sum: 11 + 1_019 + 1_023 })
    await expectUsageIsReserved(client, agent)
    expect((await agent.get('/agents/me')).body.usage).toEqual(await usageOf(client, agent))
    // A request that is refused before the policy is evaluated, or by it, reserves nothing.
    await agent.transferOut(payer, 100_001)
    await agent.transferOut(payer, 90_000_000)
    await agent.transferOut({ ...payer, bank: payer.usd }, 1)
    await expectUsageIsReserved(client, agent)
  })

  test('of the largest possible amount do not overflow', async () => {
    const most = 2n ** 63n - 1n
    const client = await newPlatform()
    const payer = await newPayer(client)
    const limits = { currency: 'USD', perTransactionLimit: most, dailyLimit: most, monthlyLimit: most }
    const agent = await newAgent(client, payer.id, { spendingLimits: limits })
    expect((await agent.get('/agents/me')).body.policy.spendingLimits).toEqual(limits)
    await spends(agent, payer, 1_000)
    const simulated = await agent.post('/agents/me/policy/simulate', {
      type: 'TRANSFER_OUT',
      amount: most,
      currency: 'USD',
      sourceAccountId: payer.usd,
      destinationAccountId: payer.bank,
    })
    expect(simulated.body.decision).toMatchObject({ rule: 'dailyLimit', asked: most, left: most - 1_000n })
  })
})
