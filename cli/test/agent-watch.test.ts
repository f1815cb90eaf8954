import { Countersign } from '@countersign/sdk'
import { Agent } from '@countersign/sdk/agent'
import { expect, inject, test } from 'vitest'
import { makeFundedCustomer, makePlatform } from '../../sdk/test/platform.testing.ts'
import { timeLimit } from '../../test/machine-speed.ts'
import { watchApprovals } from '../src/agents/watch.ts'

test('agent watch asks about each action once, and submits each decision', async () => {
  const platform = await makePlatform()
  const countersign = new Countersign(platform)
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 1n })
  const params = { accountId: customer.usdId }
  await countersign.call('sandbox_account_fund', { params, body: { amount: 100_000n } })
  const { agent: record, deviceCode } = await countersign.agents.create({
    name: 'Shopper',
    customerId: customer.customerId,
    policy: {
      permissions: ['CREATE_TRANSFERS'],
      defaultExecutionMode: 'APPROVAL_REQUIRED',
      spendingLimits: { currency: 'USD', perTransactionLimit: 10_000n },
    },
  })
  const agent = await Agent.redeem({ baseUrl: inject('baseUrl'), code: deviceCode.code })
  const pay = (amount: bigint) =>
    agent.transferOut({
      source: { accountId: customer.usdId },
      destination: { accountId: customer.bankId },
      amount,
    })
  const actions = [await pay(1_000n), await pay(2_000n), await pay(3_000n)]

  // The second is decided elsewhere while the prompt is open, and the third stays pending.
  const answers = [
    async () => true,
    async () => {
      await countersign.agents.reject(record.id, actions[1]!.id, { reason: 'Elsewhere' })
      return true
    },
    async () => undefined,
  ]
  let questionCount = 0
  const shell = { countersign, baseUrl: platform.baseUrl, isJson: false }
  await watchApprovals(shell, {
    ask: () => answers[questionCount++]!(),
    signal: AbortSignal.timeout(timeLimit(30_000)),
  })
  expect(questionCount).toBe(3)
  const statuses = actions.map(
    async ({ id }) => (await agent.call('agent_me_action_get', { params: { actionId: id } })).body,
  )
  expect(
    (await Promise.all(statuses)).map(({ status, rejectionReason }) => [status, rejectionReason]),
  ).toEqual([
    ['APPROVED', undefined],
    ['REJECTED', 'Elsewhere'],
    ['PENDING_APPROVAL', undefined],
  ])
})
