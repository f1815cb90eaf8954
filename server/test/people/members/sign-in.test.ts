import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import {
  Authenticator,
  addPasskey,
  Browser,
  buildPasskeyBody,
  createAuthenticator,
  newMember,
  secretOf,
} from '../../worlds/records/members.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

async function newMemberWithPasskey() {
  const member = await newMember(client, ['VIEW'])
  const authenticator = createAuthenticator(member.browser)
  const passkeyId = await addPasskey(member.browser, authenticator)
  return { ...member, authenticator, passkeyId }
}

describe('a passkey', () => {
  test('signs in without a code, and its sessions end when it is deleted', async () => {
    const { browser, authenticator, passkeyId, id } = await newMemberWithPasskey()
    const otherBrowser = new Browser(client.baseUrl)
    const signedIn = await otherBrowser.post(
      '/member-sessions',
      await buildPasskeyBody(otherBrowser, authenticator),
    )
    expect(signedIn).toMatchObject({ status: 201, body: { member: { id }, session: { method: 'PASSKEY' } } })
    const [passkey] = (await browser.get('/members/me/passkeys')).body.data
    expect(passkey).toMatchObject({ id: passkeyId, name: 'Laptop', lastUsedAt: expect.any(String) })

    expect((await browser.send('DELETE', `/members/me/passkeys/${passkeyId}`)).status).toBe(204)
    expect((await otherBrowser.get('/members/me')).status).toBe(401)
    expect((await browser.get('/members/me')).status).toBe(200)
    expect((await browser.get('/member-sessions')).body.data).toHaveLength(1)
    const secondSignIn = await otherBrowser.post(
      '/member-sessions',
      await buildPasskeyBody(otherBrowser, authenticator),
    )
    expectError(secondSignIn, { code: 'UNAUTHORIZED', reason: 'No member has this passkey.' })
    // A removed authenticator can be registered again.
    await addPasskey(browser, authenticator)
  })

  test('uses a challenge once, even in fifty parallel calls', { tags: 'smoke' }, async () => {
    const { authenticator } = await newMemberWithPasskey()
    const browser = new Browser(client.baseUrl)
    const body = await buildPasskeyBody(browser, authenticator)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () => new Browser(client.baseUrl).post('/member-sessions', body)),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(401)])
  })

  test('does not sign in with a challenge that is altered, meant for registration, or older than the last one used', async () => {
    const { browser, authenticator } = await newMemberWithPasskey()
    const signInBy = (challenge: string) =>
      browser.post('/member-sessions', {
        type: 'PASSKEY',
        challenge,
        assertion: authenticator.assert(challenge, { isBase64url: true }),
      })
    const validChallenge = (await browser.post('/member-sessions/challenge')).body.challenge as string
    const registrationChallenge = (await browser.post('/members/me/passkeys/challenge')).body
      .challenge as string
    const alteredChallenge = `${validChallenge.slice(0, 12)}${validChallenge[12] === 'A' ? 'B' : 'A'}${validChallenge.slice(13)}`
    for (const challenge of [
      alteredChallenge,
      registrationChallenge,
      '',
      'AAAA',
      validChallenge.slice(0, 40),
      `${validChallenge}A`,
    ])
      expectError(await signInBy(challenge), {
        code: 'UNAUTHORIZED',
        reason: 'The sign-in took too long. Start again.',
        what: challenge,
      })
    const laterSignIn = await buildPasskeyBody(browser, authenticator)
    expect((await browser.post('/member-sessions', laterSignIn)).status).toBe(201)
    expectError(await signInBy(validChallenge), {
      code: 'UNAUTHORIZED',
      reason: 'A newer sign-in with this passkey has already finished. Start again.',
    })
  })

  test('of another site, another relying party, another key or a copied counter is refused', async () => {
    const { browser, authenticator } = await newMemberWithPasskey()
    const { origin } = browser
    const cloneAuthenticator = (rpId: string, page: string) =>
      Object.assign(new Authenticator(rpId, page), {
        keys: authenticator.keys,
        id: authenticator.id,
        counter: 1_000,
      })
    const stranger = Object.assign(createAuthenticator(browser), { id: authenticator.id, counter: 1_000 })
    const replayed = Object.assign(cloneAuthenticator('localhost', origin), { counter: -1 })
    for (const [candidate, reason] of [
      [cloneAuthenticator('localhost', 'https://evil.example'), 'Passkey origin is not allowed'],
      [cloneAuthenticator('evil.example', origin), 'Passkey relying party does not match'],
      [stranger, 'Invalid passkey signature'],
      [replayed, 'Passkey signature counter did not increase'],
    ] as const)
      expectError(await browser.post('/member-sessions', await buildPasskeyBody(browser, candidate)), {
        code: 'UNAUTHORIZED',
        reason: `The passkey was refused: ${reason}.`,
      })
    expect(
      (await browser.post('/member-sessions', await buildPasskeyBody(browser, authenticator))).status,
    ).toBe(201)
  })

  test('can be registered only by its member, and once on the server', async () => {
    const [owner, otherMember] = [await newMemberWithPasskey(), await newMemberWithPasskey()]
    const { challenge } = (await owner.browser.post('/members/me/passkeys/challenge')).body
    const stolen = { challenge, attestation: createAuthenticator(owner.browser).attest(challenge) }
    expectError(await otherMember.browser.post('/members/me/passkeys', stolen), {
      code: 'INVALID_INPUT',
      field: 'challenge',
    })
    const ownChallenge = (await otherMember.browser.post('/members/me/passkeys/challenge')).body.challenge
    const knownPasskey = { challenge: ownChallenge, attestation: owner.authenticator.attest(ownChallenge) }
    expectError(await otherMember.browser.post('/members/me/passkeys', knownPasskey), {
      code: 'PASSKEY_CREDENTIAL_ALREADY_EXISTS',
    })
    expectError(await otherMember.browser.send('DELETE', `/members/me/passkeys/${owner.passkeyId}`), {
      code: 'CREDENTIAL_NOT_FOUND',
    })
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => owner.browser.post('/members/me/passkeys', stolen)),
    )
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1)
  })

  test('needs a host name: an IP address is refused, and the message names the right address', async () => {
    const { browser } = await newMemberWithPasskey()
    const ipUrl = client.baseUrl
    const challenge = await fetch(`${ipUrl}/member-sessions/challenge`, { method: 'POST' })
    expect(await challenge.json()).not.toHaveProperty('rpId')
    const headers = { ...browser.headersOf('POST'), Origin: new URL(ipUrl).origin }
    const options = await fetch(`${ipUrl}/members/me/passkeys/challenge`, { method: 'POST', headers })
    expect(options.status).toBe(400)
    expect((await options.json()).message).toContain('http://localhost')
  })
})

describe('a code', () => {
  const readCode = async (email: string) =>
    /[\dA-Z]{4}-[\dA-Z]{4}/.exec(
      (await client.get(`/sandbox/inbox?recipient=${email}`)).body.data[0].text,
    )![0]

  test('signs in once, however it is typed, and a later one replaces it', async () => {
    const { email, id } = await newMember(client, ['VIEW'])
    const browser = new Browser(client.baseUrl)
    const requestCode = () => browser.post('/member-sessions/codes', { email: email.toUpperCase() })
    expect(await requestCode()).toMatchObject({ status: 202 })
    const firstCode = await readCode(email)
    await requestCode()
    const secondCode = await readCode(email)
    expect(secondCode).not.toBe(firstCode)
    const signInBy = (code: string) => browser.post('/member-sessions', { type: 'CODE', email, code })
    expect((await signInBy(firstCode)).status).toBe(401)
    const typedCode = ` ${secondCode.toLowerCase().replace('-', ' ')} `
    expect(await signInBy(typedCode)).toMatchObject({
      status: 201,
      body: { member: { id }, session: { method: 'CODE' } },
    })
    expectError(await signInBy(secondCode), { code: 'UNAUTHORIZED' })
  })

  test('is sent only to active members, but the response is the same for every address', async () => {
    const { email } = await newMember(client, ['VIEW'])
    const invited = `invited-${crypto.randomUUID()}@example.com`
    await client.post('/members', { name: 'Not here yet', email: invited, permissions: ['VIEW'] })
    const browser = new Browser(client.baseUrl)
    const responses = []
    for (const address of [email, `nobody-${crypto.randomUUID()}@example.com`, invited]) {
      const { status, body } = await browser.post('/member-sessions/codes', { email: address })
      responses.push([status, Object.keys(body)])
      expect((await client.get(`/sandbox/inbox?recipient=${address}`)).body.data).toHaveLength(
        address === email ? 1 : 0,
      )
    }
    expect(responses).toEqual(Array(3).fill([202, ['expiresAt']]))
  })

  test('is shown in the inbox only to callers with all permissions of the member', async () => {
    const member = await newMember(client, ['VIEW', 'MANAGE', 'REVIEW'])
    const manager = await newMember(client, ['VIEW', 'MANAGE'])
    const equal = await newMember(client, ['VIEW', 'MANAGE', 'REVIEW'])
    await new Browser(client.baseUrl).post('/member-sessions/codes', { email: member.email })
    const readMessage = async ({ browser }: typeof member) =>
      (await browser.get(`/sandbox/inbox?recipient=${member.email}`)).body.data[0]
    const hidden = await readMessage(manager)
    expect(hidden).toMatchObject({ recipient: member.email, status: 'DELIVERED' })
    expect([hidden.text, hidden.html]).toEqual([undefined, undefined])
    expect((await readMessage(equal)).text).toContain(await readCode(member.email))
  })

  test('allows five attempts, even if fifty are sent in parallel', async () => {
    const { email } = await newMember(client, ['VIEW'])
    const browser = new Browser(client.baseUrl)
    await browser.post('/member-sessions/codes', { email })
    const code = await readCode(email)
    const replies = await Promise.all(
      Array.from({ length: 50 }, () =>
        browser.post('/member-sessions', { type: 'CODE', email, code: 'AAAA-AAAA' }),
      ),
    )
    for (const reply of replies) expect(reply.status).toBe(401)
    expect((await browser.post('/member-sessions', { type: 'CODE', email, code })).status).toBe(401)
  })

  test('is sent to a member at most ten times an hour, and the response does not reveal the limit', async () => {
    const { email } = await newMember(client, ['VIEW'])
    const browser = new Browser(client.baseUrl)
    for (let count = 0; count < 12; count++)
      expect((await browser.post('/member-sessions/codes', { email })).status).toBe(202)
    expect((await client.get(`/sandbox/inbox?recipient=${email}&limit=100`)).body.data).toHaveLength(10)
  })
})

describe('sign-in attempts', () => {
  let service: SharedServer
  beforeAll(async () => {
    service = await world('sandbox')
  })

  const postFrom = async (path: string, payload: object, remoteAddress: string) =>
    (await service.server.inject({ method: 'POST', url: `/2025-10-13${path}`, payload, remoteAddress }))
      .statusCode

  test('are limited by credential across addresses, and requests for codes by e-mail address', async () => {
    const statuses: number[] = []
    for (let count = 0; count < 51; count++)
      statuses.push(await postFrom('/member-sessions', { type: 'LINK', token: 'wrong' }, `10.0.0.${count}`))
    expect(statuses).toEqual([...Array(50).fill(401), 429])
    expect(await postFrom('/member-sessions', { type: 'LINK', token: 'another' }, '10.0.0.1')).toBe(401)
    const email = 'nobody@example.com'
    const codes: number[] = []
    for (let count = 0; count < 6; count++)
      codes.push(await postFrom('/member-sessions/codes', { email }, `10.0.1.${count}`))
    expect(codes).toEqual([202, 202, 202, 202, 202, 429])
  })

  test('with made-up credentials lock out no member, even from the same address', async () => {
    const platform = await service.newPlatform()
    const { browser, email } = await newMember(platform, ['VIEW'])
    const authenticator = createAuthenticator(browser)
    const { challenge } = (await browser.post('/members/me/passkeys/challenge')).body
    await browser.post('/members/me/passkeys', { challenge, attestation: authenticator.attest(challenge) })
    const { body: invited } = await platform.post('/members', {
      name: 'Ada Lovelace',
      email: 'ada.invited@example.com',
      permissions: ['VIEW'],
    })
    const newBrowser = new Browser(platform.baseUrl)
    const attempts = [
      { type: 'LINK', token: 'made up' },
      { type: 'CODE', email, code: 'AAAA-AAAA' },
      { type: 'CODE', email: 'made.up@example.com', code: 'AAAA-AAAA' },
      { ...(await buildPasskeyBody(newBrowser, authenticator)), challenge: 'AAAA' },
    ]
    for (const body of attempts)
      for (let count = 0; count < 60; count++)
        expect([401, 429]).toContain((await newBrowser.post('/member-sessions', body)).status)
    for (let count = 0; count < 60; count++)
      await newBrowser.post('/member-sessions/codes', { email: `made.up.${count}@example.com` })
    expect(
      (await newBrowser.post('/member-sessions', await buildPasskeyBody(newBrowser, authenticator))).status,
    ).toBe(201)
    await browser.post('/member-sessions/codes', { email })
    const message = (await platform.get(`/sandbox/inbox?recipient=${email}`)).body.data[0].text as string
    const code = /[\dA-Z]{4}-[\dA-Z]{4}/.exec(message)![0]
    expect((await newBrowser.post('/member-sessions', { type: 'CODE', email, code })).status).toBe(201)
    const token = secretOf(invited.invitationUrl)
    expect((await newBrowser.post('/member-invitations/accept', { token })).status).toBe(201)
  })
})
