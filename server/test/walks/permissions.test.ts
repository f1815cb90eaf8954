import { effectivePermissions, PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { Client, newCustomer, newPlatform } from '../worlds/client.testing.ts'
import { expectError, forEach, pathToNothing, stateOf } from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../worlds/contract/schemas.testing.ts'
import { type AgentClient, newAgent } from '../worlds/records/agents.testing.ts'

let owner: Client
let agent: AgentClient
beforeAll(async () => {
  owner = await newPlatform()
  agent = await newAgent(owner, (await newCustomer(owner)).id)
})

async function clientWith(permissions: readonly Permission[]): Promise<Client> {
  const { body } = await owner.post('/tokens', { name: permissions.join(), permissions })
  return new Client(
    { ...owner.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    owner.baseUrl,
  )
}

const OF_PLATFORM = ENDPOINTS.filter(([, { auth }]) => auth === 'platform')
const OF_AGENT = ENDPOINTS.filter(([, { auth }]) => auth === 'agent')

/**
 * Their effects do not depend on the input: emptying the platform, making a sign-in link with all
 * permissions, and storing a file.
 */
const BY_THEMSELVES: readonly string[] = ['sandbox_reset', 'sandbox_console_link', 'payout_file_create']

/** Each permission, with the calls that it allows without another. */
const OF_ONE = PERMISSIONS.map((permission) => [permission, OF_PLATFORM.filter(allows(permission))] as const)

function allows(permission: Permission) {
  const held = effectivePermissions([permission])
  return ([, endpoint]: (typeof OF_PLATFORM)[number]) =>
    endpoint.auth === 'platform' &&
    [endpoint.permission, endpoint.orPermission].some((one) => one && held.includes(one))
}

// `permission-sets.test.ts` tries the check with every set of permissions.
test.each(OF_ONE)(
  'a token with %s alone passes the permission check of its calls',
  async (permission, allowed) => {
    const client = await clientWith([permission])
    const before = await stateOf(owner)
    await forEach(allowed, async ([name, endpoint]) => {
      if (BY_THEMSELVES.includes(name)) return
      // An unknown record and an empty body: a caller who passes the check is refused for those.
      const body = endpoint.body ? {} : undefined
      const reply = await client.send(endpoint.method, pathToNothing(endpoint), body)
      expect([401, 403], `${name} → ${reply.status}`).not.toContain(reply.status)
      expect(reply.status, name).toBeLessThan(500)
    })
    expect(withoutTimes(await stateOf(owner))).toEqual(withoutTimes(before))
  },
)

test.each(OF_ONE)(
  'a token with all permissions but %s is refused the calls that need it',
  async (permission) => {
    // A permission that another one includes goes with it.
    const others = PERMISSIONS.filter((one) => !effectivePermissions([one]).includes(permission))
    const client = await clientWith(others)
    const held = effectivePermissions(others)
    const calls = OF_PLATFORM.filter(
      ([, endpoint]) =>
        endpoint.auth === 'platform' &&
        endpoint.permission === permission &&
        !(endpoint.orPermission && held.includes(endpoint.orPermission)),
    )
    await forEach(calls, async ([name, endpoint]) => {
      const reply = await client.send(
        endpoint.method,
        pathToNothing(endpoint),
        endpoint.body ? {} : undefined,
      )
      expectError(reply, { code: 'FORBIDDEN', what: name })
      expect(reply.body.details, name).toEqual({ permission })
    })
  },
)

/** A change without an effect still has a time, and is in the audit trail. */
function withoutTimes(state: Awaited<ReturnType<typeof stateOf>>): unknown {
  const records = state.filter(([name]) => name !== 'audit_event_list')
  return JSON.parse(JSON.stringify(records), (name, value) => (name === 'updatedAt' ? undefined : value))
}

test('a missing permission is reported before any fault of the request', { tags: 'smoke' }, async () => {
  const client = await clientWith(['VIEW'])
  const forbidden = OF_PLATFORM.filter(
    ([, endpoint]) => 'permission' in endpoint && endpoint.permission !== 'VIEW',
  )
  await forEach(forbidden, async ([name, { method, path }]) => {
    const bodies = method === 'DELETE' || method === 'GET' ? [undefined] : ['{', '[]', '{"amount":-1}']
    for (const body of bodies)
      expectError(await client.send(method, path.replace(/\{\w+\}/, 'x'), body), {
        code: 'FORBIDDEN',
        what: name,
      })
  })
})

describe('a caller', () => {
  const basic = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString('base64')}`

  test('without credentials, or with wrong ones, gets 401 with the reason from all endpoints of platforms', async () => {
    const { tokenId, clientSecret } = owner.credentials
    const other = (await newPlatform()).credentials
    const MALFORMED = 'Malformed credentials'
    const INVALID = 'Invalid credentials'
    const wrong: [string | undefined, string][] = [
      [undefined, 'Missing credentials'],
      ['', 'Missing credentials'],
      ['Basic', MALFORMED],
      ['Basic ', MALFORMED],
      ['Basic ???', MALFORMED],
      [`Bearer ${clientSecret}`, MALFORMED],
      [`Bearer ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`, MALFORMED],
      [agent.authorization, MALFORMED],
      [`Digest username="${tokenId}"`, MALFORMED],
      [`${owner.authorization}, ${owner.authorization}`, MALFORMED],
      [basic(''), MALFORMED],
      [basic(':'), MALFORMED],
      [basic(`:${clientSecret}`), MALFORMED],
      [basic('noColon'), MALFORMED],
      [basic(`${tokenId}\u0000:${clientSecret}`), MALFORMED],
      [basic(new Uint8Array([0xff, 0xfe, 0x3a, 0x61])), MALFORMED],
      [basic(`${tokenId} :${clientSecret}`), MALFORMED],
      [basic(tokenId), INVALID],
      [basic(`${tokenId}:`), INVALID],
      [basic(`${tokenId}:${clientSecret}x`), INVALID],
      [basic(`${tokenId}:${clientSecret.slice(0, -1)}`), INVALID],
      [basic(`${tokenId}:${clientSecret.toLowerCase()}`), INVALID],
      [basic(`${clientSecret}:${tokenId}`), INVALID],
      [basic(`${tokenId.toLowerCase()}:${clientSecret}`), INVALID],
      [basic(`${tokenId}:${other.clientSecret}`), INVALID],
      [basic(`${other.tokenId}:${clientSecret}`), INVALID],
      [basic(`' OR '1'='1:x`.replaceAll(' ', '+')), INVALID],
      [basic(`${'a'.repeat(4000)}:b`), INVALID],
    ]
    for (const [authorization, reason] of wrong) {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization }
      // Every endpoint without credentials and with a foreign token, to prove that each checks them; one
      // endpoint for the details of the check.
      const endpoints =
        authorization === undefined || authorization.startsWith('Bearer') ? OF_PLATFORM : [OF_PLATFORM[0]!]
      await forEach(endpoints, async ([name, endpoint]) => {
        const response = await fetch(owner.baseUrl + pathToNothing(endpoint), {
          method: endpoint.method,
          headers,
        })
        const reply = { status: response.status, headers: response.headers, body: await response.json() }
        expectError(reply, { code: 'UNAUTHORIZED', reason, what: `${name} ${authorization}` })
        expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
      })
    }
  })

  test('without the token of an agent, or with a replaced one, gets 401 from all endpoints of agents', async () => {
    const removed = await newAgent(owner, (await newCustomer(owner)).id)
    expect((await owner.send('DELETE', `/agents/${removed.id}`)).status).toBe(204)
    const MALFORMED = 'Malformed credentials'
    const INVALID = 'Invalid credentials'
    const { token, id } = agent
    const wrong: [string | undefined, string][] = [
      [undefined, 'Missing credentials'],
      ['', 'Missing credentials'],
      [owner.authorization, MALFORMED],
      [basic(`${id}:${token}`), MALFORMED],
      ['Bearer', MALFORMED],
      ['Bearer ', MALFORMED],
      [`Bearer ${token} ${token}`, MALFORMED],
      [`Bearer ${token}, Bearer ${token}`, MALFORMED],
      [`Bearer ${token}\u00e9`, MALFORMED],
      [token, MALFORMED],
      [removed.authorization, INVALID],
      [`Bearer ${owner.credentials.clientSecret}`, INVALID],
      [`Bearer ${id}`, INVALID],
      [`Bearer ${token}x`, INVALID],
      [`Bearer ${token.slice(0, -1)}`, INVALID],
      [`Bearer ${token.toLowerCase()}`, INVALID],
      [`Bearer ${token.slice('csa_'.length)}`, INVALID],
      [`Bearer ${'a'.repeat(4000)}`, INVALID],
    ]
    for (const [authorization, reason] of wrong) {
      const everywhere = [undefined, owner.authorization, removed.authorization].includes(authorization)
      await forEach(everywhere ? OF_AGENT : [OF_AGENT[0]!], async ([name, endpoint]) => {
        const headers: Record<string, string> =
          authorization === undefined ? {} : { Authorization: authorization }
        const response = await fetch(owner.baseUrl + pathToNothing(endpoint), {
          method: endpoint.method,
          headers,
        })
        const reply = { status: response.status, headers: response.headers, body: await response.json() }
        expectError(reply, { code: 'UNAUTHORIZED', reason, what: `${name} ${authorization}` })
        expect(response.headers.get('www-authenticate')).toMatch(/^Bearer realm="/)
      })
    }
    for (const scheme of ['Bearer', 'bearer', 'BEARER', 'Bearer  ']) {
      const headers = { Authorization: `${scheme} ${token}` }
      expect((await fetch(`${owner.baseUrl}/agents/me`, { headers })).status, scheme).toBe(200)
    }
  })

  test('may name a token by its id or by its client id, with the scheme in any case', async () => {
    const { body } = await owner.get(`/tokens/${owner.credentials.tokenId}`)
    for (const user of [body.id, body.clientId])
      for (const scheme of ['Basic', 'basic', 'BASIC', 'Basic  ']) {
        const text = Buffer.from(`${user}:${owner.credentials.clientSecret}`).toString('base64')
        const headers = { Authorization: `${scheme} ${text}` }
        expect((await fetch(`${owner.baseUrl}/config`, { headers })).status, scheme).toBe(200)
      }
  })
})
