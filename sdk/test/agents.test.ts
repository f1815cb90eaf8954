import type { ExternalAccountInfoValue } from '@countersign/contract/accounts/account-types'
import { describe, expect, inject, test } from 'vitest'
import { Agent } from '../src/agent.ts'
import type { BodyInput } from '../src/client/calls.ts'
import { SignatureRequiredError } from '../src/client/errors.ts'
import type { Countersign } from '../src/countersign.ts'
import { onlyQuote } from '../src/signing/only-quote.ts'
import { NotDecidedError } from '../src/waiting/wait-for-decision.ts'
import { listAll, makeClient, makeFundedCustomer } from './platform.testing.ts'

type Policy = BodyInput<'agent_create'>['policy']

const POLICY: Policy = {
  permissions: [
    'VIEW_TRANSACTIONS',
    'CREATE_TRANSFERS',
    'CREATE_QUOTES',
    'EXECUTE_QUOTES',
    'MANAGE_EXTERNAL_ACCOUNTS',
  ],
  defaultExecutionMode: 'AUTO',
  spendingLimits: { currency: 'USD', perTransactionLimit: 100_000n },
}

/** Creates a platform, a customer with 1,000.00 USD, and the customer's connected agent. */
async function makeAgent(policy: Partial<Policy> = {}) {
  const countersign = await makeClient()
  const customer = await makeFundedCustomer(countersign, { email: 'ada@example.com', amount: 50_000_000n })
  await countersign.call('sandbox_account_fund', {
    params: { accountId: customer.usdId },
    body: { amount: 100_000n },
  })
  const { customerId } = customer
  const created = await countersign.agents.create({
    name: 'Shopper',
    customerId,
    policy: { ...POLICY, ...policy },
  })
  const { code } = created.deviceCode
  const agent = await Agent.redeem({ baseUrl: inject('baseUrl'), code })
  return { countersign, customer, agent, agentId: created.agent.id, code }
}

const settleAll = (countersign: Countersign) =>
  countersign.call('sandbox_clock_advance', { body: { seconds: 0 } })

describe('an agent', () => {
  test("reads its customer's records, pays by transfer and by quote, and reads the outcome", async () => {
    const { countersign, customer, agent, agentId, code } = await makeAgent()
    expect(await countersign.agents.getDeviceCode(code)).toMatchObject({ redeemed: true })
    expect(await agent.me()).toMatchObject({ id: agentId, customerId: customer.customerId, policy: POLICY })
    expect((await listAll(agent.internalAccounts({ limit: 1 }))).map(({ id }) => id)).toContain(
      customer.usdId,
    )
    expect(await listAll(agent.externalAccounts())).toEqual([await agent.externalAccount(customer.bankId)])
    expect(await agent.exchangeRates({ sourceCurrency: 'USD', destinationCurrency: ['EUR'] })).not.toEqual([])

    const body = { source: { accountId: customer.usdId }, destination: { accountId: customer.bankId } }
    const out = await agent.transferOut({ ...body, amount: 2_500n }, { idempotencyKey: 'once' })
    expect(out).toMatchObject({ status: 'APPROVED', transferDetails: { amount: 2_500n } })
    const again = await agent.transferOut({ ...body, amount: 2_500n }, { idempotencyKey: 'once' })
    expect(again.id).toBe(out.id)
    const quote = await agent.createQuote({
      source: { sourceType: 'ACCOUNT', accountId: customer.usdId },
      destination: { destinationType: 'ACCOUNT', accountId: customer.bankId },
      lockedCurrencySide: 'SENDING',
      lockedCurrencyAmount: 1_000n,
    })
    expect(await agent.quote(quote.id)).toEqual(quote)
    const executed = await agent.executeQuote(quote.id)
    expect(await agent.waitForDecision(executed.id)).toMatchObject({
      status: 'APPROVED',
      quote: { id: quote.id },
    })
    await settleAll(countersign)
    const ended = await agent.waitForTransaction(quote.transactionId)
    expect(ended).toMatchObject({ status: 'COMPLETED', agentId })
    expect((await agent.transaction(quote.transactionId)).status).toBe('COMPLETED')
    expect((await listAll(agent.transactions())).map(({ id }) => id)).toContain(out.transaction!.id)
    expect((await listAll(agent.actions({ limit: 1 }))).map(({ id }) => id)).toEqual([executed.id, out.id])

    const into = await agent.transferIn({
      source: { accountId: customer.bankId },
      destination: { accountId: customer.usdId },
      amount: 700n,
    })
    expect(into).toMatchObject({ status: 'APPROVED', type: 'TRANSFER_IN' })
    expect((await agent.me()).usage).toMatchObject({ dailyTransactionCount: 3, dailySpend: 4_200n })
  })

  test('manages the external accounts that it may pay', async () => {
    const { customer, agent } = await makeAgent()
    const { paymentRails: _, ...accountInfo } = (await agent.externalAccount(customer.bankId))
      .accountInfo as Extract<ExternalAccountInfoValue, { accountType: 'USD_ACCOUNT' }>
    const { id } = await agent.addExternalAccount({
      currency: 'USD',
      accountInfo: {
        ...accountInfo,
        accountNumber: '000987654321',
      } as BodyInput<'agent_me_external_account_create'>['accountInfo'],
    })
    await agent.removeExternalAccount(id)
    await expect(agent.externalAccount(id)).rejects.toMatchObject({ status: 404, code: 'ACCOUNT_NOT_FOUND' })
  })

  test('learns the denying rule, the requested and the remaining amount', async () => {
    const limits = { ...POLICY.spendingLimits, dailyLimit: 3_000n }
    const { customer, agent, countersign, agentId } = await makeAgent({ spendingLimits: limits })
    const action = {
      type: 'TRANSFER_OUT',
      amount: 3_001n,
      currency: 'USD',
      sourceAccountId: customer.usdId,
      destinationAccountId: customer.bankId,
    } as const
    const denied = { outcome: 'DENIED', rule: 'dailyLimit', asked: 3_001n, left: 3_000n }
    expect((await agent.simulate(action)).decision).toMatchObject(denied)
    expect((await countersign.agents.simulate(agentId, action)).decision).toMatchObject(denied)
    const transfer = agent.transferOut({
      source: { accountId: customer.usdId },
      destination: { accountId: customer.bankId },
      amount: 3_001n,
    })
    await expect(transfer).rejects.toMatchObject({
      status: 403,
      code: 'VELOCITY_LIMIT_EXCEEDED',
      details: { rule: 'dailyLimit', asked: 3_001n, left: 3_000n },
    })
    const [decision] = await listAll(countersign.agents.decisions(agentId))
    expect(decision).toMatchObject({ agentId, decision: denied })
  })
})

describe('an action that waits', () => {
  const transfer = (world: Awaited<ReturnType<typeof makeAgent>>) =>
    world.agent.transferOut({
      source: { accountId: world.customer.usdId },
      destination: { accountId: world.customer.bankId },
      amount: 2_000n,
    })

  test('is awaited until the platform has decided', async () => {
    const world = await makeAgent({ defaultExecutionMode: 'APPROVAL_REQUIRED' })
    const { countersign, agent, agentId } = world
    const [first, second] = [await transfer(world), await transfer(world)]
    expect(first.status).toBe('PENDING_APPROVAL')
    const soon = agent.waitForDecision(first.id, { timeoutMs: 1 })
    await expect(soon).rejects.toBeInstanceOf(NotDecidedError)
    const waiting = await listAll(countersign.agents.approvals({ agentId, sortOrder: 'asc' }))
    expect(waiting.map(({ id }) => id)).toEqual([first.id, second.id])
    expect(waiting[0]).toEqual({ ...first, transaction: { ...first.transaction, type: 'OUTGOING' } })

    const waits = [agent.waitForDecision(first.id), agent.waitForDecision(second.id)]
    const approved = await countersign.agents.approve(agentId, first.id)
    expect(approved.status).toBe('APPROVED')
    await countersign.agents.reject(agentId, second.id, { reason: 'Not this month' })
    expect(await Promise.all(waits)).toMatchObject([
      { id: first.id, status: 'APPROVED' },
      { id: second.id, status: 'REJECTED', rejectionReason: 'Not this month' },
    ])
    await expect(countersign.agents.reject(agentId, first.id)).rejects.toMatchObject({
      status: 409,
      code: 'ACTION_ALREADY_DECIDED',
    })
  })

  test('fails with a reason if a check no longer passes', async () => {
    const world = await makeAgent({ defaultExecutionMode: 'APPROVAL_REQUIRED' })
    const { countersign, agent, agentId } = world
    const action = await transfer(world)
    await countersign.agents.updatePolicy(agentId, { spendingLimits: { perTransactionLimit: 1_999n } })
    expect((await countersign.agents.approve(agentId, action.id)).status).toBe('FAILED')
    const decided = await agent.waitForDecision(action.id)
    expect(decided).toMatchObject({ status: 'FAILED', rejectionReason: expect.any(String) })
  })

  test('of a wallet is approved in one call with a session of the wallet', async () => {
    const limits = { currency: 'USDB', perTransactionLimit: 10_000_000n }
    const { countersign, customer, agent, agentId } = await makeAgent({ spendingLimits: limits })
    const quote = () =>
      agent.createQuote({
        source: { sourceType: 'ACCOUNT', accountId: customer.walletId },
        destination: { destinationType: 'ACCOUNT', accountId: customer.bankId },
        lockedCurrencySide: 'SENDING',
        lockedCurrencyAmount: 2_000_000n,
      })
    const agentQuote = await quote()
    const action = await agent.executeQuote(agentQuote.id)
    expect(action.status).toBe('PENDING_APPROVAL')
    const unsigned = await countersign.agents.approve(agentId, action.id).catch((error: unknown) => error)
    expect(unsigned).toBeInstanceOf(SignatureRequiredError)
    const wallet = countersign.wallet(customer.walletId, { confirm: () => true })
    const session = await wallet.email.signIn({ code: '000000' })
    const other = { signer: onlyQuote('Quote:other', session) }
    await expect(countersign.agents.approve(agentId, action.id, other)).rejects.toThrow('quote')
    const signer = onlyQuote(agentQuote.id, session)
    expect((await countersign.agents.approve(agentId, action.id, { signer })).status).toBe('APPROVED')
    expect((await agent.waitForDecision(action.id)).status).toBe('APPROVED')

    const signed = await quote()
    const signature = await session.approveQuote(signed)
    expect((await agent.executeQuote(signed.id, { signature })).status).toBe('APPROVED')
  })
})

test('a platform lists its agents, renames, pauses, reconnects and deletes them', async () => {
  const { countersign, agent, agentId } = await makeAgent()
  const { agents } = countersign
  expect((await agents.update(agentId, { name: 'Buyer', isPaused: true })).name).toBe('Buyer')
  expect((await agent.me()).isPaused).toBe(true)
  expect((await listAll(agents.list({ isPaused: true }))).map(({ id }) => id)).toEqual([agentId])
  expect(await agents.get(agentId)).toMatchObject({ isConnected: true, isPaused: true })
  const { code } = await agents.createDeviceCode(agentId)
  const again = await Agent.redeem({ baseUrl: inject('baseUrl'), code })
  await expect(agent.me()).rejects.toMatchObject({ status: 401 })
  await expect(Agent.redeem({ baseUrl: inject('baseUrl'), code })).rejects.toMatchObject({
    status: 404,
    code: 'DEVICE_CODE_NOT_FOUND',
  })
  const reconnected = Agent.withToken({ baseUrl: inject('baseUrl'), accessToken: again.accessToken })
  expect((await reconnected.me()).id).toBe(agentId)
  await agents.delete(agentId)
  await expect(reconnected.me()).rejects.toMatchObject({ status: 401, code: 'UNAUTHORIZED' })
})
