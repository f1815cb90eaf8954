import { listEffectivePermissions, PERMISSIONS, type Permission } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { Client, newCustomer, newPlatform } from '../worlds/client.testing.ts'
import { buildMissingPath, expectError, forEach, stateOf } from '../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../worlds/contract/schemas.testing.ts'
import { type AgentClient, newAgent } from '../worlds/records/agents.testing.ts'

let owner: Client
let agent: AgentClient
beforeAll(async () => {
  owner = await newPlatform()
  agent = await newAgent(owner, (await newCustomer(owner)).id)
})

async function createClient(permissions: readonly Permission[]): Promise<Client> {
  const { body } = await owner.post('/tokens', { name: permissions.join(), permissions })
  return new Client(
    { ...owner.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    owner.baseUrl,
  )
}

const PLATFORM_ENDPOINTS = ENDPOINTS.filter(([, { auth }]) => auth === 'platform')
const AGENT_ENDPOINTS = ENDPOINTS.filter(([, { auth }]) => auth === 'agent')

/** Calls that have an effect whatever the input is, so an unknown record or an empty body does not stop them. */
const INPUT_INDEPENDENT: readonly string[] = ['sandbox_reset', 'sandbox_console_link', 'payout_file_create']

/** Each permission, with the calls that it allows without any other permission. */
const CALLS_BY_PERMISSION = PERMISSIONS.map(
  (permission) => [permission, PLATFORM_ENDPOINTS.filter(isAllowedBy(permission))] as const,
)

function isAllowedBy(permission: Permission) {
  const held = listEffectivePermissions([permission])
  return ([, endpoint]: (typeof PLATFORM_ENDPOINTS)[number]) =>
    endpoint.auth === 'platform' &&
    [endpoint.permission, endpoint.orPermission].some((needed) => needed && held.includes(needed))
}

// `permission-sets.test.ts` tries the check with every set of permissions.
test.each(CALLS_BY_PERMISSION)(
  'a token with only %s passes the permission check of every call that it allows',
  async (permission, allowed) => {
    const client = await createClient([permission])
    const before = await stateOf(owner)
    await forEach(allowed, async ([name, endpoint]) => {
      if (INPUT_INDEPENDENT.includes(name)) return
      // A caller who passes the check is refused for the unknown record or the empty body.
      const body = endpoint.body ? {} : undefined
      const reply = await client.send(endpoint.method, buildMissingPath(endpoint), body)
      expect([401, 403], `${name} → ${reply.status}`).not.toContain(reply.status)
      expect(reply.status, name).toBeLessThan(500)
    })
    expect(withoutTimes(await stateOf(owner))).toEqual(withoutTimes(before))
  },
)

test.each(CALLS_BY_PERMISSION)(
  'a token with all permissions except %s cannot make the calls that need it',
  async (permission) => {
    // Leaves out every permission that includes the tested one.
    const others = PERMISSIONS.filter((other) => !listEffectivePermissions([other]).includes(permission))
    const client = await createClient(others)
    const held = listEffectivePermissions(others)
    const calls = PLATFORM_ENDPOINTS.filter(
      ([, endpoint]) =>
        endpoint.auth === 'platform' &&
        endpoint.permission === permission &&
        !(endpoint.orPermission && held.includes(endpoint.orPermission)),
    )
    await forEach(calls, async ([name, endpoint]) => {
      const reply = await client.send(
        endpoint.method,
        buildMissingPath(endpoint),
        endpoint.body ? {} : undefined,
      )
      expectError(reply, { code: 'FORBIDDEN', what: name })
      expect(reply.body.details, name).toEqual({ permission })
    })
  },
)

/** Removes update times and audit events, which even a change without an effect creates. */
function withoutTimes(state: Awaited<ReturnType<typeof stateOf>>): unknown {
  const records = state.filter(([name]) => name !== 'audit_event_list')
  return JSON.parse(JSON.stringify(records), (name, value) => (name === 'updatedAt' ? undefined : value))
}

test('a missing permission is reported before any fault of the request', { tags: 'smoke' }, async () => {
  const client = await createClient(['VIEW'])
  const forbidden = PLATFORM_ENDPOINTS.filter(
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
  const toBasic = (text: string | Uint8Array) => `Basic ${Buffer.from(text).toString('base64')}`

  test('without valid platform credentials gets 401 with the reason from every platform endpoint', async () => {
    const { tokenId, clientSecret } = owner.credentials
    const otherPlatform = (await newPlatform()).credentials
    const MALFORMED = 'Malformed credentials'
    const INVALID = 'Invalid credentials'
    const refusals: [string | undefined, string][] = [
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
      [toBasic(''), MALFORMED],
      [toBasic(':'), MALFORMED],
      [toBasic(`:${clientSecret}`), MALFORMED],
      [toBasic('noColon'), MALFORMED],
      [toBasic(`${tokenId}\u0000:${clientSecret}`), MALFORMED],
      [toBasic(new Uint8Array([0xff, 0xfe, 0x3a, 0x61])), MALFORMED],
      [toBasic(`${tokenId} :${clientSecret}`), MALFORMED],
      [toBasic(tokenId), INVALID],
      [toBasic(`${tokenId}:`), INVALID],
      [toBasic(`${tokenId}:${clientSecret}x`), INVALID],
      [toBasic(`${tokenId}:${clientSecret.slice(0, -1)}`), INVALID],
      [toBasic(`${tokenId}:${clientSecret.toLowerCase()}`), INVALID],
      [toBasic(`${clientSecret}:${tokenId}`), INVALID],
      [toBasic(`${tokenId.toLowerCase()}:${clientSecret}`), INVALID],
      [toBasic(`${tokenId}:${otherPlatform.clientSecret}`), INVALID],
      [toBasic(`${otherPlatform.tokenId}:${clientSecret}`), INVALID],
      [toBasic(`' OR '1'='1:x`.replaceAll(' ', '+')), INVALID],
      [toBasic(`${'a'.repeat(4000)}:b`), INVALID],
    ]
    for (const [authorization, reason] of refusals) {
      const headers: Record<string, string> =
        authorization === undefined ? {} : { Authorization: authorization }
      // Missing credentials and a bearer token are tried at every endpoint. The other values are tried at
      // one, because all endpoints share the check.
      const endpoints =
        authorization === undefined || authorization.startsWith('Bearer')
          ? PLATFORM_ENDPOINTS
          : [PLATFORM_ENDPOINTS[0]!]
      await forEach(endpoints, async ([name, endpoint]) => {
        const response = await fetch(owner.baseUrl + buildMissingPath(endpoint), {
          method: endpoint.method,
          headers,
        })
        const reply = { status: response.status, headers: response.headers, body: await response.json() }
        expectError(reply, { code: 'UNAUTHORIZED', reason, what: `${name} ${authorization}` })
        expect(response.headers.get('www-authenticate')).toMatch(/^Basic realm="/)
      })
    }
  })

  test('without the token of an existing agent gets 401 from every agent endpoint', async () => {
    const removed = await newAgent(owner, (await newCustomer(owner)).id)
    expect((await owner.send('DELETE', `/agents/${removed.id}`)).status).toBe(204)
    const MALFORMED = 'Malformed credentials'
    const INVALID = 'Invalid credentials'
    const { token, id } = agent
    const refusals: [string | undefined, string][] = [
      [undefined, 'Missing credentials'],
      ['', 'Missing credentials'],
      [owner.authorization, MALFORMED],
      [toBasic(`${id}:${token}`), MALFORMED],
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
    for (const [authorization, reason] of refusals) {
      const isTriedEverywhere = [undefined, owner.authorization, removed.authorization].includes(
        authorization,
      )
      await forEach(isTriedEverywhere ? AGENT_ENDPOINTS : [AGENT_ENDPOINTS[0]!], async ([name, endpoint]) => {
        const headers: Record<string, string> =
          authorization === undefined ? {} : { Authorization: authorization }
        const response = await fetch(owner.baseUrl + buildMissingPath(endpoint), {
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

  test('may identify a token by its id or its client id, and write the scheme in any letter case', async () => {
    const { body } = await owner.get(`/tokens/${owner.credentials.tokenId}`)
    for (const user of [body.id, body.clientId])
      for (const scheme of ['Basic', 'basic', 'BASIC', 'Basic  ']) {
        const text = Buffer.from(`${user}:${owner.credentials.clientSecret}`).toString('base64')
        const headers = { Authorization: `${scheme} ${text}` }
        expect((await fetch(`${owner.baseUrl}/config`, { headers })).status, scheme).toBe(200)
      }
  })
})
