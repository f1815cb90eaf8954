import { AGENT_PERMISSIONS } from '@countersign/contract/agents/agent-policy'
import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, newBankAccount, newPlatform } from '../../worlds/client.testing.ts'
import { expectError, missingId } from '../../worlds/contract/calls.testing.ts'
import {
  type AgentClient,
  changePolicy,
  newAgentPlatform,
  newPayer,
  type Payer,
  POLICY,
  usageOf,
} from '../../worlds/records/agents.testing.ts'

const policyOf = async (client: Client, agent: AgentClient) =>
  (await client.get(`/agents/${agent.id}`)).body.policy

describe('a change of a policy', () => {
  test('replaces only the given fields, also within the groups', async () => {
    const spendingLimits = { ...POLICY.spendingLimits, dailyLimit: 500, dailyTransactionLimit: 3 }
    const { client, payer, agent } = await newAgentPlatform({ spendingLimits })
    const rule = { accountId: payer.bank, executionMode: 'APPROVAL_REQUIRED' }
    const steps: [change: object, expected: object][] = [
      [{}, {}],
      [{ defaultExecutionMode: 'APPROVAL_REQUIRED' }, { defaultExecutionMode: 'APPROVAL_REQUIRED' }],
      [{ permissions: ['VIEW_TRANSACTIONS'] }, { permissions: ['VIEW_TRANSACTIONS'] }],
      [{ permissions: [] }, { permissions: [] }],
      [
        { spendingLimits: { monthlyLimit: 9_000, dailyLimit: null } },
        {
          spendingLimits: {
            ...POLICY.spendingLimits,
            dailyLimit: null,
            dailyTransactionLimit: 3,
            monthlyLimit: 9_000,
          },
        },
      ],
      [{ accountRestrictions: { accountRules: [rule] } }, { accountRestrictions: { accountRules: [rule] } }],
      [
        { accountRestrictions: { allowedAccountIds: [payer.usd] } },
        { accountRestrictions: { accountRules: [rule], allowedAccountIds: [payer.usd] } },
      ],
      [
        { accountRestrictions: { accountRules: [], allowedAccountIds: null } },
        { accountRestrictions: { accountRules: [], allowedAccountIds: null } },
      ],
      [
        { accountRestrictions: { allowedExternalAccountIds: [payer.bank] } },
        {
          accountRestrictions: {
            accountRules: [],
            allowedAccountIds: null,
            allowedExternalAccountIds: [payer.bank],
          },
        },
      ],
      [{ approvalThresholds: { amount: 70 } }, { approvalThresholds: { amount: 70 } }],
      [{ approvalThresholds: { currency: 'EUR' } }, { approvalThresholds: { amount: 70, currency: 'EUR' } }],
      [{ approvalThresholds: { amount: null } }, { approvalThresholds: { amount: null, currency: 'EUR' } }],
    ]
    let expected = await policyOf(client, agent)
    for (const [change, more] of steps) {
      expected = { ...expected, ...more }
      const reply = await changePolicy(client, agent, change as never)
      expect(reply.status, toJson(change)).toBe(200)
      expect(reply.body.policy, toJson(change)).toEqual(expected)
      expect((await agent.get('/agents/me')).body.policy).toEqual(expected)
    }
  })

  test('in parallel with others loses none of them', async () => {
    const { client, agent } = await newAgentPlatform()
    const changes = [
      { spendingLimits: { dailyLimit: 1 } },
      { spendingLimits: { monthlyLimit: 2 } },
      { spendingLimits: { dailyTransactionLimit: 3 } },
      { approvalThresholds: { amount: 4 } },
    ]
    const replies = await Promise.all(changes.map((change) => changePolicy(client, agent, change)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await policyOf(client, agent)).toMatchObject({
      spendingLimits: { dailyLimit: 1, monthlyLimit: 2, dailyTransactionLimit: 3 },
      approvalThresholds: { amount: 4 },
    })
  })

  test('that is invalid is refused by name, on creation and later, and nothing changes', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...POLICY.spendingLimits, dailyLimit: 5 },
    })
    const neighbour = await newPayer(client)
    const stranger = await newPayer(await newPlatform())
    const before = await policyOf(client, agent)
    const limit = (member: object) => ({ spendingLimits: { ...POLICY.spendingLimits, ...member } })
    const only = (...ids: string[]) => ({ accountRestrictions: { allowedAccountIds: ids } })
    const payees = (...ids: string[]) => ({ accountRestrictions: { allowedExternalAccountIds: ids } })
    const ruled = (...accountRules: object[]) => ({ accountRestrictions: { accountRules } })
    const of = (accountId: string) => ({ accountId, executionMode: 'AUTO' })
    const bad: [change: object, field: string, code?: 'INVALID_CURRENCY' | 'ACCOUNT_NOT_FOUND'][] = [
      [limit({ perTransactionLimit: -1 }), 'spendingLimits.perTransactionLimit'],
      [limit({ perTransactionLimit: null }), 'spendingLimits.perTransactionLimit'],
      [limit({ dailyLimit: -1 }), 'spendingLimits.dailyLimit'],
      [limit({ monthlyLimit: '5' }), 'spendingLimits.monthlyLimit'],
      [limit({ monthlyLimit: 2n ** 63n }), 'spendingLimits.monthlyLimit'],
      [limit({ dailyTransactionLimit: -1 }), 'spendingLimits.dailyTransactionLimit'],
      [limit({ dailyTransactionLimit: 0.5 }), 'spendingLimits.dailyTransactionLimit'],
      [limit({ dailyTransactionLimit: null }), 'spendingLimits.dailyTransactionLimit'],
      [limit({ currency: 'XXX', dailyLimit: null }), 'spendingLimits.currency', 'INVALID_CURRENCY'],
      [{ approvalThresholds: { amount: -1 } }, 'approvalThresholds.amount'],
      [{ approvalThresholds: { currency: 'XXX' } }, 'approvalThresholds.currency', 'INVALID_CURRENCY'],
      [{ permissions: ['MOVE_ALL'] }, 'permissions.0'],
      [{ permissions: [AGENT_PERMISSIONS[0], AGENT_PERMISSIONS[0]] }, 'permissions'],
      [{ defaultExecutionMode: 'MANUAL' }, 'defaultExecutionMode'],
      [
        ruled({ ...of(payer.bank), perTransactionLimit: -1 }),
        'accountRestrictions.accountRules.0.perTransactionLimit',
      ],
      [
        ruled({ ...of(payer.bank), executionMode: 'MAYBE' }),
        'accountRestrictions.accountRules.0.executionMode',
      ],
      [ruled(of(payer.bank), of(payer.bank)), 'accountRestrictions.accountRules.1.accountId'],
      [only(payer.usd, payer.usd), 'accountRestrictions.allowedAccountIds'],
      [only('Customer:x'), 'accountRestrictions.allowedAccountIds.0'],
      // Each list accepts one kind of account.
      [only(payer.usd, payer.bank), 'accountRestrictions.allowedAccountIds.1'],
      [payees(payer.usd), 'accountRestrictions.allowedExternalAccountIds.0'],
      [payees(payer.bank, payer.bank), 'accountRestrictions.allowedExternalAccountIds'],
    ]
    const here = [neighbour.usd, stranger.usd, missingId('InternalAccount')]
    const elsewhere = [neighbour.bank, stranger.bank, missingId('ExternalAccount')]
    for (const id of [...here, ...elsewhere])
      bad.push([
        ruled(of(payer.bank), of(id)),
        'accountRestrictions.accountRules.1.accountId',
        'ACCOUNT_NOT_FOUND',
      ])
    for (const id of here)
      bad.push([only(payer.usd, id), 'accountRestrictions.allowedAccountIds.1', 'ACCOUNT_NOT_FOUND'])
    for (const id of elsewhere)
      bad.push([
        payees(payer.bank, id),
        'accountRestrictions.allowedExternalAccountIds.1',
        'ACCOUNT_NOT_FOUND',
      ])
    for (const [change, field, code = 'INVALID_INPUT'] of bad) {
      const changed = await changePolicy(client, agent, change as never)
      expectError(changed, { code, field, what: toJson(change) })
      const created = await client.post('/agents', {
        name: 'Shopper',
        customerId: payer.id,
        policy: { ...POLICY, ...change },
      })
      expectError(created, { code, field: `policy.${field}`, what: toJson(change) })
    }
    // All limits have to be given again in another currency.
    const partly = [
      [{ currency: 'EUR' }, 'spendingLimits.perTransactionLimit'],
      [{ currency: 'EUR', perTransactionLimit: 5 }, 'spendingLimits.dailyLimit'],
    ] as const
    for (const [spendingLimits, field] of partly)
      expectError(await changePolicy(client, agent, { spendingLimits }), { code: 'INVALID_INPUT', field })
    expect(await policyOf(client, agent)).toEqual(before)
    expect((await client.get('/agents')).body.totalCount).toBe(1)
    const missing = { name: 'Shopper', customerId: missingId('Customer'), policy: POLICY }
    expectError(await client.post('/agents', missing), { code: 'USER_NOT_FOUND' })
  })
})

describe('a permission', () => {
  test('that is missing denies its own operations, from the next request on, and nothing else', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const quote = (await agent.quote(payer, 100)).body.id
    // Begun by the platform; the agent may always see its own.
    const byPlatform = { source: { accountId: payer.usd }, destination: { accountId: payer.bank }, amount: 5 }
    const strange = (await client.post('/transfer-out', byPlatform)).body.id
    const own = (await agent.transferOut(payer, 5)).body.transaction.id
    const extra = await newBankAccount(client, payer.id, '788')
    const account = {
      currency: 'USD',
      accountInfo: {
        accountType: 'USD_ACCOUNT',
        accountNumber: '987654321',
        routingNumber: '021000021',
        beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' },
      },
    }
    const pull = { source: { accountId: payer.bank }, destination: { accountId: payer.usd }, amount: 5 }
    const calls: Record<
      (typeof AGENT_PERMISSIONS)[number],
      (() => Promise<{ status: number; body: unknown }>)[]
    > = {
      VIEW_TRANSACTIONS: [
        () => agent.get('/agents/me/transactions'),
        () => agent.get(`/agents/me/transactions/${strange}`),
      ],
      CREATE_TRANSFERS: [() => agent.transferOut(payer, 5), () => agent.post('/agents/me/transfer-in', pull)],
      CREATE_QUOTES: [() => agent.quote(payer, 100)],
      EXECUTE_QUOTES: [() => agent.post(`/agents/me/quotes/${quote}/execute`)],
      MANAGE_EXTERNAL_ACCOUNTS: [
        () => agent.post('/agents/me/external-accounts', account),
        () => agent.send('DELETE', `/agents/me/external-accounts/${extra}`),
      ],
    }
    for (const [permission, attempts] of Object.entries(calls)) {
      await changePolicy(client, agent, {
        permissions: AGENT_PERMISSIONS.filter((one) => one !== permission),
      })
      for (const attempt of attempts)
        expect(await attempt(), permission).toMatchObject({
          status: 403,
          body: { code: 'FORBIDDEN', details: { rule: 'permission', subject: permission } },
        })
    }
    for (const [permission, attempts] of Object.entries(calls)) {
      await changePolicy(client, agent, { permissions: [permission] })
      for (const attempt of attempts) {
        const { status, body } = await attempt()
        expect(status, `${permission} ${toJson(body as object)}`).toBeLessThan(300)
      }
    }
    await changePolicy(client, agent, { permissions: [] })
    for (const path of [
      '',
      '/internal-accounts',
      '/external-accounts',
      '/actions',
      `/quotes/${quote}`,
      `/transactions/${own}`,
    ])
      expect((await agent.get(`/agents/me${path}`)).status, path).toBe(200)
  })
})

describe('a decision', () => {
  test('is the same as in a simulation, and is recorded with its inputs', { tags: 'long' }, async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { currency: 'USD', perTransactionLimit: 1_000, dailyLimit: 2_500 },
      approvalThresholds: { amount: 700 },
    })
    const other = await newBankAccount(client, payer.id, '787')
    const rule = { accountId: other, perTransactionLimit: 50 }
    const changes: object[] = [
      {},
      { accountRestrictions: { accountRules: [rule] } },
      { accountRestrictions: { allowedAccountIds: [payer.usd], allowedExternalAccountIds: [payer.bank] } },
      { permissions: ['CREATE_QUOTES'] },
    ]
    const outcomes = new Set<string>()
    for (const change of changes) {
      expect((await changePolicy(client, agent, change as never)).status).toBe(200)
      for (const [bank, amount] of [
        [payer.bank, 1_001],
        [payer.bank, 701],
        [payer.bank, 10],
        [other, 51],
        [other, 50],
      ] as const) {
        const usage = await usageOf(client, agent)
        const ask = {
          type: 'TRANSFER_OUT',
          amount,
          currency: 'USD',
          sourceAccountId: payer.usd,
          destinationAccountId: bank,
        }
        const said = await agent.post('/agents/me/policy/simulate', ask)
        expect(said, toJson(said.body)).toMatchObject({ status: 200, body: { usage } })
        expect((await client.post(`/agents/${agent.id}/policy/simulate`, ask)).body).toEqual(said.body)
        expect(await usageOf(client, agent)).toEqual(usage)
        const done = await agent.transferOut({ ...payer, bank } as Payer, amount)
        const { decision } = said.body
        outcomes.add(decision.rule ?? decision.outcome)
        const [latest] = (await client.get(`/agents/${agent.id}/decisions?limit=1`)).body.data
        expect(latest).toMatchObject({
          agentId: agent.id,
          decision,
          inputs: {
            isPaused: false,
            request: { permission: 'CREATE_TRANSFERS', accountIds: [payer.usd, bank] },
          },
        })
        expect(latest.inputs.policy).toEqual(await policyOf(client, agent))
        if (decision.outcome === 'DENIED') {
          expect(done.status).toBe(403)
          expect(done.body.details).toMatchObject({ rule: decision.rule })
          expect(latest.actionId).toBeUndefined()
        } else {
          expect(done.status, toJson(done.body)).toBe(201)
          expect(done.body.status).toBe(decision.outcome === 'ALLOWED' ? 'APPROVED' : 'PENDING_APPROVAL')
          expect(latest.actionId).toBe(done.body.id)
        }
      }
    }
    expect(outcomes).toEqual(
      new Set([
        'ALLOWED',
        'APPROVAL_REQUIRED',
        'perTransactionLimit',
        'accountPerTransactionLimit',
        'externalAccount',
        'permission',
      ]),
    )
    const oldest = (await client.get(`/agents/${agent.id}/decisions?limit=100&sortOrder=asc`)).body
    expect(oldest.totalCount).toBe(changes.length * 5)
    const newest = (await client.get(`/agents/${agent.id}/decisions?limit=100`)).body
    expect(newest.data.toReversed()).toEqual(oldest.data)
  })

  test('about an invalid simulated action is refused by name', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const neighbour = await newPayer(client)
    const good = {
      type: 'TRANSFER_OUT',
      amount: 5,
      currency: 'USD',
      sourceAccountId: payer.usd,
      destinationAccountId: payer.bank,
    }
    const { destinationAccountId: _, ...toNobody } = good
    const { sourceAccountId: __, ...fromNobody } = good
    const bad: [body: object, field: string, code?: 'INVALID_CURRENCY' | 'ACCOUNT_NOT_FOUND'][] = [
      [toNobody, 'destinationAccountId'],
      [fromNobody, 'sourceAccountId'],
      [{ ...good, amount: 0 }, 'amount'],
      [{ ...good, currency: 'XXX' }, 'currency', 'INVALID_CURRENCY'],
      [{ ...good, sourceAccountId: neighbour.usd }, 'sourceAccountId', 'ACCOUNT_NOT_FOUND'],
      [{ ...good, destinationAccountId: neighbour.bank }, 'destinationAccountId', 'ACCOUNT_NOT_FOUND'],
    ]
    for (const [body, field, code = 'INVALID_INPUT'] of bad)
      for (const reply of [
        await agent.post('/agents/me/policy/simulate', body),
        await client.post(`/agents/${agent.id}/policy/simulate`, body),
      ])
        expectError(reply, { code, field, what: toJson(body) })
    const toAddress = await agent.post('/agents/me/policy/simulate', { ...toNobody, type: 'EXECUTE_QUOTE' })
    expect(toAddress.body.decision.outcome).toBe('ALLOWED')
    const wallet = { ...good, type: 'EXECUTE_QUOTE', sourceAccountId: payer.wallet, currency: 'USDB' }
    expect((await agent.post('/agents/me/policy/simulate', wallet)).body.decision).toMatchObject({
      outcome: 'APPROVAL_REQUIRED',
      because: ['walletSignature'],
    })
  })
})
