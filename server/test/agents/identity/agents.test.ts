import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { fund, newCustomer } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newAgent, newAgentPlatform, readUsage, settled } from '../../worlds/records/agents.testing.ts'

const USD_LIMITS = { currency: 'USD', perTransactionLimit: 100_000 }

describe('an action that the policy allows', () => {
  test('is executed immediately, as a transfer or by quote, and its transaction names the agent', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const transfer = await agent.transferOut(payer, 2_500)
    expect(transfer.status, toJson(transfer.body)).toBe(201)
    expect(transfer.body).toMatchObject({
      agentId: agent.id,
      customerId: payer.id,
      status: 'APPROVED',
      type: 'TRANSFER_OUT',
      transferDetails: {
        amount: 2_500,
        currency: 'USD',
        sourceAccountId: payer.usd,
        destinationAccountId: payer.bank,
      },
      transaction: { agentId: agent.id, status: 'PENDING' },
    })
    const quote = await agent.quote(payer, 1_000)
    expect(quote.status, toJson(quote.body)).toBe(201)
    const executed = await agent.post(`/agents/me/quotes/${quote.body.id}/execute`)
    expect(executed.status, toJson(executed.body)).toBe(200)
    expect(executed.body).toMatchObject({
      status: 'APPROVED',
      type: 'EXECUTE_QUOTE',
      quote: { status: 'PROCESSING' },
    })
    expect(await settled(client, agent, transfer.body.id)).toMatchObject({
      transaction: { status: 'COMPLETED' },
    })
    expect(await settled(client, agent, executed.body.id)).toMatchObject({
      quote: { status: 'COMPLETED' },
      transaction: { status: 'COMPLETED', agentId: agent.id },
    })
    expect(await readUsage(client, agent)).toMatchObject({
      dailyTransactionCount: 2,
      dailySpend: 3_500,
      monthlySpend: 3_500,
    })
  })
})

test('an agent can pay to the UMA address of another customer', async () => {
  const { client, payer, agent } = await newAgentPlatform()
  const otherCustomer = await newCustomer(client)
  const { umaAddress } = (await client.get(`/customers/${otherCustomer.id}`)).body
  const quote = await agent.post('/agents/me/quotes', {
    source: { sourceType: 'ACCOUNT', accountId: payer.usd },
    destination: { destinationType: 'UMA_ADDRESS', umaAddress, currency: 'USD' },
    lockedCurrencySide: 'SENDING',
    lockedCurrencyAmount: 1_000,
  })
  expect(quote.status, toJson(quote.body)).toBe(201)
  expect(quote.body).not.toHaveProperty('counterpartyInformation')
  const executed = await agent.post(`/agents/me/quotes/${quote.body.id}/execute`)
  expect(executed).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
  expect(await settled(client, agent, executed.body.id)).toMatchObject({ quote: { status: 'COMPLETED' } })
})

describe('limits', () => {
  test('are exact to the smallest unit, however many actions run in parallel', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD_LIMITS, dailyLimit: 7_007 },
    })
    const replies = await Promise.all(Array.from({ length: 50 }, () => agent.transferOut(payer, 1_001)))
    const allowed = replies.filter(({ status }) => status === 201)
    expect(allowed).toHaveLength(7)
    for (const reply of replies)
      if (reply.status !== 201)
        expect(reply.body).toMatchObject({
          code: 'VELOCITY_LIMIT_EXCEEDED',
          details: { rule: 'dailyLimit', asked: 1_001, left: 0 },
        })
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 7, dailySpend: 7_007 })
  })

  test('are no longer used by a failed payment', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...USD_LIMITS, dailyTransactionLimit: 1 },
    })
    const { body } = await client.post('/customers/external-accounts', {
      customerId: payer.id,
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '555555002',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    })
    const failing = await agent.transferOut({ ...payer, bank: body.id }, 500)
    expect(failing.status).toBe(201)
    expect(await settled(client, agent, failing.body.id)).toMatchObject({ transaction: { status: 'FAILED' } })
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 0, dailySpend: 0 })
    expect((await agent.transferOut(payer, 500)).status).toBe(201)
  })
})

describe('an action that needs an approval', () => {
  test('waits, sends an event, and is executed by the first approval, through either endpoint', async () => {
    const { client, payer, agent } = await newAgentPlatform({ defaultExecutionMode: 'APPROVAL_REQUIRED' })
    const { status, body } = await agent.transferOut(payer, 2_000)
    expect(status, toJson(body)).toBe(201)
    expect(body).toMatchObject({
      status: 'PENDING_APPROVAL',
      transaction: { status: 'PENDING', agentId: agent.id },
    })
    expect(await readUsage(client, agent)).toMatchObject({ dailySpend: 2_000 })
    // Only the response to the request itself shows the type INCOMING.
    expect((await client.get(`/agents/approvals?agentId=${agent.id}`)).body.data).toEqual([
      { ...body, transaction: { ...body.transaction, type: 'OUTGOING' } },
    ])
    const [event] = await client.events(`&objectId=${body.id}`)
    expect(event).toMatchObject({
      type: 'AGENT_ACTION.PENDING_APPROVAL',
      data: {
        id: body.id,
        agentName: 'Shopper',
        summary:
          'Send 20.00 USD to “Ada Lovelace” (USD account, account number 123456789, routing number 021000021)',
        decision: { because: ['defaultExecutionMode'] },
      },
    })
    const replies = await Promise.all([
      ...Array.from({ length: 5 }, () => client.post(`/agents/${agent.id}/actions/${body.id}/approve`)),
      ...Array.from({ length: 5 }, () => client.post(`/transactions/${body.transaction.id}/approve`)),
    ])
    expect(replies.map((reply) => reply.status)).toEqual(Array(10).fill(200))
    expectError(await client.post(`/agents/${agent.id}/actions/${body.id}/reject`), {
      code: 'ACTION_ALREADY_DECIDED',
    })
    expect(await settled(client, agent, body.id)).toMatchObject({
      status: 'APPROVED',
      transaction: { status: 'COMPLETED' },
    })
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 1, dailySpend: 2_000 })
  })

  test('needs the signature of the customer if a wallet pays', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { currency: 'USDB', perTransactionLimit: 10_000_000 },
    })
    await fund(client, payer.wallet, 5_000_000)
    const quote = await agent.quote(payer, 1_000_000, payer.wallet)
    expect(quote.status, toJson(quote.body)).toBe(201)
    const { body } = await agent.post(`/agents/me/quotes/${quote.body.id}/execute`)
    expect(body.status, toJson(body)).toBe('PENDING_APPROVAL')
    const path = `/agents/${agent.id}/actions/${body.id}/approve`
    const challenge = await client.post(path)
    expect(challenge.status, toJson(challenge.body)).toBe(202)
    expect(challenge.body.payloadToSign).toBe(
      quote.body.paymentInstructions[0].accountOrWalletInfo.payloadToSign,
    )
  })
})

test('an agent belongs to one customer, and cannot see another one', async () => {
  const { client, payer, agent } = await newAgentPlatform()
  const otherPlatform = await newAgentPlatform()
  const stranger = await newAgent(client, (await newAgentPlatform()).payer.id).catch(() => undefined)
  expect(stranger).toBeUndefined()
  const quote = await agent.quote(payer, 1_000)
  expectError(await otherPlatform.agent.get(`/agents/me/quotes/${quote.body.id}`), {
    code: 'QUOTE_NOT_FOUND',
  })
  expectError(await otherPlatform.agent.transferOut(payer, 5), { code: 'ACCOUNT_NOT_FOUND' })
})
