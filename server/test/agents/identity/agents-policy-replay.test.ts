import { expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

const DAY = 86_400

/** An agent that has asked for some payments of these amounts on one day, and of the same on the next. */
async function busyAgent(client: Client, amounts: readonly number[]) {
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 1_000_000)
  const external = await newBankAccount(client, customer.id)
  const agent = await newAgent(client, customer.id, {
    spendingLimits: { currency: 'USD', perTransactionLimit: 9_000, dailyLimit: null, monthlyLimit: null },
    approvalThresholds: { amount: 5_000 },
  })
  const ask = (amount: number) =>
    agent.post('/agents/me/transfer-out', {
      source: { accountId: customer.usd },
      destination: { accountId: external },
      amount,
    })
  for (const amount of amounts) await ask(amount)
  await client.advance(DAY)
  for (const amount of amounts) await ask(amount)
  return { agent, customer }
}

test('a draft policy is replayed over past requests of an agent, and its own decisions count against its limits', async () => {
  const client = await newPlatform()
  const { agent } = await busyAgent(client, [1_000, 6_000, 9_500, 2_000])
  const replay = (body: unknown) => client.post(`/agents/${agent.id}/policy/replay`, body)
  const same = await replay({ policy: {} })
  expect(same.status, JSON.stringify(same.body)).toBe(200)
  expect(same.body.counts).toEqual({
    actions: 8,
    changed: 0,
    was: { ALLOWED: 4, APPROVAL_REQUIRED: 2, DENIED: 2 },
    wouldBe: { ALLOWED: 4, APPROVAL_REQUIRED: 2, DENIED: 2 },
  })
  expect(same.body.isCut).toBe(false)
  const state = async () => [
    (await client.get(`/agents/${agent.id}`)).body,
    (await client.get(`/agents/${agent.id}/decisions`)).body,
  ]
  const before = await state()
  const policy = {
    spendingLimits: { perTransactionLimit: 10_000, dailyLimit: 10_000 },
    approvalThresholds: { amount: 1_500 },
  }
  const { data, counts } = (await replay({ policy })).body
  expect(await state()).toEqual(before)
  const seen = data.map(({ amount, was, wouldBe, rule }: (typeof data)[0]) => [
    amount.amount,
    was,
    wouldBe,
    rule,
  ])
  const day = [
    [1_000, 'ALLOWED', 'ALLOWED', undefined],
    [6_000, 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED', 'approvalThreshold'],
    // 3,000 are left of the day.
    [9_500, 'DENIED', 'DENIED', 'dailyLimit'],
    [2_000, 'ALLOWED', 'APPROVAL_REQUIRED', 'approvalThreshold'],
  ]
  expect(seen).toEqual([...day, ...day])
  expect(counts).toMatchObject({ actions: 8, changed: 2 })
  expect(data[2].words).toBe('The daily limit leaves 30.00 USD.')
  expect(data[0]).toMatchObject({
    actionType: 'TRANSFER_OUT',
    payee: 'Ada Lovelace, USD account •••• 6789',
    words: 'The policy allows it.',
  })
})

test('a replay covers exactly its span, and counts an approved action once', async () => {
  const client = await newPlatform()
  const { agent } = await busyAgent(client, [6_000])
  const [waiting] = (await client.get('/approvals?kind=AGENT_ACTION')).body.data
  await client.post(`/agents/${agent.id}/actions/${waiting.objectId}/approve`)
  const replay = async (body: object) =>
    (await client.post(`/agents/${agent.id}/policy/replay`, { policy: {}, ...body })).body.data
  const all = await replay({})
  expect(all).toHaveLength(2)
  expect(await replay({ startDate: all[1].at })).toEqual([all[1]])
  expect(await replay({ endDate: all[0].at })).toEqual([all[0]])
})

test('a draft that is not a valid policy is refused, and so is the agent of another platform', async () => {
  const client = await newPlatform()
  const { agent } = await busyAgent(client, [])
  const replay = (of: Client, policy: object) => of.post(`/agents/${agent.id}/policy/replay`, { policy })
  const unknown = await replay(client, {
    spendingLimits: { currency: 'XXX', perTransactionLimit: 1 },
    approvalThresholds: { amount: null },
  })
  expectError(unknown, {
    code: 'INVALID_CURRENCY',
    field: 'policy.spendingLimits.currency',
  })
  expectError(await replay(client, { spendingLimits: { currency: 'EUR' } }), {
    code: 'INVALID_INPUT',
    field: 'policy.spendingLimits.perTransactionLimit',
  })
  const stranger = await newPlatform()
  const { usd } = await newCustomer(stranger)
  expectError(await replay(client, { accountRestrictions: { allowedAccountIds: [usd] } }), {
    code: 'ACCOUNT_NOT_FOUND',
    field: 'policy.accountRestrictions.allowedAccountIds.0',
  })
  expectError(await replay(stranger, {}), { code: 'AGENT_NOT_FOUND' })
})
