import { createHash, randomBytes } from 'node:crypto'
import { ConnectionError, CountersignError } from '@countersign/sdk'
import { describe, expect, test } from 'vitest'
import { AuthorizationServer, buildAuthorizationMetadata } from './authorization.ts'
import { handleAuthorization } from './authorization-routes.ts'

const ORIGIN = 'https://mcp.example.com'
const CALLBACK = 'https://assistant.example/callback'
const CODE = 'KQG-4Z9-BZ9'
const verifier = randomBytes(32).toString('base64url')
const codeChallenge = createHash('sha256').update(verifier).digest('base64url')

function makeServer(redirectUris: readonly string[] = [CALLBACK]) {
  const clock = { now: 0 }
  const redeemed: string[] = []
  const redeem = async (code: string) => {
    const lost = { cause: undefined, isTimeout: false, idempotencyKey: undefined }
    if (code === 'AAA-AAA-AAA') throw new ConnectionError('connect ECONNREFUSED', lost)
    if (code !== CODE || redeemed.includes(code))
      throw new CountersignError({ status: 404, code: 'DEVICE_CODE_NOT_FOUND', message: 'No.', details: {} })
    redeemed.push(code)
    return 'the-token'
  }
  const server = new AuthorizationServer(redeem, () => clock.now)
  const ask = async (method: string, path: string, parameters?: Record<string, string> | string) => {
    const text = typeof parameters === 'string' ? parameters : String(new URLSearchParams(parameters))
    const isGet = method === 'GET'
    const request = new Request(`${ORIGIN}${path}${isGet && text ? `?${text}` : ''}`, {
      method,
      ...(isGet ? {} : { body: text }),
    })
    return (
      (await handleAuthorization(server, ORIGIN, request, (received) => received.text())) ??
      new Response(null, { status: 404 })
    )
  }
  const register = (registration: object) => ask('POST', '/register', JSON.stringify(registration))
  const request = async (changes: Record<string, string> = {}) => {
    const { client_id } = await (
      await register({ redirect_uris: redirectUris, client_name: 'Claude' })
    ).json()
    return {
      response_type: 'code',
      client_id,
      redirect_uri: redirectUris[0] ?? '',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
      state: 'their-state',
      resource: `${ORIGIN}/mcp`,
      ...changes,
    }
  }
  const submit = async (deviceCode: string, changes: Record<string, string> = {}) =>
    ask('POST', '/authorize', { ...(await request(changes)), device_code: deviceCode })
  const exchange = async (code: string, changes: Record<string, string> = {}) => {
    const { client_id, redirect_uri } = await request()
    const grant = { client_id, redirect_uri, code, code_verifier: verifier, grant_type: 'authorization_code' }
    return ask('POST', '/token', { ...grant, ...changes })
  }
  return { clock, redeemed, ask, register, request, submit, exchange }
}

const readLocation = (response: Response) => new URL(response.headers.get('location') ?? '')
const readCode = (response: Response) => readLocation(response).searchParams.get('code') ?? ''

describe('the sign-in of an assistant', () => {
  test('returns the token of the agent whose device code was entered, once', async () => {
    const { submit, exchange, redeemed } = makeServer()
    const sentBack = await submit(` ${CODE} `)
    expect(sentBack.status).toBe(303)
    expect(redeemed).toEqual([CODE])
    const location = readLocation(sentBack)
    expect(location.href.split('?')[0]).toBe(CALLBACK)
    expect(location.searchParams.get('state')).toBe('their-state')
    expect(location.searchParams.get('iss')).toBe(ORIGIN)
    const token = await exchange(readCode(sentBack))
    expect(await token.json()).toEqual({ access_token: 'the-token', token_type: 'Bearer' })
    expect(token.headers.get('cache-control')).toBe('no-store')
    const again = await exchange(readCode(sentBack))
    expect([again.status, (await again.json()).error]).toEqual([400, 'invalid_grant'])
  })

  test.each([
    ['another verifier', { code_verifier: randomBytes(32).toString('base64url') }],
    ['no verifier', { code_verifier: '' }],
    ['another client', { client_id: 'someone' }],
    ['another address', { redirect_uri: `${CALLBACK}/other` }],
    ['another grant', { grant_type: 'client_credentials' }],
  ])('returns no token for a code with %s', async (_, changes) => {
    const { submit, exchange } = makeServer()
    const response = await exchange(readCode(await submit(CODE)), changes)
    expect(response.status).toBe(400)
    expect(await response.text()).not.toContain('the-token')
  })

  test('returns no token for a code that is a minute old', async () => {
    const { clock, submit, exchange } = makeServer()
    const code = readCode(await submit(CODE))
    clock.now += 60_000
    expect((await exchange(code)).status).toBe(400)
  })

  test.each([
    ['AAA-AAA-AAB', 400, 'This code is unknown, already used or expired'],
    ['../../customers', 400, 'This code is unknown, already used or expired'],
    ['AAA-AAA-AAA', 503, 'The platform is not responding'],
  ])('shows the form again for the code %s', async (deviceCode, status, words) => {
    const { submit, redeemed } = makeServer()
    const response = await submit(deviceCode)
    expect(response.status).toBe(status)
    expect(await response.text()).toContain(words)
    expect(redeemed).toEqual([])
  })

  test("shows the client and the redirect target, and escapes the client's name", async () => {
    const { ask, register, request } = makeServer()
    const registration = { redirect_uris: [CALLBACK], client_name: '<b>Claude</b>\u202e"' }
    const { client_id } = await (await register(registration)).json()
    const response = await ask('GET', '/authorize', await request({ client_id }))
    const html = await response.text()
    expect(html).toContain('A program that calls itself “&lt;b&gt;Claude&lt;/b&gt;&quot;”')
    expect(html).toContain('<strong class="place">assistant.example</strong>')
    expect(response.headers.get('content-security-policy')).toContain(
      "form-action 'self' https://assistant.example; frame-ancestors 'none'",
    )
  })

  test.each([
    ['an address that is not registered', { redirect_uri: 'https://evil.example/' }],
    ['an unknown client', { client_id: 'someone' }],
  ])('tells the person, and sends them nowhere, for %s', async (_, changes) => {
    const { ask, request } = makeServer()
    const response = await ask('GET', '/authorize', await request(changes))
    expect([response.status, response.headers.get('location')]).toEqual([400, null])
  })

  test.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge: '' }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
  ])('tells the program %s', async (error, changes) => {
    const { submit, redeemed } = makeServer()
    const response = await submit(CODE, changes)
    expect(readLocation(response).searchParams.get('error')).toBe(error)
    expect(redeemed).toEqual([])
  })

  test('redirects to any port of a program on the same machine', async () => {
    const { submit } = makeServer(['http://127.0.0.1/callback'])
    const sentBack = await submit(CODE, { redirect_uri: 'http://127.0.0.1:51234/callback' })
    expect(readLocation(sentBack).host).toBe('127.0.0.1:51234')
  })
})

test.each([
  ['javascript:alert(1)'],
  ['data:text/html,x'],
  ['http://assistant.example/'],
  ['https://assistant.example/#part'],
  ['https://someone@assistant.example/'],
  ['nonsense'],
  [7],
])('no client is registered with the address %s', async (uri) => {
  const { register } = makeServer()
  const response = await register({ redirect_uris: [CALLBACK, uri] })
  expect([response.status, (await response.json()).error]).toEqual([400, 'invalid_redirect_uri'])
})

test('the metadata lists only working endpoints', async () => {
  const { ask } = makeServer()
  const metadata = await (await ask('GET', '/.well-known/oauth-authorization-server')).json()
  expect(metadata).toEqual(buildAuthorizationMetadata(ORIGIN))
  const { authorization_endpoint, token_endpoint, registration_endpoint } = buildAuthorizationMetadata(ORIGIN)
  const readPath = (address: string) => new URL(address).pathname
  expect((await ask('GET', readPath(authorization_endpoint))).status).toBe(400)
  for (const endpoint of [token_endpoint, registration_endpoint])
    expect((await ask('POST', readPath(endpoint), '')).status).toBe(400)
})
