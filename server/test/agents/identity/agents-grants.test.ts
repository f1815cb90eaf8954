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
  manager = await clientWith(['VIEW', 'MANAGE'])
})

async function clientWith(permissions: readonly Permission[]): Promise<Client> {
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

const newBody = (permissions: readonly string[], more: object = {}) => ({
  name: 'Shopper',
  customerId,
  policy: { ...POLICY, permissions, ...more },
})

describe('a token that cannot move money', () => {
  test('cannot create an agent that can, whatever its limits and approvals', async () => {
    const before = await stateOf(owner)
    const waiting = { defaultExecutionMode: 'APPROVAL_REQUIRED' }
    for (const permission of ['CREATE_TRANSFERS', 'EXECUTE_QUOTES'])
      for (const more of [{}, waiting])
        expectMissing(
          await manager.post('/agents', newBody([...HARMLESS, permission], more)),
          'TRANSACT',
          permission,
        )
    expect(await stateOf(owner)).toEqual(before)
    expect((await manager.post('/agents', newBody(HARMLESS))).status).toBe(201)
  })

  test('can neither change, resume nor connect such an agent; it can stop it in every way', async () => {
    const path = `/agents/${agent.id}`
    const refused: [method: string, path: string, body?: object][] = [
      ['PATCH', path, { name: 'Rent' }],
      ['PATCH', path, { isPaused: false }],
      ['PATCH', path, { isPaused: true, name: 'Rent' }],
      ['PATCH', `${path}/policy`, { spendingLimits: { dailyLimit: null } }],
      ['PATCH', `${path}/policy`, { defaultExecutionMode: 'APPROVAL_REQUIRED' }],
      ['PATCH', `${path}/policy`, {}],
      ['POST', `${path}/device-codes`],
    ]
    const before = await stateOf(owner)
    for (const [method, path, body] of refused)
      expectMissing(await manager.send(method, path, body), 'TRANSACT', `${method} ${path}`)
    expect(await stateOf(owner)).toEqual(before)
    expect((await manager.send('PATCH', path, { isPaused: true })).body.isPaused).toBe(true)
    expectMissing(await manager.send('PATCH', path, { isPaused: false }), 'TRANSACT', 'wake')
    const taken = await manager.send('PATCH', `${path}/policy`, { permissions: HARMLESS })
    expect(taken.body.policy.permissions).toEqual(HARMLESS)
    // An agent that moves no money is open to every token with MANAGE; giving the permission back is not.
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
    for (const [own, asked] of [
      [['MANAGE'], ['TRANSACT']],
      [['MANAGE'], ['MANAGE', 'VIEW']],
      [
        ['VIEW', 'MANAGE'],
        ['VIEW', 'TRANSACT', 'MANAGE'],
      ],
    ] as const) {
      const lacking = asked.find((permission) => !own.some((has) => has === permission))!
      const reply = await (await clientWith(own)).post('/tokens', { name: 'More', permissions: asked })
      expectError(reply, { code: 'FORBIDDEN', field: 'permissions' })
      expect(reply.body.message).toContain(lacking)
    }
  })
})

test('the document names further permissions of a call, and the call enforces them', async () => {
  const { paths } = (await owner.get('/openapi.json')).body
  const further = ENDPOINTS.flatMap(([name, endpoint]) =>
    endpoint.auth === 'platform' && endpoint.furtherPermission?.permission === 'TRANSACT'
      ? [{ name, endpoint }]
      : [],
  )
  expect(further.map(({ name }) => name)).toEqual([
    'agent_create',
    'agent_update',
    'agent_policy_update',
    'agent_device_code_create',
  ])
  for (const { name, endpoint } of further) {
    const operation = paths[endpoint.path][endpoint.method.toLowerCase()]
    expect(operation['x-further-permission'], name).toEqual(
      'furtherPermission' in endpoint && endpoint.furtherPermission,
    )
    expect(operation.description, name).toContain('Needs the permission MANAGE, and TRANSACT where')
    expect(endpoint.errors, name).toContain('FORBIDDEN')
  }
})
