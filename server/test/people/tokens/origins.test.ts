import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, newCustomer, newPlatform } from '../../worlds/client.testing.ts'
import { buildMissingPath, expectError, forEach } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { type CustomerClient, newCustomerClient } from '../../worlds/records/members.testing.ts'

const SHOP = 'https://shop.example'

let client: Client
let customer: CustomerClient
beforeAll(async () => {
  client = await newPlatform()
  customer = await newCustomerClient(client, (await newCustomer(client)).id)
})

const listCards = (Origin: string) => customer.send('GET', '/cards', undefined, { Origin })

describe('a page', () => {
  test('gets a preflight response exactly for calls that a token allows', async () => {
    await forEach(ENDPOINTS, async ([name, endpoint]) => {
      const isAllowed = endpoint.auth === 'platform' && endpoint.customerToken === true
      const hasAllowedCall = ENDPOINTS.some(
        ([, other]) => other.path === endpoint.path && other.auth === 'platform' && other.customerToken,
      )
      const response = await fetch(client.baseUrl + buildMissingPath(endpoint), {
        method: 'OPTIONS',
        headers: { Origin: SHOP, 'Access-Control-Request-Method': endpoint.method },
      })
      const { status, headers } = response
      expect(status, name).toBe(hasAllowedCall ? 204 : 405)
      expect(headers.get('access-control-allow-origin'), name).toBe(hasAllowedCall ? SHOP : null)
      const methods = headers.get('access-control-allow-methods')?.split(', ') ?? []
      expect(methods.includes(endpoint.method), name).toBe(isAllowed)
      expect(headers.get('access-control-allow-credentials'), name).toBeNull()
      if (hasAllowedCall)
        expect(headers.get('access-control-allow-headers')).toBe(
          'Authorization, Content-Type, Idempotency-Key, Request-Id, Svc-Wallet-Signature, Svc-Sandbox-Fault',
        )
    })
  })

  test('of an allowed origin can read responses, including refusals', async () => {
    const platform = await newPlatform()
    const caller = await newCustomerClient(platform, (await newCustomer(platform)).id)
    const { body } = await platform.send('PATCH', '/config', { allowedOrigins: [SHOP] })
    expect(body.allowedOrigins).toEqual([SHOP])
    for (const path of ['/cards', '/cards?limit=0', '/cards/Card:0', '/config']) {
      const { headers, status } = await caller.send('GET', path, undefined, { Origin: SHOP })
      expect(headers.get('access-control-allow-origin'), path).toBe(path === '/config' ? null : SHOP)
      expect(status).toBe(
        { '/cards': 200, '/cards?limit=0': 400, '/cards/Card:0': 404, '/config': 403 }[path],
      )
    }
    const foreignOrigins = [
      'https://evil.example',
      `${SHOP}.evil.example`,
      `${SHOP}:444`,
      'http://shop.example',
      'null',
    ]
    for (const Origin of foreignOrigins) {
      const reply = await caller.send('GET', '/cards', undefined, { Origin })
      expectError(reply, { code: 'FORBIDDEN', what: Origin })
      expect(reply.body.details).toEqual({ origin: Origin })
    }
    // A page on the developer's machine is no longer allowed either.
    const local = await caller.send('GET', '/cards', undefined, { Origin: 'http://localhost:3000' })
    expectError(local, { code: 'FORBIDDEN' })
    // Callers other than pages send no origin.
    expect((await caller.get('/cards')).status).toBe(200)
  })

  test("on the developer's own machine is allowed in a sandbox by default", async () => {
    expect((await client.get('/config')).body.allowedOrigins).toEqual([
      'http://localhost:*',
      'http://127.0.0.1:*',
    ])
    for (const origin of ['http://localhost', 'http://localhost:5173', 'http://127.0.0.1:8080'])
      expect((await listCards(origin)).status, origin).toBe(200)
    for (const origin of [
      'https://localhost',
      'http://localhost.evil.example',
      'http://localhost:80.evil.example',
    ])
      expectError(await listCards(origin), { code: 'FORBIDDEN', what: origin })
  })

  test("cannot read responses to a backend's credentials", async () => {
    const { status, headers } = await client.send('GET', '/cards', undefined, { Origin: SHOP })
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, null])
  })

  test('can read the public keys of the enclave', async () => {
    const { headers } = await fetch(new URL('/.well-known/countersign.json', client.baseUrl))
    expect(headers.get('access-control-allow-origin')).toBe('*')
  })
})

test('an allowed origin must have no path and no wildcard host, and http only on the local machine', async () => {
  for (const invalidOrigin of [
    'https://shop.example/',
    'http://shop.example',
    'https://',
    '*',
    'shop.example',
    `${SHOP} x`,
  ])
    expectError(await client.send('PATCH', '/config', { allowedOrigins: [SHOP, invalidOrigin] }), {
      code: 'INVALID_INPUT',
      field: 'allowedOrigins.1',
      what: invalidOrigin,
    })
})
