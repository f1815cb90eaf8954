import { describe, expect, test } from 'vitest'
import { expectError, forEach } from '../../worlds/contract/calls.testing.ts'
import { changePolicy, newAgent, newAgentPlatform, newPayer } from '../../worlds/records/agents.testing.ts'

describe('an agent', () => {
  test('that is paused can read but cannot act until it is resumed', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const quote = (await agent.quote(payer, 100)).body.id
    const paused = await client.send('PATCH', `/agents/${agent.id}`, { isPaused: true, name: 'Sleeper' })
    expect(paused.body).toMatchObject({ isPaused: true, name: 'Sleeper', isConnected: true })
    expect((await client.get('/agents?isPaused=true')).body.data).toEqual([paused.body])
    for (const reply of [
      await agent.transferOut(payer, 5),
      await agent.quote(payer, 100),
      await agent.post(`/agents/me/quotes/${quote}/execute`),
      await agent.send('DELETE', `/agents/me/external-accounts/${payer.bank}`),
    ])
      expect(reply).toMatchObject({ status: 403, body: { code: 'FORBIDDEN', details: { rule: 'paused' } } })
    for (const path of ['', '/transactions', '/internal-accounts', '/external-accounts', `/quotes/${quote}`])
      expect((await agent.get(`/agents/me${path}`)).status, path).toBe(200)
    expect((await agent.get('/agents/me')).body.isPaused).toBe(true)
    await client.send('PATCH', `/agents/${agent.id}`, { isPaused: false })
    expect((await agent.transferOut(payer, 5)).status).toBe(201)
  })

  test('can be deleted however many of its actions wait, and all of them are rejected', async () => {
    const { client, payer, agent } = await newAgentPlatform({ defaultExecutionMode: 'APPROVAL_REQUIRED' })
    const waiting = Array.from({ length: 205 })
    await forEach(waiting, async () => expect((await agent.transferOut(payer, 1)).status).toBe(201))
    expect((await client.send('DELETE', `/agents/${agent.id}`)).status).toBe(204)
    await client.advance(0)
    expect((await client.get('/agents/approvals')).body.data).toEqual([])
    const { totalCount } = (await client.get('/transactions?status=FAILED')).body
    expect(totalCount).toBe(waiting.length)
  })

  test('that is deleted loses its credential, while its actions stay on record', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const { body } = await agent.transferOut(payer, 5)
    await client.send('DELETE', `/agents/${agent.id}`)
    expectError(await agent.transferOut(payer, 5), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
    for (const [method, path] of [
      ['GET', ''],
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/device-codes'],
    ] as const) {
      const change = method === 'PATCH' ? {} : undefined
      const reply = await client.send(method, `/agents/${agent.id}${path}`, change)
      expectError(reply, { code: 'AGENT_NOT_FOUND', field: 'agentId' })
    }
    expect((await client.get('/agents')).body.totalCount).toBe(0)
    expect((await client.get(`/agents/${agent.id}/decisions`)).body.data).toMatchObject([
      { actionId: body.id },
    ])
    await client.advance(0)
    expect((await client.get(`/transactions/${body.transaction.id}`)).body).toMatchObject({
      status: 'COMPLETED',
      agentId: agent.id,
    })
  })
})

describe('a list of agents', () => {
  test('can be filtered by customer, state and time', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const otherPayer = await newPayer(client)
    const secondAgent = await newAgent(client, otherPayer.id)
    const listIds = async (query: string) =>
      (await client.get(`/agents?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await listIds('')).toEqual([secondAgent.id, agent.id])
    expect(await listIds(`customerId=${payer.id}`)).toEqual([agent.id])
    expect(await listIds('isPaused=true')).toEqual([])
    expect(await listIds('isConnected=true&isPaused=false')).toEqual([secondAgent.id, agent.id])
    const { createdAt } = (await client.get(`/agents/${secondAgent.id}`)).body
    expect(await listIds(`createdBefore=${createdAt}`)).toEqual([agent.id])
    const approvalMode = { defaultExecutionMode: 'APPROVAL_REQUIRED' }
    await Promise.all([agent, secondAgent].map((one) => changePolicy(client, one, approvalMode)))
    const [firstAction, laterAction] = [
      await agent.transferOut(payer, 5),
      await secondAgent.transferOut(otherPayer, 6),
    ]
    const listApprovals = async (query: string) =>
      (await client.get(`/agents/approvals?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await listApprovals('')).toEqual([laterAction.body.id, firstAction.body.id])
    expect(await listApprovals('sortOrder=asc')).toEqual([firstAction.body.id, laterAction.body.id])
    expect(await listApprovals(`agentId=${secondAgent.id}`)).toEqual([laterAction.body.id])
    expect(await listApprovals(`customerId=${payer.id}`)).toEqual([firstAction.body.id])
    expect(await listApprovals(`startDate=${laterAction.body.createdAt}`)).toContain(laterAction.body.id)
    expect(await listApprovals('endDate=2020-01-01T00:00:00Z')).toEqual([])
  })
})
