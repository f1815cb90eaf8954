import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { describe, expect, test } from 'vitest'
import { Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Browser, newMember, secretOf } from '../../worlds/records/members.testing.ts'

let count = 0
const buildInvitation = (permissions: readonly string[]) => ({
  name: 'Invited Person',
  email: `invited.${++count}@example.com`,
  permissions,
})

/** Creates a platform with an owner, because the console link of a sandbox signs in as its owner. */
async function newPlatformWithOwner(): Promise<Client> {
  const client = await newPlatform()
  await newMember(client, MEMBER_ROLES.OWNER)
  return client
}

type Caller = Pick<Client, 'post' | 'send'>

async function createToken(client: Client, caller: Caller, permissions: readonly string[]) {
  const { body, status } = await caller.post('/tokens', { name: `Token ${++count}`, permissions })
  if (status !== 201) throw new Error(JSON.stringify(body))
  const credentials = { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret }
  return { id: body.id as string, client: new Client(credentials, client.baseUrl) }
}

/** Links that grant permissions. Each function creates a link as `maker`, and returns a function that uses it. */
const LINKS: Readonly<Record<string, (client: Client, maker: Caller) => Promise<() => Promise<number>>>> = {
  async 'an invitation'(client, maker) {
    const { body } = await maker.post('/members', buildInvitation(['VIEW', 'APPROVE']))
    return prepareRedemption(client, body.invitationUrl)
  },
  async 'a renewed invitation'(client, maker) {
    const { id } = await newMember(client, ['VIEW', 'APPROVE'])
    const { body } = await maker.post(`/members/${id}/invitations`)
    return prepareRedemption(client, body.invitationUrl)
  },
  async 'a console link of a sandbox'(client, maker) {
    const { body } = await maker.post('/sandbox/console-links')
    const link = { type: 'LINK', token: secretOf(body.url) }
    return async () => (await new Browser(client.baseUrl).post('/member-sessions', link)).status
  },
}

function prepareRedemption(client: Client, url: string) {
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

/** Ways in which the maker of a link loses a permission that the link grants. */
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
    const token = await createToken(client, client, MEMBER_ROLES.OWNER)
    return { maker: token.client, lose: () => client.send('DELETE', `/tokens/${token.id}`) }
  },
}

describe.each(Object.keys(LINKS))('%s', (link) => {
  test.each(Object.keys(LOSSES))('of %s is useless afterwards', async (loss) => {
    const client = await newPlatformWithOwner()
    const { maker, lose } = await LOSSES[loss]!(client)
    const useBefore = await LINKS[link]!(client, maker)
    expect(await useBefore(), 'while its maker has the permissions').toBe(201)
    const useAfter = await LINKS[link]!(client, maker)
    await lose()
    expect(await useAfter()).toBe(401)
  })

  test('that is used while its maker loses the permissions may work then, but never afterwards', async () => {
    const client = await newPlatformWithOwner()
    for (const loss of Object.keys(LOSSES)) {
      const { maker, lose } = await LOSSES[loss]!(client)
      const use = await LINKS[link]!(client, maker)
      const [status] = await Promise.all([use(), lose()])
      expect([201, 401]).toContain(status)
      expect(await use()).toBe(401)
    }
  })
})

test('a caller can neither remove nor reduce a member who has permissions that the caller lacks', async () => {
  const client = await newPlatform()
  const owner = await newMember(client, MEMBER_ROLES.OWNER)
  const manager = await newMember(client, ['VIEW', 'MANAGE'])
  const token = await createToken(client, client, ['VIEW', 'MANAGE'])
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
  // A member can reduce itself, and a member with all permissions can remove others.
  expect(
    (await manager.browser.send('PATCH', `/members/${manager.id}`, { permissions: ['VIEW'] })).status,
  ).toBe(200)
  expect((await owner.browser.send('DELETE', `/members/${manager.id}`)).status).toBe(204)
})

test('removing a member lists the API tokens that it created, directly or through a token, and ends them on request', async () => {
  const client = await newPlatform()
  const cases = [
    { query: '', tokensEnded: false, status: 200 },
    { query: '?endTokens=true', tokensEnded: true, status: 401 },
  ]
  for (const { query, tokensEnded, status } of cases) {
    const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
    const direct = await createToken(client, browser, ['VIEW', 'MANAGE'])
    const byToken = await createToken(client, direct.client, ['VIEW'])
    const deletedToken = await createToken(client, browser, ['VIEW'])
    await client.send('DELETE', `/tokens/${deletedToken.id}`)
    await createToken(client, client, ['VIEW'])
    const removed = await client.send('DELETE', `/members/${id}${query}`)
    expect(removed).toMatchObject({ status: 200, body: { tokensEnded } })
    expect(removed.body.tokens.map((token: { id: string }) => token.id)).toEqual([direct.id, byToken.id])
    expect(JSON.stringify(removed.body)).not.toContain('clientSecret')
    for (const token of [direct, byToken]) expect((await token.client.get('/config')).status).toBe(status)
  }
})

test('the tokens of a member cannot be ended if no other token can manage tokens', async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
  const token = await createToken(client, browser, MEMBER_ROLES.OWNER)
  await token.client.send('DELETE', `/tokens/${client.credentials.tokenId}`)
  const refused = await browser.send('DELETE', `/members/${id}?endTokens=true`)
  expectError(refused, { code: 'INVALID_INPUT', field: 'endTokens' })
  expect((await browser.get('/members/me')).status).toBe(200)
})
