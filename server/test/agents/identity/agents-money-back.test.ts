import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { newBankAccount } from '../../worlds/client.testing.ts'
import { newAgentPlatform, readUsage, say, settled, used } from '../../worlds/records/agents.testing.ts'

const LIMITS = { currency: 'USD', perTransactionLimit: 10_000, dailyLimit: 10_000, monthlyLimit: 50_000 }

describe('the budget of an agent', () => {
  test('stays used by payments whose payout and refund fail, however often the agent tries', async () => {
    const { client, payer, agent } = await newAgentPlatform({ spendingLimits: LIMITS })
    // The agent adds the payee itself.
    const { body } = await agent.post('/agents/me/external-accounts', {
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '123456007',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Mallory' },
      },
    })
    const failingPayer = { ...payer, bank: body.id as string }
    const first = await agent.pays(failingPayer, 6_000)
    expect(await settled(client, agent, first.body.id)).toMatchObject({
      transaction: { status: 'FAILED', refund: { status: 'FAILED' } },
    })
    expect(await used(client, agent)).toEqual([1, 6_000, 6_000])
    for (const amount of [10_000, 4_001])
      expect(await agent.pays(failingPayer, amount)).toMatchObject({
        status: 403,
        body: { code: 'VELOCITY_LIMIT_EXCEEDED', details: { rule: 'dailyLimit', left: 4_000 } },
      })
    expect((await agent.pays(failingPayer, 4_000)).status).toBe(200)
    await client.advance(0)
    expect((await agent.transferOut(payer, 1)).status).toBe(403)
    expect(await used(client, agent)).toEqual([2, 10_000, 10_000])
    // The budget counts exactly the amount that left the account.
    const { data } = (await agent.get('/agents/me/internal-accounts?currency=USD')).body
    expect(data[0].balance.amount).toBe(1_000_000 - 10_000)
  })

  test.each([
    ['a hold that is voided', '002', 0],
    ['the refund of a payment that the counterparty cannot deliver', '004', 0],
    ['a return by the bank after completion', '005', 600],
    ['the refund of a cancelled payment', '006', 0],
  ])('is released when the money comes back: %s', async (_, suffix, seconds) => {
    const { client, payer, agent } = await newAgentPlatform({ spendingLimits: LIMITS })
    const bank = await newBankAccount(client, payer.id, suffix)
    const action = await agent.pays({ ...payer, bank }, 10_000)
    expect(action.body.status, toJson(action.body)).toBe('APPROVED')
    await client.advance(seconds)
    const { transaction } = await settled(client, agent, action.body.id)
    expect(transaction.status).toBe('FAILED')
    expect(transaction.refund?.status ?? 'COMPLETED').toBe('COMPLETED')
    const { data } = (await agent.get('/agents/me/internal-accounts?currency=USD')).body
    expect(data[0].balance.amount).toBe(1_000_000)
    expect(await used(client, agent)).toEqual([0, 0, 0])
    expect((await agent.transferOut(payer, 10_000)).status).toBe(201)
  })

  test('is released for actions that are rejected, expire, or fail after the approval', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: LIMITS,
      defaultExecutionMode: 'APPROVAL_REQUIRED',
    })
    const failingPayer = { ...payer, bank: await newBankAccount(client, payer.id, '002') }
    const [rejected, quoteAction, failed, undecided] = [
      await agent.transferOut(payer, 1_000),
      await agent.pays(payer, 2_000),
      await agent.transferOut(failingPayer, 3_000),
      await agent.transferOut(payer, 4_000),
    ]
    expect(await used(client, agent)).toEqual([4, 10_000, 10_000])
    await say(client, 'reject', rejected.body)
    await say(client, 'reject', quoteAction.body)
    await say(client, 'approve', failed.body)
    expect(await settled(client, agent, failed.body.id)).toMatchObject({ transaction: { status: 'FAILED' } })
    expect(await used(client, agent)).toEqual([1, 4_000, 4_000])
    await client.advance(24 * 3600)
    expect((await agent.get(`/agents/me/actions/${undecided.body.id}`)).body.status).toBe('FAILED')
    expect((await readUsage(client, agent)).dailySpend).toBe(0)
  })
})
