import { describe, expect, test } from 'vitest'
import { toJson } from '../../../src/base/json/json.ts'
import { Client, newPlatform, type Reply } from '../../worlds/client.testing.ts'
import { expectError, stateOf } from '../../worlds/contract/calls.testing.ts'

const clientOf = (owner: Client, token: Reply['body']) =>
  new Client({ ...owner.credentials, tokenId: token.id, clientSecret: token.clientSecret }, owner.baseUrl)

describe('a token', () => {
  test('shows its secret, of 256 random bits, only in the response that creates it', async () => {
    const owner = await newPlatform()
    const made = await owner.post('/tokens', { name: 'Backend', permissions: ['VIEW', 'MANAGE'] })
    const { clientSecret, ...rest } = made.body
    expect(made.status).toBe(201)
    expect(Buffer.from(clientSecret, 'base64url')).toHaveLength(32)
    expect(rest).toMatchObject({
      id: expect.stringMatching(/^Token:/),
      name: 'Backend',
      permissions: ['VIEW', 'MANAGE'],
    })
    expect((await owner.get(`/tokens/${rest.id}`)).body).toEqual(rest)
    expect((await owner.get('/tokens')).body.data[0]).toEqual(rest)
    expect(toJson(await stateOf(owner))).not.toContain(clientSecret)
    const again = await owner.post('/tokens', { name: 'Backend', permissions: ['VIEW'] })
    expect(again.body.clientSecret).not.toBe(clientSecret)
  })

  test('that is deleted fails on the next request and is not found, not even by itself', async () => {
    const owner = await newPlatform()
    const token = (await owner.post('/tokens', { name: 'a', permissions: ['VIEW', 'MANAGE'] })).body
    const client = clientOf(owner, token)
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
    expect((await clientOf(owner, token).send('DELETE', `/tokens/${token.id}`)).status).toBe(204)
  })

  test('that is the last with MANAGE stays, also when two delete each other at the same time', async () => {
    const owner = await newPlatform()
    const id = owner.credentials.tokenId
    await owner.post('/tokens', { name: 'reader', permissions: ['VIEW', 'TRANSACT'] })
    expectError(await owner.send('DELETE', `/tokens/${id}`), { code: 'INVALID_INPUT', field: 'tokenId' })
    const token = (await owner.post('/tokens', { name: 'a', permissions: ['MANAGE'] })).body
    const other = clientOf(owner, token)
    const replies = await Promise.all([
      owner.send('DELETE', `/tokens/${token.id}`),
      other.send('DELETE', `/tokens/${id}`),
    ])
    expect(replies.filter(({ status }) => status === 204)).toHaveLength(1)
    const left = replies[0]!.status === 204 ? owner : other
    expect((await left.post('/tokens', { name: 'b', permissions: ['MANAGE'] })).status).toBe(201)
  })

  test.each([
    [['MANAGE'], ['VIEW']],
    [['MANAGE'], ['MANAGE', 'TRANSACT']],
    [
      ['VIEW', 'MANAGE'],
      ['VIEW', 'TRANSACT', 'MANAGE'],
    ],
  ])('with %j cannot create one with %j', async (has, wanted) => {
    const owner = await newPlatform()
    const client = clientOf(owner, (await owner.post('/tokens', { name: 'a', permissions: has })).body)
    const refused = await client.post('/tokens', { name: 'b', permissions: wanted })
    expectError(refused, { code: 'FORBIDDEN', field: 'permissions' })
    expect((await client.post('/tokens', { name: 'b', permissions: has })).status).toBe(201)
    expect((await owner.get('/tokens')).body.totalCount).toBe(3)
  })

  test('takes only its own fields from the request', async () => {
    const owner = await newPlatform()
    await owner.send('PATCH', '/config', { lenientInput: true })
    const strange = {
      id: 'Token:mine',
      clientSecret: 'mine',
      clientId: 'mine',
      platformId: 'x',
      createdAt: 'x',
      more: 1,
    }
    const made = await owner.post('/tokens', { name: 'a', permissions: ['VIEW'], ...strange })
    expect(made.status).toBe(201)
    for (const [name, value] of Object.entries(strange)) expect(made.body[name], name).not.toBe(value)
    expect(made.body).not.toHaveProperty('more')
  })

  test('is found by its full name and by its times of creation and change', async () => {
    const owner = await newPlatform()
    const [first] = (await owner.get('/tokens')).body.data
    await owner.advance(3600)
    const token = (await owner.post('/tokens', { name: 'Later', permissions: ['VIEW'] })).body
    const ids = async (query: string) =>
      (await owner.get(`/tokens?${query}`)).body.data.map(({ id }: { id: string }) => id)
    const between = new Date(Date.parse(first.createdAt) + 60_000).toISOString()
    expect(await ids('name=Later')).toEqual([token.id])
    expect(await ids('name=Late')).toEqual([])
    expect(await ids(`createdAfter=${between}`)).toEqual([token.id])
    expect(await ids(`createdBefore=${between}`)).toEqual([first.id])
    expect(await ids(`updatedAfter=${between}`)).toEqual([token.id])
    expect(await ids(`updatedBefore=${between}`)).toEqual([first.id])
    expect(await ids(`createdAfter=${token.createdAt}`)).toEqual([])
  })
})
