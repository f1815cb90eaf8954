import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { describe, expect, test } from 'vitest'
import { Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Browser, newMember, secretOf } from '../../worlds/records/members.testing.ts'

let count = 0
const person = (permissions: readonly string[]) => ({
  name: 'Invited Person',
  email: `invited.${++count}@example.com`,
  permissions,
})

/** A platform with an owner, as whom the link to its console signs in. */
async function newWithOwner(): Promise<Client> {
  const client = await newPlatform()
  await newMember(client, MEMBER_ROLES.OWNER)
  return client
}

type Caller = Pick<Client, 'post' | 'send'>

/** Makes a token and a client of it. */
async function newToken(client: Client, caller: Caller, permissions: readonly string[]) {
  const { body, status } = await caller.post('/tokens', { name: `Token ${++count}`, permissions })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const credentials = { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret }
  return { id: body.id as string, client: new Client(credentials, client.baseUrl) }
}

/** The links by which somebody gets rights. Each is made by `maker`, and tried by nobody else. */
const LINKS: Readonly<Record<string, (client: Client, maker: Caller) => Promise<() => Promise<number>>>> = {
  async 'an invitation'(client, maker) {
    const { body } = await maker.post('/members', person(['VIEW', 'APPROVE']))
    return redeem(client, body.invitationUrl)
  },
  async 'a renewed invitation'(client, maker) {
    const { id } = await newMember(client, ['VIEW', 'APPROVE'])
    const { body } = await maker.post(`/members/${id}/invitations`)
    return redeem(client, body.invitationUrl)
  },
  async 'a link to the console of a sandbox'(client, maker) {
    const { body } = await maker.post('/sandbox/console-links')
    const link = { type: 'LINK', token: secretOf(body.url) }
    return async () => (await new Browser(client.baseUrl).post('/member-sessions', link)).status
  },
}

function redeem(client: Client, url: string) {
  return async () => {
    const browser = new Browser(client.baseUrl)
    const token = secretOf(url)
    const accepted = await browser.post('/member-invitations/accept', { token })
    // A link that cannot be accepted cannot be read either.
    if (accepted.status === 401)
      expect((await browser.post('/member-invitations/read', { token })).status).toBe(401)
    return accepted.status
  }
}

/** Ways in which the maker of a link loses a right that the link gives. */
const LOSSES: Readonly<
  Record<string, (client: Client) => Promise<{ maker: Caller; lose: () => Promise<unknown> }>>
> = {
  async 'a member who is removed'(client) {
    const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
    return { maker: browser, lose: () => client.send('DELETE', `/members/${id}`) }
  },
  async 'a member with fewer permissions'(client) {
    const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
    const permissions = MEMBER_ROLES.OWNER.filter((one) => one !== 'APPROVE')
    return { maker: browser, lose: () => client.send('PATCH', `/members/${id}`, { permissions }) }
  },
  async 'a token that is deleted'(client) {
    const token = await newToken(client, client, MEMBER_ROLES.OWNER)
    return { maker: token.client, lose: () => client.send('DELETE', `/tokens/${token.id}`) }
  },
}

describe.each(Object.keys(LINKS))('%s', (link) => {
  test.each(Object.keys(LOSSES))('of %s is useless afterwards', async (loss) => {
    const client = await newWithOwner()
    const { maker, lose } = await LOSSES[loss]!(client)
    const before = await LINKS[link]!(client, maker)
    expect(await before(), 'while its maker has the rights').toBe(201)
    const after = await LINKS[link]!(client, maker)
    await lose()
    expect(await after()).toBe(401)
  })

  test('that is used while its maker loses the rights gives a session or none, but never afterwards', async () => {
    const client = await newWithOwner()
    for (const loss of Object.keys(LOSSES)) {
      const { maker, lose } = await LOSSES[loss]!(client)
      const use = await LINKS[link]!(client, maker)
      const [status] = await Promise.all([use(), lose()])
      expect([201, 401]).toContain(status)
      expect(await use()).toBe(401)
    }
  })
})

test('nobody takes permissions that they lack: a member who has them is neither removed nor reduced', async () => {
  const client = await newPlatform()
  const owner = await newMember(client, MEMBER_ROLES.OWNER)
  const manager = await newMember(client, ['VIEW', 'MANAGE'])
  const token = await newToken(client, client, ['VIEW', 'MANAGE'])
  for (const caller of [manager.browser, token.client]) {
    const path = `/members/${owner.id}`
    for (const permissions of [['VIEW'], ['VIEW', 'MANAGE'], ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE']])
      expectError(await caller.send('PATCH', path, { permissions }), {
        code: 'FORBIDDEN',
        field: 'permissions',
      })
    expectError(await caller.send('DELETE', path), { code: 'FORBIDDEN', field: 'permissions' })
    expect((await caller.send('PATCH', path, { name: 'Renamed' })).status).toBe(200)
  }
  expect((await client.get(`/members/${owner.id}`)).body).toMatchObject({
    status: 'ACTIVE',
    permissions: MEMBER_ROLES.OWNER,
  })
  // A member with all of them, and one about itself, may.
  expect(
    (await manager.browser.send('PATCH', `/members/${manager.id}`, { permissions: ['VIEW'] })).status,
  ).toBe(200)
  expect((await owner.browser.send('DELETE', `/members/${manager.id}`)).status).toBe(204)
})

test('the removal of a member lists the API tokens that it has made, directly or by one of them, and ends them on request', async () => {
  const client = await newPlatform()
  const ways = [
    { query: '', tokensEnded: false, status: 200 },
    { query: '?endTokens=true', tokensEnded: true, status: 401 },
  ]
  for (const { query, tokensEnded, status } of ways) {
    const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
    const direct = await newToken(client, browser, ['VIEW', 'MANAGE'])
    const byToken = await newToken(client, direct.client, ['VIEW'])
    const gone = await newToken(client, browser, ['VIEW'])
    await client.send('DELETE', `/tokens/${gone.id}`)
    await newToken(client, client, ['VIEW'])
    const removed = await client.send('DELETE', `/members/${id}${query}`)
    expect(removed).toMatchObject({ status: 200, body: { tokensEnded } })
    expect(removed.body.tokens.map((token: { id: string }) => token.id)).toEqual([direct.id, byToken.id])
    expect(JSON.stringify(removed.body)).not.toContain('clientSecret')
    for (const token of [direct, byToken]) expect((await token.client.get('/config')).status).toBe(status)
  }
})

test('ending the tokens of a member leaves one that can manage tokens', async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
  const own = await newToken(client, browser, MEMBER_ROLES.OWNER)
  await own.client.send('DELETE', `/tokens/${client.credentials.tokenId}`)
  const refused = await browser.send('DELETE', `/members/${id}?endTokens=true`)
  expectError(refused, { code: 'INVALID_INPUT', field: 'endTokens' })
  expect((await browser.get('/members/me')).status).toBe(200)
})
