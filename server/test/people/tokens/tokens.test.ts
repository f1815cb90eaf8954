import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError, stateOf } from '../../worlds/contract/calls.testing.ts'

const createClient = (owner: Client, token: Reply['body']) =>
  new Client({ ...owner.credentials, tokenId: token.id, clientSecret: token.clientSecret }, owner.baseUrl)

describe('a token', () => {
  test('shows its secret, of 256 random bits, only in the response that creates it', async () => {
    const owner = await newPlatform()
    const created = await owner.post('/tokens', { name: 'Backend', permissions: ['VIEW', 'MANAGE'] })
    const { clientSecret, ...token } = created.body
    expect(created.status).toBe(201)
    expect(Buffer.from(clientSecret, 'base64url')).toHaveLength(32)
    expect(token).toMatchObject({
      id: expect.stringMatching(/^Token:/),
      name: 'Backend',
      permissions: ['VIEW', 'MANAGE'],
    })
    expect((await owner.get(`/tokens/${token.id}`)).body).toEqual(token)
    expect((await owner.get('/tokens')).body.data[0]).toEqual(token)
    expect(toJson(await stateOf(owner))).not.toContain(clientSecret)
    const second = await owner.post('/tokens', { name: 'Backend', permissions: ['VIEW'] })
    expect(second.body.clientSecret).not.toBe(clientSecret)
  })

  test('that is deleted fails on the next request and is not found', async () => {
    const owner = await newPlatform()
    const token = (await owner.post('/tokens', { name: 'a', permissions: ['VIEW', 'MANAGE'] })).body
    const client = createClient(owner, token)
    expect((await client.get('/config')).status).toBe(200)
    expect((await owner.send('DELETE', `/tokens/${token.id}`)).status).toBe(204)
    expectError(await client.get('/config'), { code: 'UNAUTHORIZED', reason: 'Invalid credentials' })
    expectError(await client.send('DELETE', `/tokens/${token.id}`), { code: 'UNAUTHORIZED' })
    expectError(await owner.get(`/tokens/${token.id}`), { code: 'TOKEN_NOT_FOUND', field: 'tokenId' })
    expectError(await owner.send('DELETE', `/tokens/${token.id}`), {
      code: 'TOKEN_NOT_FOUND',
      field: 'tokenId',
    })
    const { data } = (await owner.get('/tokens')).body
    expect(data.map(({ id }: { id: string }) => id)).toEqual([owner.credentials.tokenId])
  })

  test('may delete itself while another can manage tokens', async () => {
    const owner = await newPlatform()
    const token = (await owner.post('/tokens', { name: 'a', permissions: ['MANAGE'] })).body
    expect((await createClient(owner, token).send('DELETE', `/tokens/${token.id}`)).status).toBe(204)
  })

  test('that is the last with MANAGE cannot be deleted, even if two delete each other in parallel', async () => {
    const owner = await newPlatform()
    const id = owner.credentials.tokenId
    await owner.post('/tokens', { name: 'reader', permissions: ['VIEW', 'TRANSACT'] })
    expectError(await owner.send('DELETE', `/tokens/${id}`), { code: 'INVALID_INPUT', field: 'tokenId' })
    const token = (await owner.post('/tokens', { name: 'a', permissions: ['MANAGE'] })).body
    const otherClient = createClient(owner, token)
    const replies = await Promise.all([
      owner.send('DELETE', `/tokens/${token.id}`),
      otherClient.send('DELETE', `/tokens/${id}`),
    ])
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    const remaining = replies[0]!.status === 204 ? owner : otherClient
    expect((await remaining.post('/tokens', { name: 'b', permissions: ['MANAGE'] })).status).toBe(201)
  })

  test.each([
    [['MANAGE'], ['VIEW']],
    [['MANAGE'], ['MANAGE', 'TRANSACT']],
    [
      ['VIEW', 'MANAGE'],
      ['VIEW', 'TRANSACT', 'MANAGE'],
    ],
  ])('with %j cannot create a token with %j', async (permissions, requested) => {
    const owner = await newPlatform()
    const client = createClient(owner, (await owner.post('/tokens', { name: 'a', permissions })).body)
    const refused = await client.post('/tokens', { name: 'b', permissions: requested })
    expectError(refused, { code: 'FORBIDDEN', field: 'permissions' })
    expect((await client.post('/tokens', { name: 'b', permissions })).status).toBe(201)
    expect((await owner.get('/tokens')).body.totalCount).toBe(3)
  })

  test('ignores fields of the request that callers cannot set', async () => {
    const owner = await newPlatform()
    await owner.send('PATCH', '/config', { lenientInput: true })
    const foreignFields = {
      id: 'Token:mine',
      clientSecret: 'mine',
      clientId: 'mine',
      platformId: 'x',
      createdAt: 'x',
      more: 1,
    }
    const created = await owner.post('/tokens', { name: 'a', permissions: ['VIEW'], ...foreignFields })
    expect(created.status).toBe(201)
    for (const [name, value] of Object.entries(foreignFields))
      expect(created.body[name], name).not.toBe(value)
    expect(created.body).not.toHaveProperty('more')
  })

  test('can be found by its full name and by the times of its creation and last change', async () => {
    const owner = await newPlatform()
    const [first] = (await owner.get('/tokens')).body.data
    await owner.advance(3600)
    const token = (await owner.post('/tokens', { name: 'Later', permissions: ['VIEW'] })).body
    const listIds = async (query: string) =>
      (await owner.get(`/tokens?${query}`)).body.data.map(({ id }: { id: string }) => id)
    const between = new Date(Date.parse(first.createdAt) + 60_000).toISOString()
    expect(await listIds('name=Later')).toEqual([token.id])
    expect(await listIds('name=Late')).toEqual([])
    expect(await listIds(`createdAfter=${between}`)).toEqual([token.id])
    expect(await listIds(`createdBefore=${between}`)).toEqual([first.id])
    expect(await listIds(`updatedAfter=${between}`)).toEqual([token.id])
    expect(await listIds(`updatedBefore=${between}`)).toEqual([first.id])
    expect(await listIds(`createdAfter=${token.createdAt}`)).toEqual([])
  })
})
