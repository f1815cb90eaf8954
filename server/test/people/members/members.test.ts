import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { expect, test } from 'vitest'
import { Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import {
  Browser,
  buildPasskeyBody,
  createAuthenticator,
  newMember,
  secretOf,
} from '../../worlds/records/members.testing.ts'

const GRACE = { name: 'Grace Hopper', email: 'grace@example.com', permissions: ['VIEW', 'APPROVE'] }

/** Creates a token with these permissions, and a client that uses it. */
async function createTokenClient(client: Client, permissions: readonly string[]): Promise<Client> {
  const { body } = await client.post('/tokens', { name: 'Less', permissions })
  return new Client(
    { ...client.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    client.baseUrl,
  )
}

test('an invited person creates a passkey, is signed in, and can sign in with it later', async () => {
  const client = await newPlatform()
  const invited = await client.post('/members', GRACE)
  expect(invited.status).toBe(201)
  expect(invited.body.member).toMatchObject({ ...GRACE, status: 'INVITED' })
  expect(invited.body.invitationUrl).toMatch(/^http:\/\/localhost:\d+\/console\/#invitation=[\w-]{43}$/)
  const hours = (Date.parse(invited.body.invitationExpiresAt) - Date.now()) / 3_600_000
  expect(hours).toBeGreaterThan(71.9)
  expect(hours).toBeLessThan(72.1)

  const browser = new Browser(client.baseUrl)
  const token = secretOf(invited.body.invitationUrl)
  const invitation = await browser.post('/member-invitations/read', { token })
  expect(invitation.body).toMatchObject({ name: GRACE.name, email: GRACE.email, isPasskeyRequired: false })
  expect(invitation.body.passkey.rp.id).toBe('localhost')
  const authenticator = createAuthenticator(browser)
  const { challenge } = invitation.body.passkey
  const passkey = { challenge, attestation: authenticator.attest(challenge) }
  const accepted = await browser.post('/member-invitations/accept', { token, passkey })
  expect(accepted.status).toBe(201)
  expect(accepted.body.member).toMatchObject({ ...GRACE, status: 'ACTIVE', id: invited.body.member.id })
  expect(accepted.body.session.method).toBe('PASSKEY')

  const laterBrowser = new Browser(client.baseUrl)
  const signedIn = await laterBrowser.post(
    '/member-sessions',
    await buildPasskeyBody(laterBrowser, authenticator),
  )
  expect(signedIn.status).toBe(201)
  expect(signedIn.body.member.id).toBe(invited.body.member.id)
  const secondUse = await new Browser(client.baseUrl).post('/member-invitations/accept', { token })
  expect(secondUse).toMatchObject({
    status: 401,
    body: { reason: 'This link was already used. Ask for a new invitation.' },
  })
})

test('a new invitation replaces the previous one, signs in a member who has lost the passkey, and needs all their permissions', async () => {
  const client = await newPlatform()
  const { id, browser } = await newMember(client, ['VIEW', 'TRANSACT'])
  const first = await client.post(`/members/${id}/invitations`)
  const second = await client.post(`/members/${id}/invitations`)
  const accept = (url: string) =>
    new Browser(client.baseUrl).post('/member-invitations/accept', { token: secretOf(url) })
  expect(await accept(first.body.invitationUrl)).toMatchObject({
    status: 401,
    body: { reason: 'This link was replaced by a newer one.' },
  })
  expect(await accept(second.body.invitationUrl)).toMatchObject({ status: 201, body: { member: { id } } })
  expect((await browser.get('/members/me')).status).toBe(200)

  const manager = await newMember(client, ['VIEW', 'MANAGE'])
  const refused = await manager.browser.post(`/members/${id}/invitations`)
  expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  expect(refused.body.message).toContain('TRANSACT')
})

test('nobody can grant a permission that they lack, to new or existing members or to themselves', async () => {
  const client = await newPlatform()
  const manager = await newMember(client, ['VIEW', 'MANAGE', 'TRANSACT'])
  const otherMember = await newMember(client, ['VIEW', 'REVIEW'])
  const { browser } = manager
  const refusals = await Promise.all([
    browser.post('/members', { ...GRACE, permissions: ['APPROVE'] }),
    browser.send('PATCH', `/members/${manager.id}`, { permissions: MEMBER_ROLES.OWNER }),
    browser.send('PATCH', `/members/${otherMember.id}`, { permissions: ['VIEW', 'REVIEW', 'APPROVE'] }),
    browser.post('/tokens', { name: 'Strong', permissions: ['REVIEW'] }),
    // A token with TRANSACT can also approve.
    browser.post('/tokens', { name: 'Approves', permissions: ['TRANSACT'] }),
    browser.post('/sandbox/console-links'),
    (await createTokenClient(client, ['MANAGE'])).post('/members', GRACE),
  ])
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(Array(7).fill([403, 'FORBIDDEN']))
  const allowed = await browser.send('PATCH', `/members/${otherMember.id}`, {
    permissions: ['VIEW', 'REVIEW', 'TRANSACT'],
  })
  expect(allowed).toMatchObject({ status: 200, body: { permissions: ['VIEW', 'TRANSACT', 'REVIEW'] } })
  // TRANSACT includes the right to approve.
  const backend = await createTokenClient(client, ['VIEW', 'MANAGE', 'TRANSACT'])
  expect((await backend.post('/members', GRACE)).status).toBe(201)
})

test('an invitation ends when its member is granted a permission that its creator lacks', async () => {
  const client = await newPlatform()
  const { browser } = await newMember(client, ['VIEW', 'MANAGE'])
  const invited = await browser.post('/members', { ...GRACE, permissions: ['VIEW'] })
  const path = `/members/${invited.body.member.id}`
  const accept = (url: string) =>
    new Browser(client.baseUrl).post('/member-invitations/accept', { token: secretOf(url) })
  expect((await client.send('PATCH', path, { permissions: MEMBER_ROLES.OWNER })).status).toBe(200)
  expect(await accept(invited.body.invitationUrl)).toMatchObject({
    status: 401,
    body: { reason: 'This link is no longer valid. Ask for a new invitation.' },
  })
  const renewed = await client.post(`${path}/invitations`)
  // Fewer permissions or another name do not end the invitation.
  await client.send('PATCH', path, { name: 'Rear Admiral', permissions: ['VIEW'] })
  expect((await accept(renewed.body.invitationUrl)).status).toBe(201)
})

test("a customer's token ends when the member who created it loses one of its permissions", async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, ['VIEW', 'TRANSACT'])
  const customer = await newCustomer(client)
  const createTokenCall = async (permissions: readonly string[]) => {
    const { body } = await browser.post('/customer-tokens', { customerId: customer.id, permissions })
    const headers = { Authorization: `Bearer ${body.accessToken}` }
    const path = `/customers/internal-accounts?customerId=${customer.id}`
    return async () => (await client.send('GET', path, undefined, headers)).status
  }
  const [callWithView, callWithTransact] = [
    await createTokenCall(['VIEW']),
    await createTokenCall(['VIEW', 'TRANSACT']),
  ]
  expect([await callWithView(), await callWithTransact()]).toEqual([200, 200])
  await client.send('PATCH', `/members/${id}`, { permissions: ['VIEW'] })
  expect([await callWithView(), await callWithTransact()]).toEqual([200, 401])
})

test('changed permissions take effect on the next request of an open session', async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, ['VIEW'])
  const createCustomer = () =>
    browser.post('/customers', { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' })
  expect(await createCustomer()).toMatchObject({
    status: 403,
    body: { message: 'You lack the permission MANAGE.' },
  })
  await client.send('PATCH', `/members/${id}`, { permissions: ['VIEW', 'MANAGE'] })
  expect((await createCustomer()).status).toBe(201)
  await client.send('PATCH', `/members/${id}`, { permissions: ['MANAGE'] })
  expect((await browser.get('/customers')).status).toBe(403)
})

test('a removed member loses access immediately: sessions, passkeys, links, codes and customer tokens', async () => {
  const client = await newPlatform()
  const { browser, id, email } = await newMember(client, ['VIEW', 'TRANSACT', 'MANAGE'])
  const authenticator = createAuthenticator(browser)
  const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
  await browser.post('/members/me/passkeys', { challenge, attestation: authenticator.attest(challenge) })
  const invitation = (await client.post(`/members/${id}/invitations`)).body.invitationUrl
  const customer = await newCustomer(client)
  const forCustomer = { customerId: customer.id, permissions: ['VIEW'] }
  const { accessToken } = (await browser.post('/customer-tokens', forCustomer)).body
  const callAsCustomer = () =>
    client.send('GET', `/customers/internal-accounts?customerId=${customer.id}`, undefined, {
      Authorization: `Bearer ${accessToken}`,
    })
  expect((await callAsCustomer()).status).toBe(200)
  await browser.post('/member-sessions/codes', { email })
  const message = (await client.get(`/sandbox/inbox?recipient=${email}`)).body.data[0].text as string

  expect((await client.send('DELETE', `/members/${id}`)).status).toBe(204)
  expect(await browser.get('/members/me')).toMatchObject({ status: 401, body: { code: 'UNAUTHORIZED' } })
  expect((await browser.get('/customers')).status).toBe(401)
  expect((await callAsCustomer()).status).toBe(401)
  const newBrowser = new Browser(client.baseUrl)
  const code = /[\dA-Z]{4}-[\dA-Z]{4}/.exec(message)![0]
  const replies = [
    await newBrowser.post('/member-sessions', await buildPasskeyBody(newBrowser, authenticator)),
    await newBrowser.post('/member-sessions', { type: 'CODE', email, code }),
    await newBrowser.post('/member-invitations/accept', { token: secretOf(invitation) }),
  ]
  expect(replies.map(({ status }) => status)).toEqual([401, 401, 401])
  expect((await client.get(`/members/${id}`)).body.status).toBe('REMOVED')
  expect((await client.get('/members')).body.data).toEqual([])
  expect((await client.send('PATCH', `/members/${id}`, { name: 'Back' })).status).toBe(404)
  // The address and the authenticator may be used again.
  expect((await client.post('/members', { ...GRACE, email })).status).toBe(201)
})

test('an e-mail address belongs to one member per platform, regardless of case and of parallel invitations', async () => {
  const [platform, otherPlatform] = [await newPlatform(), await newPlatform()]
  const replies = await Promise.all(
    Array.from({ length: 50 }, (_, index) =>
      platform.post('/members', { ...GRACE, email: index % 2 ? GRACE.email : GRACE.email.toUpperCase() }),
    ),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)])
  expect((await otherPlatform.post('/members', GRACE)).status).toBe(201)
})

test('a member of one platform cannot see another platform', async () => {
  const [platform, otherPlatform] = [await newPlatform(), await newPlatform()]
  const member = await newMember(platform, MEMBER_ROLES.OWNER)
  const foreignMember = await newMember(otherPlatform, MEMBER_ROLES.OWNER)
  const customer = await newCustomer(otherPlatform)
  const replies = await Promise.all([
    member.browser.get(`/customers/${customer.id}`),
    member.browser.get(`/members/${foreignMember.id}`),
    member.browser.get(`/member-sessions?memberId=${foreignMember.id}`),
    member.browser.send('DELETE', `/member-sessions/${foreignMember.session}`),
    member.browser.post(`/members/${foreignMember.id}/invitations`),
  ])
  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  expect((await member.browser.get('/members')).body.data.map(({ id }: { id: string }) => id)).toEqual([
    member.id,
  ])
})

test('members, their sessions and passkeys survive a reset of the sandbox', async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
  const before = (await browser.get('/members/me')).body
  expect((await browser.post('/sandbox/reset')).status).toBe(200)
  const after = (await browser.get('/members/me')).body
  expect(after.member).toEqual(before.member)
  expect(after.platform.id).not.toBe(before.platform.id)
  expect((await client.get(`/members/${id}`)).status).toBe(200)
})

test('a decision names the member who made it, and moving the sandbox clock ends no session', async () => {
  const client = await newPlatform()
  const { browser, id } = await newMember(client, MEMBER_ROLES.OWNER)
  await client.advance(400 * 24 * 3600)
  expect((await browser.get('/members/me')).status).toBe(200)
  await client.send('PATCH', '/config', { sandboxConfig: { verification: 'MANUAL' } })
  const person = {
    customerType: 'INDIVIDUAL',
    fullName: 'Ada Lovelace',
    email: 'ada@example.com',
    birthDate: '1990-12-10',
    nationality: 'US',
    address: { line1: '1 Main Street', city: 'Springfield', postalCode: '62701', country: 'US' },
  }
  const customer = (await client.post('/customers', person)).body
  const verification = (await client.post('/verifications', { customerId: customer.id })).body
  const decision = await browser.post(`/verifications/${verification.id}/decision`, {
    decision: 'REJECT',
    reason: 'No',
  })
  expect(decision.status, JSON.stringify(decision.body)).toBe(200)
  const decisions = (await client.get(`/verifications/${verification.id}/decisions`)).body.data
  expect(decisions.map(({ decidedBy }: { decidedBy: object }) => decidedBy)).toContainEqual({
    type: 'MEMBER',
    id,
  })
})
