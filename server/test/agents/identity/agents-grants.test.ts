import type { Permission } from '@countersign/contract/core/endpoint'
import { beforeAll, describe, expect, test } from 'vitest'
import { Client, type Reply } from '../../worlds/client.testing.ts'
import { expectError, stateOf } from '../../worlds/contract/calls.testing.ts'
import { ENDPOINTS } from '../../worlds/contract/schemas.testing.ts'
import { type AgentClient, newAgentPlatform, POLICY } from '../../worlds/records/agents.testing.ts'

/** Permissions that move no money. */
const HARMLESS = ['VIEW_TRANSACTIONS', 'CREATE_QUOTES', 'MANAGE_EXTERNAL_ACCOUNTS']

let owner: Client
let agent: AgentClient
let customerId: string
/** A token that manages and moves no money. */
let manager: Client
beforeAll(async () => {
  const world = await newAgentPlatform()
  owner = world.client
  agent = world.agent
  customerId = world.payer.id
  manager = await createTokenClient(['VIEW', 'MANAGE'])
})

async function createTokenClient(permissions: readonly Permission[]): Promise<Client> {
  const { body } = await owner.post('/tokens', { name: permissions.join(), permissions })
  return new Client(
    { ...owner.credentials, tokenId: body.id, clientSecret: body.clientSecret },
    owner.baseUrl,
  )
}

function expectMissing(reply: Reply, permission: Permission, what: string) {
  expectError(reply, { code: 'FORBIDDEN', what })
  expect(reply.body, what).toMatchObject({
    message: `This token lacks the permission ${permission}.`,
    details: { permission },
  })
}

const buildAgent = (permissions: readonly string[], more: object = {}) => ({
  name: 'Shopper',
  customerId,
  policy: { ...POLICY, permissions, ...more },
})

describe('a token that cannot move money', () => {
  test('cannot create an agent that can, whatever its limits and approvals', async () => {
    const before = await stateOf(owner)
    const approvalMode = { defaultExecutionMode: 'APPROVAL_REQUIRED' }
    for (const permission of ['CREATE_TRANSFERS', 'EXECUTE_QUOTES'])
      for (const more of [{}, approvalMode])
        expectMissing(
          await manager.post('/agents', buildAgent([...HARMLESS, permission], more)),
          'TRANSACT',
          permission,
        )
    expect(await stateOf(owner)).toEqual(before)
    expect((await manager.post('/agents', buildAgent(HARMLESS))).status).toBe(201)
  })

  test('can neither change, resume nor connect such an agent, but can stop it in every way', async () => {
    const path = `/agents/${agent.id}`
    const refusedCalls: [method: string, path: string, body?: object][] = [
      ['PATCH', path, { name: 'Rent' }],
      ['PATCH', path, { isPaused: false }],
      ['PATCH', path, { isPaused: true, name: 'Rent' }],
      ['PATCH', `${path}/policy`, { spendingLimits: { dailyLimit: null } }],
      ['PATCH', `${path}/policy`, { defaultExecutionMode: 'APPROVAL_REQUIRED' }],
      ['PATCH', `${path}/policy`, {}],
      ['POST', `${path}/device-codes`],
    ]
    const before = await stateOf(owner)
    for (const [method, path, body] of refusedCalls)
      expectMissing(await manager.send(method, path, body), 'TRANSACT', `${method} ${path}`)
    expect(await stateOf(owner)).toEqual(before)
    expect((await manager.send('PATCH', path, { isPaused: true })).body.isPaused).toBe(true)
    expectMissing(await manager.send('PATCH', path, { isPaused: false }), 'TRANSACT', 'wake')
    const restricted = await manager.send('PATCH', `${path}/policy`, { permissions: HARMLESS })
    expect(restricted.body.policy.permissions).toEqual(HARMLESS)
    // MANAGE is enough to change an agent that moves no money, but not to give the permission back.
    expect((await manager.send('PATCH', path, { isPaused: false, name: 'Reader' })).status).toBe(200)
    expect((await manager.post(`${path}/device-codes`)).status).toBe(201)
    expectMissing(
      await manager.send('PATCH', `${path}/policy`, { permissions: ['EXECUTE_QUOTES'] }),
      'TRANSACT',
      'give back',
    )
    expect((await manager.send('DELETE', path)).status).toBe(204)
  })

  test('cannot create a token that can, nor one with any other permission that it lacks', async () => {
    for (const [permissions, requested] of [
      [['MANAGE'], ['TRANSACT']],
      [['MANAGE'], ['MANAGE', 'VIEW']],
      [
        ['VIEW', 'MANAGE'],
        ['VIEW', 'TRANSACT', 'MANAGE'],
      ],
    ] as const) {
      const lacking = requested.find((permission) => !permissions.some((has) => has === permission))!
      const reply = await (await createTokenClient(permissions)).post('/tokens', {
        name: 'More',
        permissions: requested,
      })
      expectError(reply, { code: 'FORBIDDEN', field: 'permissions' })
      expect(reply.body.message).toContain(lacking)
    }
  })
})

test('the API document names the further permissions of a call, and the call enforces them', async () => {
  const { paths } = (await owner.get('/openapi.json')).body
  const guardedEndpoints = ENDPOINTS.flatMap(([name, endpoint]) =>
    endpoint.auth === 'platform' && endpoint.furtherPermission?.permission === 'TRANSACT'
      ? [{ name, endpoint }]
      : [],
  )
  expect(guardedEndpoints.map(({ name }) => name)).toEqual([
    'agent_create',
    'agent_update',
    'agent_policy_update',
    'agent_device_code_create',
  ])
  for (const { name, endpoint } of guardedEndpoints) {
    const operation = paths[endpoint.path][endpoint.method.toLowerCase()]
    expect(operation['x-further-permission'], name).toEqual(
      'furtherPermission' in endpoint && endpoint.furtherPermission,
    )
    expect(operation.description, name).toContain('Needs the permission MANAGE, and TRANSACT if')
    expect(endpoint.errors, name).toContain('FORBIDDEN')
  }
})
