import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { timeLimit } from '../../../../test/machine-speed.ts'
import { listen } from '../../../../test/ports.testing.ts'
import { readBrale } from '../../base/settings/brale.ts'
import { ConfigError } from '../../base/settings/config-error.ts'
import type { StablecoinProvider } from '../../kernel/ports/stablecoin-provider.ts'
import { createBrale } from './brale.ts'

const CREDENTIALS = { apiClientId: 'client', apiClientSecret: 'se:cret', isLinked: false }
const TIMEOUT_MS = timeLimit(200)

type CannedResponse = readonly [status: number, body: unknown]

let server: Server
let brale: StablecoinProvider
let seen: { method: string; url: string; authorization: string; body: string }[]
let token: CannedResponse | 'silence'
let accounts: CannedResponse

beforeAll(async () => {
  server = createServer(respond)
  const origin = `http://127.0.0.1:${await listen(server)}`
  const { brale: config } = readBrale({
    BRALE_ENVIRONMENT: 'SANDBOX',
    BRALE_AUTH_URL: `${origin}/oauth2/token`,
    BRALE_API_URL: `${origin}/`,
  })
  brale = createBrale(config!, TIMEOUT_MS)
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  seen = []
  token = [200, { access_token: 'bearer-1', expires_in: 3599, token_type: 'bearer' }]
  accounts = [200, { accounts: ['2Js1YFqlfxgNqC2KTPEjrWIwKU7'] }]
})

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  const { method = '', url = '', headers } = request
  seen.push({
    method,
    url,
    authorization: headers.authorization ?? '',
    body: Buffer.concat(parts).toString(),
  })
  const canned = url === '/oauth2/token' ? token : accounts
  if (canned === 'silence') return
  const [status, body] = canned
  response.writeHead(status, { 'Content-Type': 'application/json' })
  response.end(typeof body === 'string' ? body : JSON.stringify(body))
}

test('Brale credentials are exchanged for a token, which then reads the accounts', async () => {
  expect(await brale.check(CREDENTIALS)).toEqual({
    outcome: 'accepted',
    providerAccountIds: ['2Js1YFqlfxgNqC2KTPEjrWIwKU7'],
  })
  expect(brale.environment).toBe('SANDBOX')
  expect(seen).toEqual([
    {
      method: 'POST',
      url: '/oauth2/token',
      authorization: `Basic ${Buffer.from('client:se:cret').toString('base64')}`,
      body: 'grant_type=client_credentials',
    },
    { method: 'GET', url: '/accounts', authorization: 'Bearer bearer-1', body: '' },
  ])
})

test.each([400, 401, 403])(
  'a %i response from either Brale endpoint means invalid credentials',
  async (status) => {
    token = [status, { error: 'invalid_client' }]
    expect(await brale.check(CREDENTIALS)).toEqual({ outcome: 'invalid' })
    token = [200, { access_token: 'bearer-1' }]
    accounts = [status, {}]
    expect(await brale.check(CREDENTIALS)).toEqual({ outcome: 'invalid' })
  },
)

test('a Brale client id that HTTP Basic cannot carry is rejected without a request', async () => {
  expect(await brale.check({ ...CREDENTIALS, apiClientId: 'a:b' })).toEqual({ outcome: 'invalid' })
  expect(seen).toEqual([])
})

test('an unreadable Brale response leaves the credentials undecided and reveals no secret', async () => {
  const unreadable: readonly CannedResponse[] = [
    [500, 'oops'],
    [302, {}],
    [200, 'no json'],
    [200, []],
    [200, {}],
    [200, 'x'.repeat(300 * 1024)],
  ]
  for (const response of [
    ...unreadable,
    [200, { access_token: 'a\nb' }],
    [200, { access_token: 1 }],
  ] as const) {
    token = response
    expect(await brale.check(CREDENTIALS), String(response)).toMatchObject({ outcome: 'unavailable' })
  }
  token = [200, { access_token: 'bearer-1' }]
  for (const response of [
    ...unreadable,
    [200, { accounts: [1] }],
    [200, { accounts: 'a' }],
    [200, { accounts: [''] }],
  ] as const) {
    accounts = response
    const found = await brale.check(CREDENTIALS)
    expect(found, String(response)).toMatchObject({ outcome: 'unavailable' })
    expect(JSON.stringify(found)).not.toMatch(/se:cret|bearer-1/)
  }
})

test('a Brale request without a response ends with a timeout', async () => {
  token = 'silence'
  expect(await brale.check(CREDENTIALS)).toEqual({ outcome: 'unavailable', reason: 'TIMEOUT' })
})

test('invalid Brale settings are rejected with a ConfigError', () => {
  expect(readBrale({})).toEqual({})
  expect(readBrale({ BRALE_ENVIRONMENT: 'PRODUCTION' }).brale).toEqual({
    environment: 'PRODUCTION',
    authUrl: 'https://auth.brale.xyz/oauth2/token',
    apiUrl: 'https://api.brale.xyz',
  })
  for (const env of [
    { BRALE_ENVIRONMENT: 'production' },
    { BRALE_API_URL: 'https://api.brale.xyz' },
    { BRALE_ENVIRONMENT: 'PRODUCTION', BRALE_API_URL: 'http://brale.example' },
    { BRALE_ENVIRONMENT: 'PRODUCTION', BRALE_AUTH_URL: 'https://user@brale.example' },
    { BRALE_ENVIRONMENT: 'PRODUCTION', BRALE_AUTH_URL: 'brale' },
  ])
    expect(() => readBrale(env)).toThrow(ConfigError)
})
