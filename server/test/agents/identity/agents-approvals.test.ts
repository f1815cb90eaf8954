import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import {
  type Client,
  fund,
  newCustomer,
  type Reply,
  sendSigned,
  signIn,
} from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  type AgentClient,
  advanceTo,
  changePolicy,
  newAgent,
  newAgentPlatform,
  newWaitingTransfer,
  readUsage,
  say,
  settled,
} from '../../worlds/records/agents.testing.ts'

const DAY_SECONDS = 24 * 3600
const NOTHING = { dailyTransactionCount: 0, dailySpend: 0, monthlySpend: 0 }
const WAITING_QUOTES = { defaultExecutionMode: 'APPROVAL_REQUIRED' }

const readBalances = async (client: Client, customerId: string, currency: string) => {
  const path = `/customers/internal-accounts?customerId=${customerId}&currency=${currency}`
  const [{ balance, totalBalance }] = (await client.get(path)).body.data
  return [balance.amount, totalBalance.amount]
}

/** Executes a quote that then waits for the approval of the platform. */
async function executeWaitingQuote(agent: AgentClient, quote: Reply): Promise<Reply['body']> {
  expect(quote.status, toJson(quote.body)).toBe(201)
  const { body } = await agent.post(`/agents/me/quotes/${quote.body.id}/execute`)
  expect(body.status, toJson(body)).toBe('PENDING_APPROVAL')
  return body
}

describe('a rejected action', () => {
  test('moves no money, gives the agent the reason, releases its reservation and stays rejected', async () => {
    const { client, payer, agent, action } = await newWaitingTransfer()
    const before = await readBalances(client, payer.id, 'USD')
    const first = await say(client, 'reject', action, { reason: 'Too much.' })
    expect(first).toMatchObject({
      status: 200,
      body: { status: 'REJECTED', rejectionReason: 'Too much.', transaction: { status: 'FAILED' } },
    })
    const repeated = await say(client, 'reject', action, { reason: 'Other words.' })
    expect([repeated.status, repeated.body]).toEqual([200, first.body])
    expect((await client.post(`/transactions/${action.transaction.id}/reject`)).status).toBe(200)
    expectError(await say(client, 'approve', action), { code: 'ACTION_ALREADY_DECIDED', field: 'actionId' })
    expectError(await client.post(`/transactions/${action.transaction.id}/approve`), {
      code: 'TRANSACTION_NOT_PENDING_PLATFORM_APPROVAL',
    })
    expect((await agent.get(`/agents/me/actions/${action.id}`)).body).toEqual(first.body)
    expect((await agent.get('/agents/me/actions?status=REJECTED')).body.data).toEqual([first.body])
    expect((await client.get('/agents/approvals')).body.data).toEqual([])
    expect(await readUsage(client, agent)).toMatchObject(NOTHING)
    await client.advance(2 * DAY_SECONDS)
    expect(await readBalances(client, payer.id, 'USD')).toEqual(before)
  })

  test('of a quote ends the quote', async () => {
    const { client, payer, agent } = await newAgentPlatform(WAITING_QUOTES)
    const action = await executeWaitingQuote(agent, await agent.quote(payer, 1_000))
    expect((await client.post(`/transactions/${action.transaction.id}/reject`)).status).toBe(200)
    const { body } = await agent.get(`/agents/me/actions/${action.id}`)
    expect(body).toMatchObject({
      status: 'REJECTED',
      quote: { status: 'FAILED' },
      transaction: { status: 'FAILED' },
    })
    expectError(await client.post(`/quotes/${action.quote.id}/execute`), { code: 'INVALID_STATE_TRANSITION' })
    expect(await readUsage(client, agent)).toMatchObject(NOTHING)
  })
})

describe('an undecided action', () => {
  test('fails after 24 hours or when its quote expires, and not before', async () => {
    const { client, payer, agent, action } = await newWaitingTransfer()
    await client.advance(DAY_SECONDS - 120)
    expect((await agent.get(`/agents/me/actions/${action.id}`)).body.status).toBe('PENDING_APPROVAL')
    const quoteAction = await executeWaitingQuote(agent, await agent.quote(payer, 1_000))
    await client.advance(180)
    expect((await agent.get(`/agents/me/actions/${action.id}`)).body).toMatchObject({
      status: 'FAILED',
      rejectionReason: 'The action was not approved in time.',
      transaction: { status: 'EXPIRED' },
    })
    await advanceTo(client, new Date(quoteAction.quote.expiresAt))
    expect((await agent.get(`/agents/me/actions/${quoteAction.id}`)).body).toMatchObject({
      status: 'FAILED',
      quote: { status: 'EXPIRED' },
      transaction: { status: 'EXPIRED' },
    })
    expect(await readUsage(client, agent)).toMatchObject(NOTHING)
    for (const expired of [action, quoteAction])
      for (const decision of ['approve', 'reject'] as const)
        expectError(await say(client, decision, expired), { code: 'ACTION_ALREADY_DECIDED' })
  })
})

/** Conditions that may change before the approval. */
const CHANGED_CONDITIONS: readonly (readonly [
  label: string,
  change: (world: Awaited<ReturnType<typeof newWaitingTransfer>>) => Promise<unknown>,
  reason: RegExp,
])[] = [
  [
    'the agent was paused',
    ({ client, agent }) => client.send('PATCH', `/agents/${agent.id}`, { isPaused: true }),
    /paused/,
  ],
  [
    'the permission was revoked',
    ({ client, agent }) => changePolicy(client, agent, { permissions: ['VIEW_TRANSACTIONS'] }),
    /CREATE_TRANSFERS/,
  ],
  [
    'a limit was lowered',
    ({ client, agent }) => changePolicy(client, agent, { spendingLimits: { perTransactionLimit: 1_999 } }),
    /19\.99 USD/,
  ],
  [
    'the daily limit was lowered',
    ({ client, agent }) => changePolicy(client, agent, { spendingLimits: { dailyLimit: 1_999 } }),
    /19\.99 USD/,
  ],
  [
    'the limits are in another currency',
    ({ client, agent }) =>
      changePolicy(client, agent, { spendingLimits: { currency: 'EUR', perTransactionLimit: 100_000 } }),
    /another currency/,
  ],
  [
    'the account is no longer allowed',
    ({ client, agent, payer }) =>
      changePolicy(client, agent, { accountRestrictions: { allowedAccountIds: [payer.wallet] } }),
    /does not allow InternalAccount:/,
  ],
  [
    'the payee is no longer allowed',
    ({ client, agent }) =>
      changePolicy(client, agent, { accountRestrictions: { allowedExternalAccountIds: [] } }),
    /does not allow ExternalAccount:/,
  ],
  [
    'the money is gone',
    ({ client, payer }) =>
      client.post('/transfer-out', {
        source: { accountId: payer.usd },
        destination: { accountId: payer.bank },
      }),
    /balance|spend/i,
  ],
  [
    'the external account was removed',
    ({ client, payer }) => client.send('DELETE', `/customers/external-accounts/${payer.bank}`),
    /account/i,
  ],
]

describe('an approval', () => {
  test.each(CHANGED_CONDITIONS)(
    'fails if %s, with the reason, and releases the reservation',
    async (_, change, reason) => {
      const world = await newWaitingTransfer()
      const { client, agent, action } = world
      const changed = (await change(world)) as Reply
      expect(changed.status, toJson(changed.body)).toBeLessThan(300)
      const reply = await say(client, 'approve', action)
      expect(reply, toJson(reply.body)).toMatchObject({
        status: 200,
        body: { status: 'FAILED', transaction: { status: 'FAILED' } },
      })
      expect(reply.body.rejectionReason).toMatch(reason)
      const repeated = await say(client, 'approve', action)
      expect([repeated.status, repeated.body]).toEqual([200, reply.body])
      expectError(await say(client, 'reject', action), { code: 'ACTION_ALREADY_DECIDED' })
      // Payments made before do not belong to this action.
      const { dailyTransactionCount, dailySpend, monthlySpend } = await readUsage(client, agent)
      expect({ dailyTransactionCount, dailySpend, monthlySpend }).toEqual(NOTHING)
      expect((await agent.get(`/agents/me/actions/${action.id}`)).body).toEqual(reply.body)
    },
  )

  test('of a quote executes it once, and a customer with a pending action cannot be deleted', async () => {
    const { client, payer, agent } = await newAgentPlatform(WAITING_QUOTES)
    const action = await executeWaitingQuote(agent, await agent.quote(payer, 1_000))
    const approved = await say(client, 'approve', action)
    expect(approved.body).toMatchObject({ status: 'APPROVED', quote: { status: 'PROCESSING' } })
    expect(await settled(client, agent, action.id)).toMatchObject({ transaction: { status: 'COMPLETED' } })
    expect((await say(client, 'approve', action)).body).toMatchObject({
      status: 'APPROVED',
      transaction: { status: 'COMPLETED' },
    })
    const pull = {
      source: { accountId: payer.bank },
      destination: { accountId: payer.usd },
      amount: 50,
    }
    const pulled = (await agent.post('/agents/me/transfer-in', pull)).body
    expect(pulled).toMatchObject({
      status: 'PENDING_APPROVAL',
      type: 'TRANSFER_IN',
      transferDetails: {
        amount: 50,
        currency: 'USD',
        sourceAccountId: payer.bank,
        destinationAccountId: payer.usd,
      },
    })
    const transferOut = { source: { accountId: payer.usd }, destination: { accountId: payer.bank } }
    expect((await client.post('/transfer-out', transferOut)).status).toBe(201)
    await client.advance(0)
    const refused = await client.send('DELETE', `/customers/${payer.id}`)
    expectError(refused, { code: 'CUSTOMER_NOT_EMPTY' })
    expect(refused.body.details.transactions).toEqual([{ id: pulled.transaction.id, status: 'PENDING' }])
    expect((await say(client, 'reject', pulled)).status).toBe(200)
    expect((await client.send('DELETE', `/customers/${payer.id}`)).status).toBe(200)
    expectError(await agent.get('/agents/me'), { code: 'UNAUTHORIZED' })
  })

  test('starts a transfer in, and a transfer out of the whole balance as requested', async () => {
    const { client, payer, agent } = await newAgentPlatform(WAITING_QUOTES)
    await changePolicy(client, agent, { spendingLimits: { perTransactionLimit: 1_000_000 } })
    const [source, destination] = [{ accountId: payer.usd }, { accountId: payer.bank }]
    const wholeTransfer = await agent.post('/agents/me/transfer-out', { source, destination })
    expect(wholeTransfer.body.transferDetails.amount).toBe(1_000_000)
    expect((await say(client, 'approve', wholeTransfer.body)).body.status).toBe('APPROVED')
    const [balance] = await readBalances(client, payer.id, 'USD')
    expect(balance).toBe(0)
    const pull = { source: destination, destination: source, amount: 700 }
    const pulled = (await agent.post('/agents/me/transfer-in', pull)).body
    expect((await say(client, 'approve', pulled)).body.status).toBe('APPROVED')
    for (const { id } of [wholeTransfer.body, pulled])
      expect(await settled(client, agent, id)).toMatchObject({ transaction: { status: 'COMPLETED' } })
    expect(await readBalances(client, payer.id, 'USD')).toEqual([700, 700])
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 2, dailySpend: 1_000_700 })
  })

  test('and a parallel rejection have exactly one effect', async () => {
    for (let round = 0; round < 3; round++) {
      const { client, payer, agent, action } = await newWaitingTransfer()
      const transaction = `/transactions/${action.transaction.id}`
      const replies = await Promise.all([
        ...Array.from({ length: 4 }, () => say(client, 'approve', action)),
        ...Array.from({ length: 4 }, () => say(client, 'reject', action)),
        client.post(`${transaction}/approve`),
        client.post(`${transaction}/reject`),
      ])
      const settledAction = await settled(client, agent, action.id)
      const isApproved = settledAction.status === 'APPROVED'
      expect(settledAction.transaction.status).toBe(isApproved ? 'COMPLETED' : 'FAILED')
      const winners = [isApproved, isApproved, isApproved, isApproved]
      const expected = [...winners, ...winners.map((won) => !won), isApproved, !isApproved]
      expect(replies.map(({ status }) => status)).toEqual(expected.map((won) => (won ? 200 : 409)))
      expect(await readBalances(client, payer.id, 'USD')).toEqual(
        isApproved ? [998_000, 998_000] : [1_000_000, 1_000_000],
      )
      expect(await readUsage(client, agent)).toMatchObject(
        isApproved ? { dailyTransactionCount: 1, dailySpend: 2_000 } : NOTHING,
      )
      const { data } = (await client.get(`/agents/${agent.id}/decisions`)).body
      expect(data.filter(({ actionId }: { actionId: string }) => actionId === action.id)).toHaveLength(
        isApproved ? 2 : 1,
      )
    }
  })

  test('is refused after the agent was deleted, which rejects its waiting actions', async () => {
    const { client, agent, action, payer } = await newWaitingTransfer()
    expect((await client.send('DELETE', `/agents/${agent.id}`)).status).toBe(204)
    for (const decision of ['approve', 'reject'] as const)
      expectError(await say(client, decision, action), { code: 'AGENT_NOT_FOUND' })
    expect((await client.get(`/transactions/${action.transaction.id}`)).body).toMatchObject({
      status: 'FAILED',
      agentId: agent.id,
    })
    expect((await client.get('/agents/approvals')).body.data).toEqual([])
    expect(await readBalances(client, payer.id, 'USD')).toEqual([1_000_000, 1_000_000])
  })

  test('is refused under the transaction or the action of another agent', async () => {
    const { client, payer, agent, action } = await newWaitingTransfer()
    const otherAgent = await newAgent(client, payer.id)
    expectError(await client.post(`/agents/${otherAgent.id}/actions/${action.id}/approve`), {
      code: 'AGENT_ACTION_NOT_FOUND',
      field: 'actionId',
    })
    expectError(await agent.post(`/agents/${agent.id}/actions/${action.id}/approve`), {
      code: 'UNAUTHORIZED',
    })
    expectError(await agent.post(`/transactions/${action.transaction.id}/approve`), { code: 'UNAUTHORIZED' })
    expect((await otherAgent.get('/agents/me/actions')).body.data).toEqual([])
  })
})

describe('for a payment from an embedded wallet', () => {
  const IN_USDB = { spendingLimits: { currency: 'USDB', perTransactionLimit: 10_000_000 } }

  async function createWalletWorld(policy = {}) {
    const world = await newAgentPlatform({ ...IN_USDB, ...policy })
    const { client, payer } = world
    await fund(client, payer.wallet, 5_000_000)
    const device = await signIn(client, payer.wallet)
    const createQuote = async () => {
      const quote = await world.agent.quote(payer, 1_000_000, payer.wallet)
      expect(quote.status, toJson(quote.body)).toBe(201)
      return quote
    }
    const readPayload = (quote: Reply): string =>
      quote.body.paymentInstructions[0].accountOrWalletInfo.payloadToSign
    const executeSigned = (quote: Reply, stamp: string) =>
      world.agent.post(`/agents/me/quotes/${quote.body.id}/execute`, undefined, {
        'Svc-Wallet-Signature': stamp,
      })
    return { ...world, device, createQuote, readPayload, executeSigned }
  }

  test('the approval is a signed retry, through the action or the transaction', async () => {
    const { client, agent, device, createQuote } = await createWalletWorld()
    for (const path of [
      ({ id }: Reply['body']) => `/agents/${agent.id}/actions/${id}/approve`,
      ({ transaction }: Reply['body']) => `/transactions/${transaction.id}/approve`,
    ]) {
      const action = await executeWaitingQuote(agent, await createQuote())
      const challenge = await client.post(path(action))
      expect(challenge.status, toJson(challenge.body)).toBe(202)
      const stranger = await signIn(client, (await newCustomer(client)).wallet)
      const buildHeaders = (stamp: string) => ({
        'Svc-Wallet-Signature': stamp,
        'Request-Id': challenge.body.requestId,
      })
      const withoutRequestId = { 'Svc-Wallet-Signature': device.stamp(challenge.body.payloadToSign) }
      expect((await client.post(path(action), undefined, withoutRequestId)).body.code).toBe(
        'REQUEST_ID_MISSING',
      )
      const foreignSignature = buildHeaders(stranger.stamp(challenge.body.payloadToSign))
      expect((await client.post(path(action), undefined, foreignSignature)).status).toBe(401)
      expect((await agent.get(`/agents/me/actions/${action.id}`)).body.status).toBe('PENDING_APPROVAL')
      const approved = await sendSigned(client, device, 'POST', path(action))
      expect(approved.status, toJson(approved.body)).toBe(200)
      expect(await settled(client, agent, action.id)).toMatchObject({
        status: 'APPROVED',
        transaction: { status: 'COMPLETED' },
      })
      // A repeated approval has no further effect, so it needs no signature.
      expect((await client.post(path(action))).status).toBe(200)
    }
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 2, dailySpend: 2_000_000 })
  })

  test('a signature sent by the agent is enough, but only for the signed quote', async () => {
    const { client, agent, device, createQuote, readPayload, executeSigned } = await createWalletWorld()
    const [quote, otherQuote] = [await createQuote(), await createQuote()]
    const foreignReply = await executeSigned(quote, device.stamp(readPayload(otherQuote)))
    expect(foreignReply.status, toJson(foreignReply.body)).toBe(401)
    const executed = await executeSigned(quote, device.stamp(readPayload(quote)))
    expect(executed, toJson(executed.body)).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
    const repeated = await executeSigned(quote, device.stamp(readPayload(quote)))
    expect([401, 409], toJson(repeated.body)).toContain(repeated.status)
    expect(await settled(client, agent, executed.body.id)).toMatchObject({
      transaction: { status: 'COMPLETED' },
    })
    expect(await readUsage(client, agent)).toMatchObject({ dailyTransactionCount: 1 })
  })

  test('a signature sent by the agent stays valid until the platform approves', async () => {
    const { client, agent, device, createQuote, readPayload, executeSigned } = await createWalletWorld({
      defaultExecutionMode: 'APPROVAL_REQUIRED',
    })
    const quote = await createQuote()
    const { body } = await executeSigned(quote, device.stamp(readPayload(quote)))
    expect(body.status, toJson(body)).toBe('PENDING_APPROVAL')
    const approved = await say(client, 'approve', body)
    expect(approved, toJson(approved.body)).toMatchObject({ status: 200, body: { status: 'APPROVED' } })
    expect(await settled(client, agent, body.id)).toMatchObject({ transaction: { status: 'COMPLETED' } })
  })
})
