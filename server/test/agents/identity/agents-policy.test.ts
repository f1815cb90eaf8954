import { AGENT_PERMISSIONS } from '@countersign/contract/agents/agent-policy'
import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { type Client, newBankAccount, newPlatform } from '../../worlds/client.testing.ts'
import { buildMissingId, expectError } from '../../worlds/contract/calls.testing.ts'
import {
  type AgentClient,
  changePolicy,
  newAgentPlatform,
  newPayer,
  type Payer,
  POLICY,
  readUsage,
} from '../../worlds/records/agents.testing.ts'

const readPolicy = async (client: Client, agent: AgentClient) =>
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
    let expected = await readPolicy(client, agent)
    for (const [change, more] of steps) {
      expected = { ...expected, ...more }
      const reply = await changePolicy(client, agent, change as never)
      expect(reply.status, toJson(change)).toBe(200)
      expect(reply.body.policy, toJson(change)).toEqual(expected)
      expect((await agent.get('/agents/me')).body.policy).toEqual(expected)
    }
  })

  test('that is made in parallel with others loses none of them', async () => {
    const { client, agent } = await newAgentPlatform()
    const changes = [
      { spendingLimits: { dailyLimit: 1 } },
      { spendingLimits: { monthlyLimit: 2 } },
      { spendingLimits: { dailyTransactionLimit: 3 } },
      { approvalThresholds: { amount: 4 } },
    ]
    const replies = await Promise.all(changes.map((change) => changePolicy(client, agent, change)))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(await readPolicy(client, agent)).toMatchObject({
      spendingLimits: { dailyLimit: 1, monthlyLimit: 2, dailyTransactionLimit: 3 },
      approvalThresholds: { amount: 4 },
    })
  })

  test('that is invalid is refused with its field, on creation and later, and changes nothing', async () => {
    const { client, payer, agent } = await newAgentPlatform({
      spendingLimits: { ...POLICY.spendingLimits, dailyLimit: 5 },
    })
    const neighbour = await newPayer(client)
    const stranger = await newPayer(await newPlatform())
    const before = await readPolicy(client, agent)
    const withLimit = (field: object) => ({ spendingLimits: { ...POLICY.spendingLimits, ...field } })
    const withAccounts = (...ids: string[]) => ({ accountRestrictions: { allowedAccountIds: ids } })
    const withPayees = (...ids: string[]) => ({ accountRestrictions: { allowedExternalAccountIds: ids } })
    const withRules = (...accountRules: object[]) => ({ accountRestrictions: { accountRules } })
    const buildRule = (accountId: string) => ({ accountId, executionMode: 'AUTO' })
    const invalidChanges: [change: object, field: string, code?: 'INVALID_CURRENCY' | 'ACCOUNT_NOT_FOUND'][] =
      [
        [withLimit({ perTransactionLimit: -1 }), 'spendingLimits.perTransactionLimit'],
        [withLimit({ perTransactionLimit: null }), 'spendingLimits.perTransactionLimit'],
        [withLimit({ dailyLimit: -1 }), 'spendingLimits.dailyLimit'],
        [withLimit({ monthlyLimit: '5' }), 'spendingLimits.monthlyLimit'],
        [withLimit({ monthlyLimit: 2n ** 63n }), 'spendingLimits.monthlyLimit'],
        [withLimit({ dailyTransactionLimit: -1 }), 'spendingLimits.dailyTransactionLimit'],
        [withLimit({ dailyTransactionLimit: 0.5 }), 'spendingLimits.dailyTransactionLimit'],
        [withLimit({ dailyTransactionLimit: null }), 'spendingLimits.dailyTransactionLimit'],
        [withLimit({ currency: 'XXX', dailyLimit: null }), 'spendingLimits.currency', 'INVALID_CURRENCY'],
        [{ approvalThresholds: { amount: -1 } }, 'approvalThresholds.amount'],
        [{ approvalThresholds: { currency: 'XXX' } }, 'approvalThresholds.currency', 'INVALID_CURRENCY'],
        [{ permissions: ['MOVE_ALL'] }, 'permissions.0'],
        [{ permissions: [AGENT_PERMISSIONS[0], AGENT_PERMISSIONS[0]] }, 'permissions'],
        [{ defaultExecutionMode: 'MANUAL' }, 'defaultExecutionMode'],
        [
          withRules({ ...buildRule(payer.bank), perTransactionLimit: -1 }),
          'accountRestrictions.accountRules.0.perTransactionLimit',
        ],
        [
          withRules({ ...buildRule(payer.bank), executionMode: 'MAYBE' }),
          'accountRestrictions.accountRules.0.executionMode',
        ],
        [
          withRules(buildRule(payer.bank), buildRule(payer.bank)),
          'accountRestrictions.accountRules.1.accountId',
        ],
        [withAccounts(payer.usd, payer.usd), 'accountRestrictions.allowedAccountIds'],
        [withAccounts('Customer:x'), 'accountRestrictions.allowedAccountIds.0'],
        // Each list accepts one kind of account.
        [withAccounts(payer.usd, payer.bank), 'accountRestrictions.allowedAccountIds.1'],
        [withPayees(payer.usd), 'accountRestrictions.allowedExternalAccountIds.0'],
        [withPayees(payer.bank, payer.bank), 'accountRestrictions.allowedExternalAccountIds'],
      ]
    const foreignAccounts = [neighbour.usd, stranger.usd, buildMissingId('InternalAccount')]
    const foreignPayees = [neighbour.bank, stranger.bank, buildMissingId('ExternalAccount')]
    for (const id of [...foreignAccounts, ...foreignPayees])
      invalidChanges.push([
        withRules(buildRule(payer.bank), buildRule(id)),
        'accountRestrictions.accountRules.1.accountId',
        'ACCOUNT_NOT_FOUND',
      ])
    for (const id of foreignAccounts)
      invalidChanges.push([
        withAccounts(payer.usd, id),
        'accountRestrictions.allowedAccountIds.1',
        'ACCOUNT_NOT_FOUND',
      ])
    for (const id of foreignPayees)
      invalidChanges.push([
        withPayees(payer.bank, id),
        'accountRestrictions.allowedExternalAccountIds.1',
        'ACCOUNT_NOT_FOUND',
      ])
    for (const [change, field, code = 'INVALID_INPUT'] of invalidChanges) {
      const changed = await changePolicy(client, agent, change as never)
      expectError(changed, { code, field, what: toJson(change) })
      const created = await client.post('/agents', {
        name: 'Shopper',
        customerId: payer.id,
        policy: { ...POLICY, ...change },
      })
      expectError(created, { code, field: `policy.${field}`, what: toJson(change) })
    }
    // A change of the currency needs every limit again.
    const partialLimits = [
      [{ currency: 'EUR' }, 'spendingLimits.perTransactionLimit'],
      [{ currency: 'EUR', perTransactionLimit: 5 }, 'spendingLimits.dailyLimit'],
    ] as const
    for (const [spendingLimits, field] of partialLimits)
      expectError(await changePolicy(client, agent, { spendingLimits }), { code: 'INVALID_INPUT', field })
    expect(await readPolicy(client, agent)).toEqual(before)
    expect((await client.get('/agents')).body.totalCount).toBe(1)
    const missing = { name: 'Shopper', customerId: buildMissingId('Customer'), policy: POLICY }
    expectError(await client.post('/agents', missing), { code: 'USER_NOT_FOUND' })
  })
})

describe('a permission', () => {
  test('that is missing denies its own operations, from the next request on, and nothing else', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const quote = (await agent.quote(payer, 100)).body.id
    // The platform created this transfer. The agent can always see its own.
    const byPlatform = { source: { accountId: payer.usd }, destination: { accountId: payer.bank }, amount: 5 }
    const platformTransaction = (await client.post('/transfer-out', byPlatform)).body.id
    const agentTransaction = (await agent.transferOut(payer, 5)).body.transaction.id
    const secondBank = await newBankAccount(client, payer.id, '788')
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
        () => agent.get(`/agents/me/transactions/${platformTransaction}`),
      ],
      CREATE_TRANSFERS: [() => agent.transferOut(payer, 5), () => agent.post('/agents/me/transfer-in', pull)],
      CREATE_QUOTES: [() => agent.quote(payer, 100)],
      EXECUTE_QUOTES: [() => agent.post(`/agents/me/quotes/${quote}/execute`)],
      MANAGE_EXTERNAL_ACCOUNTS: [
        () => agent.post('/agents/me/external-accounts', account),
        () => agent.send('DELETE', `/agents/me/external-accounts/${secondBank}`),
      ],
    }
    for (const [permission, attempts] of Object.entries(calls)) {
      await changePolicy(client, agent, {
        permissions: AGENT_PERMISSIONS.filter((granted) => granted !== permission),
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
      `/transactions/${agentTransaction}`,
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
    const otherBank = await newBankAccount(client, payer.id, '787')
    const rule = { accountId: otherBank, perTransactionLimit: 50 }
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
        [otherBank, 51],
        [otherBank, 50],
      ] as const) {
        const usage = await readUsage(client, agent)
        const request = {
          type: 'TRANSFER_OUT',
          amount,
          currency: 'USD',
          sourceAccountId: payer.usd,
          destinationAccountId: bank,
        }
        const simulated = await agent.post('/agents/me/policy/simulate', request)
        expect(simulated, toJson(simulated.body)).toMatchObject({ status: 200, body: { usage } })
        expect((await client.post(`/agents/${agent.id}/policy/simulate`, request)).body).toEqual(
          simulated.body,
        )
        expect(await readUsage(client, agent)).toEqual(usage)
        const transfer = await agent.transferOut({ ...payer, bank } as Payer, amount)
        const { decision } = simulated.body
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
        expect(latest.inputs.policy).toEqual(await readPolicy(client, agent))
        if (decision.outcome === 'DENIED') {
          expect(transfer.status).toBe(403)
          expect(transfer.body.details).toMatchObject({ rule: decision.rule })
          expect(latest.actionId).toBeUndefined()
        } else {
          expect(transfer.status, toJson(transfer.body)).toBe(201)
          expect(transfer.body.status).toBe(decision.outcome === 'ALLOWED' ? 'APPROVED' : 'PENDING_APPROVAL')
          expect(latest.actionId).toBe(transfer.body.id)
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

  test('about an invalid simulated action is refused with its field', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const neighbour = await newPayer(client)
    const validRequest = {
      type: 'TRANSFER_OUT',
      amount: 5,
      currency: 'USD',
      sourceAccountId: payer.usd,
      destinationAccountId: payer.bank,
    }
    const { destinationAccountId: _, ...withoutDestination } = validRequest
    const { sourceAccountId: __, ...withoutSource } = validRequest
    const invalidBodies: [body: object, field: string, code?: 'INVALID_CURRENCY' | 'ACCOUNT_NOT_FOUND'][] = [
      [withoutDestination, 'destinationAccountId'],
      [withoutSource, 'sourceAccountId'],
      [{ ...validRequest, amount: 0 }, 'amount'],
      [{ ...validRequest, currency: 'XXX' }, 'currency', 'INVALID_CURRENCY'],
      [{ ...validRequest, sourceAccountId: neighbour.usd }, 'sourceAccountId', 'ACCOUNT_NOT_FOUND'],
      [
        { ...validRequest, destinationAccountId: neighbour.bank },
        'destinationAccountId',
        'ACCOUNT_NOT_FOUND',
      ],
    ]
    for (const [body, field, code = 'INVALID_INPUT'] of invalidBodies)
      for (const reply of [
        await agent.post('/agents/me/policy/simulate', body),
        await client.post(`/agents/${agent.id}/policy/simulate`, body),
      ])
        expectError(reply, { code, field, what: toJson(body) })
    const toAddress = await agent.post('/agents/me/policy/simulate', {
      ...withoutDestination,
      type: 'EXECUTE_QUOTE',
    })
    expect(toAddress.body.decision.outcome).toBe('ALLOWED')
    const wallet = { ...validRequest, type: 'EXECUTE_QUOTE', sourceAccountId: payer.wallet, currency: 'USDB' }
    expect((await agent.post('/agents/me/policy/simulate', wallet)).body.decision).toMatchObject({
      outcome: 'APPROVAL_REQUIRED',
      because: ['walletSignature'],
    })
  })
})
