import { describe, expect, test } from 'vitest'
import { expectError, forEach } from '../../worlds/contract/calls.testing.ts'
import { changePolicy, newAgent, newAgentPlatform, newPayer } from '../../worlds/records/agents.testing.ts'

describe('an agent', () => {
  test('that is paused reads but cannot act, until it is resumed', async () => {
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

  test('is deleted however many of its actions wait, and all of them are rejected', async () => {
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
  test('is filtered by customer, state and time', async () => {
    const { client, payer, agent } = await newAgentPlatform()
    const other = await newPayer(client)
    const second = await newAgent(client, other.id)
    const ids = async (query: string) =>
      (await client.get(`/agents?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await ids('')).toEqual([second.id, agent.id])
    expect(await ids(`customerId=${payer.id}`)).toEqual([agent.id])
    expect(await ids('isPaused=true')).toEqual([])
    expect(await ids('isConnected=true&isPaused=false')).toEqual([second.id, agent.id])
    const { createdAt } = (await client.get(`/agents/${second.id}`)).body
    expect(await ids(`createdBefore=${createdAt}`)).toEqual([agent.id])
    const waiting = { defaultExecutionMode: 'APPROVAL_REQUIRED' }
    await Promise.all([agent, second].map((one) => changePolicy(client, one, waiting)))
    const [first, later] = [await agent.transferOut(payer, 5), await second.transferOut(other, 6)]
    const approvals = async (query: string) =>
      (await client.get(`/agents/approvals?${query}`)).body.data.map(({ id }: { id: string }) => id)
    expect(await approvals('')).toEqual([later.body.id, first.body.id])
    expect(await approvals('sortOrder=asc')).toEqual([first.body.id, later.body.id])
    expect(await approvals(`agentId=${second.id}`)).toEqual([later.body.id])
    expect(await approvals(`customerId=${payer.id}`)).toEqual([first.body.id])
    expect(await approvals(`startDate=${later.body.createdAt}`)).toContain(later.body.id)
    expect(await approvals('endDate=2020-01-01T00:00:00Z')).toEqual([])
  })
})
