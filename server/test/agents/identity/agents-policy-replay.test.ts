import { expect, test } from 'vitest'
import { type Client, fund, newBankAccount, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent } from '../../worlds/records/agents.testing.ts'

const DAY = 86_400

/** Creates an agent that has requested payments of these amounts on each of two days. */
async function createBusyAgent(client: Client, amounts: readonly number[]) {
  const customer = await newCustomer(client)
  await fund(client, customer.usd, 1_000_000)
  const external = await newBankAccount(client, customer.id)
  const agent = await newAgent(client, customer.id, {
    spendingLimits: { currency: 'USD', perTransactionLimit: 9_000, dailyLimit: null, monthlyLimit: null },
    approvalThresholds: { amount: 5_000 },
  })
  const requestTransfer = (amount: number) =>
    agent.post('/agents/me/transfer-out', {
      source: { accountId: customer.usd },
      destination: { accountId: external },
      amount,
    })
  for (const amount of amounts) await requestTransfer(amount)
  await client.advance(DAY)
  for (const amount of amounts) await requestTransfer(amount)
  return { agent, customer }
}

test('a draft policy is replayed over past requests of an agent, and its own decisions count against its limits', async () => {
  const client = await newPlatform()
  const { agent } = await createBusyAgent(client, [1_000, 6_000, 9_500, 2_000])
  const replay = (body: unknown) => client.post(`/agents/${agent.id}/policy/replay`, body)
  const unchanged = await replay({ policy: {} })
  expect(unchanged.status, JSON.stringify(unchanged.body)).toBe(200)
  expect(unchanged.body.counts).toEqual({
    actions: 8,
    changed: 0,
    was: { ALLOWED: 4, APPROVAL_REQUIRED: 2, DENIED: 2 },
    wouldBe: { ALLOWED: 4, APPROVAL_REQUIRED: 2, DENIED: 2 },
  })
  expect(unchanged.body.isCut).toBe(false)
  const readState = async () => [
    (await client.get(`/agents/${agent.id}`)).body,
    (await client.get(`/agents/${agent.id}/decisions`)).body,
  ]
  const before = await readState()
  const policy = {
    spendingLimits: { perTransactionLimit: 10_000, dailyLimit: 10_000 },
    approvalThresholds: { amount: 1_500 },
  }
  const { data, counts } = (await replay({ policy })).body
  expect(await readState()).toEqual(before)
  const outcomes = data.map(({ amount, was, wouldBe, rule }: (typeof data)[0]) => [
    amount.amount,
    was,
    wouldBe,
    rule,
  ])
  const dayOutcomes = [
    [1_000, 'ALLOWED', 'ALLOWED', undefined],
    [6_000, 'APPROVAL_REQUIRED', 'APPROVAL_REQUIRED', 'approvalThreshold'],
    // 3,000 of the daily limit are left.
    [9_500, 'DENIED', 'DENIED', 'dailyLimit'],
    [2_000, 'ALLOWED', 'APPROVAL_REQUIRED', 'approvalThreshold'],
  ]
  expect(outcomes).toEqual([...dayOutcomes, ...dayOutcomes])
  expect(counts).toMatchObject({ actions: 8, changed: 2 })
  expect(data[2].words).toBe('The daily limit leaves 30.00 USD.')
  expect(data[0]).toMatchObject({
    actionType: 'TRANSFER_OUT',
    payee: 'Ada Lovelace, USD account •••• 6789',
    words: 'The policy allows it.',
  })
})

test('a replay covers exactly its time range, and counts an approved action once', async () => {
  const client = await newPlatform()
  const { agent } = await createBusyAgent(client, [6_000])
  const [waiting] = (await client.get('/approvals?kind=AGENT_ACTION')).body.data
  await client.post(`/agents/${agent.id}/actions/${waiting.objectId}/approve`)
  const replay = async (body: object) =>
    (await client.post(`/agents/${agent.id}/policy/replay`, { policy: {}, ...body })).body.data
  const decisions = await replay({})
  expect(decisions).toHaveLength(2)
  expect(await replay({ startDate: decisions[1].at })).toEqual([decisions[1]])
  expect(await replay({ endDate: decisions[0].at })).toEqual([decisions[0]])
})

test('a draft that is not a valid policy is refused, and so is the agent of another platform', async () => {
  const client = await newPlatform()
  const { agent } = await createBusyAgent(client, [])
  const replay = (caller: Client, policy: object) =>
    caller.post(`/agents/${agent.id}/policy/replay`, { policy })
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
