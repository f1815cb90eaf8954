import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError, forEach, pathToNothing } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { Browser, newMember, secretOf } from '../../worlds/records/members.testing.ts'
import { openServer, type TestServer } from '../../worlds/server.testing.ts'

const OWNER = ['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW']
const CALLED_BY_MEMBERS = ENDPOINTS.filter(([, { auth }]) => auth === 'platform' || auth === 'member')

let client: Client
beforeAll(async () => {
  client = await newPlatform()
})

test('a cookie changes nothing from a page of another origin, nor without an origin, at any endpoint', async () => {
  const { browser } = await newMember(client, OWNER)
  const changing = CALLED_BY_MEMBERS.filter(([, { method }]) => method !== 'GET')
  const own = new URL(browser.baseUrl)
  const foreign = [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: own.origin.replace('http:', 'https:') },
    { Origin: `http://localhost.evil.example:${own.port}` },
    { Origin: 'http://localhost' },
    // Another name of the same server is another origin.
    { Origin: own.origin.replace('localhost', '127.0.0.1') },
  ]
  await forEach(changing, async ([name, endpoint], index) => {
    const headers = foreign[index % foreign.length]!
    const reply = await browser.send(endpoint.method, pathToNothing(endpoint), undefined, headers)
    expectError(reply, { code: 'FORBIDDEN', what: `${name} ${headers.Origin}` })
  })
  const { Origin: _, ...without } = browser.headersOf('POST')
  const bare = await fetch(`${browser.baseUrl}/members`, { method: 'POST', headers: without })
  expect(bare.status).toBe(403)
  expect((await client.get('/members?limit=100')).body.data).toHaveLength(1)
})

test("reads from another site's page are treated as signed out, and no page may read with cookies", async () => {
  const { browser } = await newMember(client, OWNER)
  const reading = CALLED_BY_MEMBERS.filter(([, { method }]) => method === 'GET')
  await forEach(reading, async ([name, endpoint], index) => {
    const site = ['cross-site', 'same-site'][index % 2]!
    const reply = await browser.send('GET', pathToNothing(endpoint), undefined, {
      'Sec-Fetch-Site': site,
      Origin: 'https://evil.example',
    })
    expectError(reply, { code: 'UNAUTHORIZED', what: name })
    expect(reply.headers.get('access-control-allow-origin'), name).toBeNull()
    expect(reply.headers.get('access-control-allow-credentials'), name).toBeNull()
  })
  expect((await browser.send('GET', '/members/me', undefined, { 'Sec-Fetch-Site': 'none' })).status).toBe(200)
})

test('nobody is signed in by a page of another origin', async () => {
  const token = secretOf((await client.post('/sandbox/console-links')).body.url)
  const browser = new Browser(client.baseUrl)
  const body = { type: 'LINK', token }
  const foreign = await browser.send('POST', '/member-sessions', body, { Origin: 'https://evil.example' })
  expectError(foreign, { code: 'FORBIDDEN' })
  expect(foreign.headers.get('set-cookie')).toBeNull()
  const form = await browser.send('POST', '/member-sessions', JSON.stringify(body), {
    'Content-Type': 'text/plain',
  })
  expectError(form, { code: 'UNSUPPORTED_MEDIA_TYPE' })
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
    const nobody = await new Browser(client.baseUrl).get(path)
    expectError(nobody, { code: 'UNAUTHORIZED', reason: 'You are not signed in.' })
    expect(nobody.headers.get('www-authenticate')).toMatch(/^Member /)
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
  const own = await newMember(client, ['VIEW'])
  const other = await newMember(client, ['VIEW'])
  const manager = await newMember(client, ['VIEW', 'MANAGE'])
  expect((await own.browser.get('/member-sessions')).body.data).toMatchObject([
    { id: own.session, isCurrent: true },
  ])
  expect((await own.browser.get(`/member-sessions?memberId=${other.id}`)).status).toBe(403)
  expect((await own.browser.send('DELETE', `/member-sessions/${other.session}`)).status).toBe(403)
  expect((await manager.browser.send('DELETE', `/member-sessions/${other.session}`)).status).toBe(204)
  expect(await other.browser.get('/customers')).toMatchObject({
    status: 401,
    body: { reason: 'The session has ended. Sign in again.' },
  })
  const copy = own.browser.copy()
  expect((await own.browser.send('DELETE', '/members/me/session')).status).toBe(204)
  expect(own.browser.cookie).toBeUndefined()
  expect((await copy.get('/members/me')).status).toBe(401)
})

test('a member may call exactly what the permissions allow', async () => {
  const { browser } = await newMember(client, ['VIEW', 'REVIEW'])
  await forEach(CALLED_BY_MEMBERS, async ([name, endpoint]) => {
    // A stream does not end.
    if (endpoint.auth !== 'platform' || name === 'sandbox_reset' || name === 'event_stream') return
    const { permission } = endpoint
    const reply = await browser.send(endpoint.method, pathToNothing(endpoint), endpoint.body ? {} : undefined)
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

test('with PUBLIC_URL the cookie is only for TLS, and changes come only from that address, until the session expires', async () => {
  const { app, server, newOp } = service
  const { createOperatorConsoleLink } = await import('../../../src/people/members/operator.ts')
  const url = await createOperatorConsoleLink(app, (await newOp()).platform.id)
  expect(url.startsWith(`${ORIGIN}/console/#link=`)).toBe(true)
  const ask = (method: 'GET' | 'POST' | 'DELETE', path: string, headers: object, payload?: object) =>
    server.inject({
      method,
      url: `/2025-10-13${path}`,
      headers: { host: 'inner:8787', ...headers },
      ...(payload ? { payload } : {}),
    })
  const signedIn = await ask(
    'POST',
    '/member-sessions',
    { origin: ORIGIN },
    { type: 'LINK', token: secretOf(url) },
  )
  expect(signedIn.statusCode).toBe(201)
  const set = String(signedIn.headers['set-cookie'])
  expect(set).toMatch(/; HttpOnly; SameSite=Strict; Secure$/)
  const cookie = set.split(';')[0]!
  const reset = (origin: string) => ask('POST', '/sandbox/console-links', { cookie, origin })
  expect((await reset('http://inner:8787')).statusCode).toBe(403)
  expect((await reset(ORIGIN)).statusCode).toBe(201)
  expect((await ask('GET', '/members/me', { cookie })).statusCode).toBe(200)
  expect((await ask('POST', '/member-sessions/challenge', { origin: ORIGIN })).json().rpId).toBe(
    'pay.example',
  )

  await app.db.query("UPDATE member_sessions SET expires_at = now() - interval '1 second'", [])
  const expired = await ask('GET', '/members/me', { cookie })
  expect(expired.statusCode).toBe(401)
  expect(expired.json().reason).toBe('The session has ended. Sign in again.')
  expect((await reset(ORIGIN)).statusCode).toBe(401)
})
