import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { buildMissingPath, expectError, forEach } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { Browser, newMember, secretOf } from '../../worlds/records/members.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const OWNER = ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW']
const CALLED_BY_MEMBERS = ENDPOINTS.filter(([, { auth }]) => auth === 'platform' || auth === 'member')

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

test('no endpoint accepts a change by cookie from a page of another origin or without an origin', async () => {
  const { browser } = await newMember(client, OWNER)
  const changing = CALLED_BY_MEMBERS.filter(([, { method }]) => method !== 'GET')
  const ownUrl = new URL(browser.baseUrl)
  const foreignHeaders = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: ownUrl.origin.replace('http:', 'https:') },
    { Origin: `http://localhost.evil.example:${ownUrl.port}` },
    { Origin: 'http://localhost' },
    // A different host name of the same server is a different origin.
    { Origin: ownUrl.origin.replace('localhost', '127.0.0.1') },
  ]
  await forEach(changing, async ([name, endpoint], index) => {
    const headers = foreignHeaders[index % foreignHeaders.length]!
    const reply = await browser.send(endpoint.method, buildMissingPath(endpoint), undefined, headers)
    expectError(reply, { code: 'FORBIDDEN', what: `${name} ${headers.Origin}` })
  })
  const { Origin: _, ...without } = browser.headersOf('POST')
  const withoutOrigin = await fetch(`${browser.baseUrl}/members`, { method: 'POST', headers: without })
  expect(withoutOrigin.status).toBe(403)
  expect((await client.get('/members?limit=100')).body.data).toHaveLength(1)
})

test("reads from another site's page are treated as signed out, and no page may read with cookies", async () => {
  const { browser } = await newMember(client, OWNER)
  const reading = CALLED_BY_MEMBERS.filter(([, { method }]) => method === 'GET')
  await forEach(reading, async ([name, endpoint], index) => {
    const site = ['cross-site', 'same-site'][index % 2]!
    const reply = await browser.send('GET', buildMissingPath(endpoint), undefined, {
      'Sec-Fetch-Site': site,
      Origin: 'https://evil.example',
    })
    expectError(reply, { code: 'UNAUTHORIZED', what: name })
    expect(reply.headers.get('access-control-allow-origin'), name).toBeNull()
    expect(reply.headers.get('access-control-allow-credentials'), name).toBeNull()
  })
  expect((await browser.send('GET', '/members/me', undefined, { 'Sec-Fetch-Site': 'none' })).status).toBe(200)
})

test('a page of another origin cannot sign anyone in', async () => {
  const token = secretOf((await client.post('/sandbox/console-links')).body.url)
  const browser = new Browser(client.baseUrl)
  const body = { type: 'LINK', token }
  const foreignReply = await browser.send('POST', '/member-sessions', body, {
    Origin: 'https://evil.example',
  })
  expectError(foreignReply, { code: 'FORBIDDEN' })
  expect(foreignReply.headers.get('set-cookie')).toBeNull()
  const plainTextReply = await browser.send('POST', '/member-sessions', JSON.stringify(body), {
    'Content-Type': 'text/plain',
  })
  expectError(plainTextReply, { code: 'UNSUPPORTED_MEDIA_TYPE' })
  expect((await browser.post('/member-sessions', body)).status).toBe(201)
})

test('other credentials take precedence over the cookie, and a browser without either gets no password prompt', async () => {
  const { browser } = await newMember(client, ['VIEW'])
  const { body } = await client.post('/tokens', { name: 'Manages', permissions: ['MANAGE'] })
  const authorization = `Basic ${Buffer.from(`${body.id}:${body.clientSecret}`).toString('base64')}`
  expect((await browser.send('GET', '/customers', undefined, { Authorization: authorization })).status).toBe(
    403,
  )
  expect((await browser.send('GET', '/customers', undefined, { Authorization: 'Basic eDp5' })).status).toBe(
    401,
  )
  expect((await browser.send('GET', '/members/me', undefined, { Authorization: authorization })).status).toBe(
    401,
  )
  for (const path of ['/customers', '/members/me']) {
    const reply = await new Browser(client.baseUrl).get(path)
    expectError(reply, { code: 'UNAUTHORIZED', reason: 'You are not signed in.' })
    expect(reply.headers.get('www-authenticate')).toMatch(/^Member /)
  }
})

test('an unknown cookie is refused', async () => {
  const { browser } = await newMember(client, ['VIEW'])
  const secret = browser.cookie!
  for (const cookie of [
    `countersign_session=${secret}x`,
    `countersign_session=${secret[0] === 'A' ? 'B' : 'A'}${secret.slice(1)}`,
    `countersign_session=${secret.toLowerCase()}`,
    `countersign_session="${secret}"`,
    `Countersign_session=${secret}`,
    'countersign_session=',
    `countersign_session=${'a'.repeat(43)}`,
  ])
    expectError(await browser.send('GET', '/customers', undefined, { Cookie: cookie }), {
      code: 'UNAUTHORIZED',
      what: cookie,
    })
  expect((await browser.get('/customers')).status).toBe(200)
})

test('a member ends their own sessions, or all sessions with MANAGE, and an ended session stays ended', async () => {
  const member = await newMember(client, ['VIEW'])
  const otherMember = await newMember(client, ['VIEW'])
  const manager = await newMember(client, ['VIEW', 'MANAGE'])
  expect((await member.browser.get('/member-sessions')).body.data).toMatchObject([
    { id: member.session, isCurrent: true },
  ])
  expect((await member.browser.get(`/member-sessions?memberId=${otherMember.id}`)).status).toBe(403)
  expect((await member.browser.send('DELETE', `/member-sessions/${otherMember.session}`)).status).toBe(403)
  expect((await manager.browser.send('DELETE', `/member-sessions/${otherMember.session}`)).status).toBe(204)
  expect(await otherMember.browser.get('/customers')).toMatchObject({
    status: 401,
    body: { reason: 'The session has ended. Sign in again.' },
  })
  const copy = member.browser.copy()
  expect((await member.browser.send('DELETE', '/members/me/session')).status).toBe(204)
  expect(member.browser.cookie).toBeUndefined()
  expect((await copy.get('/members/me')).status).toBe(401)
})

test('a member can call exactly the endpoints that the permissions allow', async () => {
  const { browser } = await newMember(client, ['VIEW', 'REVIEW'])
  await forEach(CALLED_BY_MEMBERS, async ([name, endpoint]) => {
    // A stream would never end.
    if (endpoint.auth !== 'platform' || name === 'sandbox_reset' || name === 'event_stream') return
    const { permission } = endpoint
    const reply = await browser.send(
      endpoint.method,
      buildMissingPath(endpoint),
      endpoint.body ? {} : undefined,
    )
    if (permission === 'VIEW' || permission === 'REVIEW') {
      expect([401, 403], `${name} → ${reply.status}`).not.toContain(reply.status)
      expect(reply.status, name).toBeLessThan(500)
    } else expect(reply.body, name).toMatchObject({ code: 'FORBIDDEN', details: { permission } })
  })
})

const ORIGIN = 'https://pay.example'
let service: TestServer
beforeAll(async () => {
  service = await openServer({ PUBLIC_URL: ORIGIN }, { listens: false })
})
afterAll(async () => service.close())

test('with PUBLIC_URL the cookie is sent only over TLS, and only that origin can make changes until the session expires', async () => {
  const { app, server, newOp } = service
  const { createOperatorConsoleLink } = await import('../../../src/people/members/operator.ts')
  const url = await createOperatorConsoleLink(app, (await newOp()).platform.id)
  expect(url.startsWith(`${ORIGIN}/console/#link=`)).toBe(true)
  const callApi = (method: 'GET' | 'POST' | 'DELETE', path: string, headers: object, payload?: object) =>
    server.inject({
      method,
      url: `/2025-10-13${path}`,
      headers: { host: 'inner:8787', ...headers },
      ...(payload ? { payload } : {}),
    })
  const signedIn = await callApi(
    'POST',
    '/member-sessions',
    { origin: ORIGIN },
    { type: 'LINK', token: secretOf(url) },
  )
  expect(signedIn.statusCode).toBe(201)
  const setCookie = String(signedIn.headers['set-cookie'])
  expect(setCookie).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  const cookie = setCookie.split(';')[0]!
  const createLink = (origin: string) => callApi('POST', '/sandbox/console-links', { cookie, origin })
  expect((await createLink('http://inner:8787')).statusCode).toBe(403)
  expect((await createLink(ORIGIN)).statusCode).toBe(201)
  expect((await callApi('GET', '/members/me', { cookie })).statusCode).toBe(200)
  expect((await callApi('POST', '/member-sessions/challenge', { origin: ORIGIN })).json().rpId).toBe(
    'pay.example',
  )

  await app.db.query("UPDATE member_sessions SET expires_at = now() - interval '1 second'", [])
  const expired = await callApi('GET', '/members/me', { cookie })
  expect(expired.statusCode).toBe(401)
  expect(expired.json().reason).toBe('The session has ended. Sign in again.')
  expect((await createLink(ORIGIN)).statusCode).toBe(401)
})
