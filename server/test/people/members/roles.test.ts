import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { Countersign } from '@countersign/sdk'
import { expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Browser, newMember, newRole, secretOf } from '../../worlds/records/members.testing.ts'

let count = 0
const person = (more: object) => ({ name: 'Grace Hopper', email: `role.${++count}@example.com`, ...more })
const patch = (caller: Pick<Client, 'send'>, path: string, body: object) => caller.send('PATCH', path, body)
const permissionsOf = async (client: Client, id: string) =>
  (await client.get(`/members/${id}`)).body.permissions

test('members of a role follow its permissions immediately, in open sessions too, until they get permissions of their own', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Night shift', ['VIEW', 'APPROVE'])
  const [one, other] = [await newMember(client, { roleId: role }), await newMember(client, ['VIEW'])]
  const moved = await patch(client, `/members/${other.id}`, { roleId: role })
  expect(moved.body).toMatchObject({ roleId: role, permissions: ['VIEW', 'APPROVE'] })
  const customer = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }
  for (const { browser } of [one, other])
    expect(await browser.post('/customers', customer)).toMatchObject({ status: 403 })

  const changed = await patch(client, `/member-roles/${role}`, { permissions: ['MANAGE', 'VIEW'] })
  expect(changed).toMatchObject({ status: 200, body: { permissions: ['VIEW', 'MANAGE'], memberCount: 2 } })
  for (const { browser } of [one, other])
    expect((await browser.post('/customers', customer)).status).toBe(201)

  const own = await patch(client, `/members/${other.id}`, { permissions: ['VIEW'] })
  expect(own.body.roleId).toBeUndefined()
  await patch(client, `/member-roles/${role}`, { permissions: ['VIEW', 'TRANSACT'] })
  expect(await permissionsOf(client, other.id)).toEqual(['VIEW'])
  expect((await one.browser.post('/customers', customer)).status).toBe(403)
  const listed = (await client.get(`/members?roleId=${role}`)).body.data
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([one.id])
})

test('nobody defines, changes, assigns or deletes a role with permissions that they lack', async () => {
  const client = await newPlatform()
  const strong = await newRole(client, 'Approvers', ['VIEW', 'APPROVE'])
  const weak = await newRole(client, 'Readers', ['VIEW'])
  const manager = await newMember(client, ['VIEW', 'MANAGE'])
  const approver = await newMember(client, { roleId: strong })
  const { browser } = manager
  const refusals = await Promise.all([
    browser.post('/member-roles', { name: 'Mine', permissions: ['VIEW', 'REVIEW'] }),
    patch(browser, `/member-roles/${weak}`, { permissions: ['VIEW', 'APPROVE'] }),
    patch(browser, `/member-roles/${strong}`, { permissions: ['VIEW'] }),
    patch(browser, `/members/${manager.id}`, { roleId: strong }),
    patch(browser, `/members/${approver.id}`, { roleId: weak }),
    browser.post('/members', person({ roleId: strong })),
    browser.send('DELETE', `/member-roles/${strong}`),
  ])
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(Array(7).fill([403, 'FORBIDDEN']))
  const viewer = await newMember(client, ['VIEW'])
  expect((await viewer.browser.post('/member-roles', { name: 'Mine', permissions: ['VIEW'] })).status).toBe(
    403,
  )
  expect((await patch(browser, `/member-roles/${strong}`, { name: 'Deciders' })).status).toBe(200)
  expect((await browser.post('/members', person({ roleId: weak }))).status).toBe(201)
})

test('a role that members have is not deleted, and one that nobody has is gone for everybody', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Trainees')
  const { id } = await newMember(client, { roleId: role })
  const inUse = await client.send('DELETE', `/member-roles/${role}`)
  expectError(inUse, { code: 'MEMBER_ROLE_IN_USE', field: 'memberRoleId' })
  expect(inUse.body.details.memberCount).toBe(1)
  expect((await client.send('DELETE', `/members/${id}`)).status).toBe(204)
  expect((await client.send('DELETE', `/member-roles/${role}`)).status).toBe(204)
  const gone = [
    await client.get(`/member-roles/${role}`),
    await patch(client, `/member-roles/${role}`, { name: 'Back' }),
    await client.send('DELETE', `/member-roles/${role}`),
    await client.post('/members', person({ roleId: role })),
  ]
  for (const reply of gone)
    expect(reply).toMatchObject({ status: 404, body: { code: 'MEMBER_ROLE_NOT_FOUND' } })
  expect((await client.get('/member-roles')).body.data).toEqual([])
  // The name is free again.
  await newRole(client, 'Trainees')
})

test('each of fifty members who get a role while it changes or is deleted has exactly the permissions of the role', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Shift', ['VIEW'])
  const ids = await Promise.all(
    Array.from(
      { length: 24 },
      async () => (await client.post('/members', person({ permissions: ['VIEW'] }))).body.member.id,
    ),
  )
  const replies = await Promise.all([
    ...ids.map((id) => patch(client, `/members/${id}`, { roleId: role })),
    ...Array.from({ length: 13 }, () => client.post('/members', person({ roleId: role }))),
    patch(client, `/member-roles/${role}`, { permissions: ['VIEW', 'APPROVE'] }),
    patch(client, `/member-roles/${role}`, { permissions: ['VIEW', 'REVIEW'] }),
    client.send('DELETE', `/member-roles/${role}`),
  ])
  expect(replies.every(({ status }) => [200, 201, 204, 404, 409].includes(status))).toBe(true)
  const now = (await client.get(`/member-roles/${role}`)).body
  const members = (await client.get('/members?limit=100')).body.data.filter(
    ({ roleId }: { roleId?: string }) => roleId === role,
  )
  expect(members).toHaveLength(now.memberCount ?? 0)
  for (const { permissions } of members) expect(permissions).toEqual(now.permissions)
})

test('the last member with every permission is neither removed nor reduced by a member, directly or through the role', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Owners', MEMBER_ROLES.OWNER)
  const [one, other] = [await newMember(client, { roleId: role }), await newMember(client, { roleId: role })]
  const reduce = { permissions: ['VIEW', 'MANAGE'] }
  expectError(await patch(one.browser, `/member-roles/${role}`, reduce), {
    code: 'LAST_OWNER',
    field: 'permissions',
  })
  // Both at the same time: one of them stays.
  const replies = await Promise.all([
    one.browser.send('DELETE', `/members/${one.id}`),
    patch(other.browser, `/members/${other.id}`, reduce),
  ])
  expect(replies.map(({ status }) => status).filter((status) => status < 300)).toHaveLength(1)
  const left = replies[0].status === 204 ? other : one
  for (const reply of [
    await left.browser.send('DELETE', `/members/${left.id}`),
    await patch(left.browser, `/members/${left.id}`, reduce),
    await patch(left.browser, `/members/${left.id}`, { roleId: await newRole(client, 'Less') }),
    await patch(left.browser, `/member-roles/${role}`, reduce),
  ])
    expectError(reply, { code: 'LAST_OWNER', field: 'permissions' })
  expect(await permissionsOf(client, left.id)).toEqual(MEMBER_ROLES.OWNER)
  // The backend can invite the next one, so it may.
  expect((await client.send('DELETE', `/members/${left.id}`)).status).toBe(204)
})

test('permissions that a role gains end the invitations of its members, whose maker knows the links', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Soon more', ['VIEW'])
  const { browser } = await newMember(client, ['VIEW', 'MANAGE'])
  const invited = await browser.post('/members', person({ roleId: role }))
  await patch(client, `/member-roles/${role}`, { permissions: MEMBER_ROLES.OWNER })
  const token = secretOf(invited.body.invitationUrl)
  expect((await new Browser(client.baseUrl).post('/member-invitations/accept', { token })).status).toBe(401)
})

test('names are unique in any case and not those of built-in roles, and bad input names its field', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Night shift')
  const made = await Promise.all(
    Array.from({ length: 50 }, () =>
      client.post('/member-roles', { name: 'Parallel', permissions: ['VIEW'] }),
    ),
  )
  expect(made.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)])
  expectError(await client.post('/member-roles', { name: 'NIGHT SHIFT', permissions: ['VIEW'] }), {
    code: 'MEMBER_ROLE_NAME_EXISTS',
    field: 'name',
  })
  const bad: [object, string][] = [
    [{ name: 'owner', permissions: ['VIEW'] }, 'name'],
    [{ name: 'None', permissions: [] }, 'permissions'],
    [{ name: 'x'.repeat(65), permissions: ['VIEW'] }, 'name'],
  ]
  for (const [body, field] of bad)
    expectError(await client.post('/member-roles', body), { code: 'INVALID_INPUT', field })
  expectError(await client.post('/members', person({ permissions: ['VIEW'], roleId: role })), {
    code: 'INVALID_INPUT',
    field: 'roleId',
  })
  expectError(await client.post('/members', person({})), { code: 'INVALID_INPUT', field: 'permissions' })
  expect((await patch(client, `/member-roles/${role}`, { name: 'night SHIFT' })).status).toBe(200)
  const found = (await client.get('/member-roles?name=NIGHT%20shift')).body.data
  expect(found.map(({ id }: { id: string }) => id)).toEqual([role])
})

test('a role of one platform is missing on another, also for its members', async () => {
  const [one, other] = [await newPlatform(), await newPlatform()]
  const theirs = await newRole(other, 'Theirs')
  const { id } = await newMember(one, ['VIEW'])
  const seen = await Promise.all([
    one.get(`/member-roles/${theirs}`),
    patch(one, `/member-roles/${theirs}`, { name: 'Ours' }),
    one.send('DELETE', `/member-roles/${theirs}`),
    patch(one, `/members/${id}`, { roleId: theirs }),
    one.post('/members', person({ roleId: theirs })),
  ])
  expect(seen.map(({ status }) => status)).toEqual(Array(5).fill(404))
})

test('each change of a role is an event and an entry of the audit trail, by the sdk too, and roles survive a reset', async () => {
  const client = await newPlatform()
  const { browser } = await newMember(client, MEMBER_ROLES.OWNER)
  const sdk = new Countersign({ ...client.credentials, baseUrl: client.baseUrl })
  const { id } = await sdk.memberRoles.create({ name: 'By sdk', permissions: ['VIEW'] })
  await browser.send('PATCH', `/member-roles/${id}`, { permissions: ['VIEW', 'APPROVE'] })
  await sdk.memberRoles.delete(id)
  const events = (await client.get('/events?type=MEMBER_ROLE.CHANGED')).body.data
  expect(events.map(({ data }: { data: { permissions: string[] } }) => data)).toMatchObject([
    { id, permissions: ['VIEW'] },
    { id, permissions: ['VIEW', 'APPROVE'] },
    { id, deletedAt: expect.any(String) },
  ])
  const audit = (await client.get('/audit-events?operation=member_role_update')).body.data
  expect(audit).toMatchObject([{ operation: 'member_role_update', actor: { type: 'MEMBER' } }])

  const kept = await newRole(client, 'Kept', ['VIEW', 'APPROVE'])
  const member = await newMember(client, { roleId: kept })
  await client.post('/sandbox/reset')
  expect((await client.get(`/member-roles/${kept}`)).body).toMatchObject({ id: kept, memberCount: 1 })
  await patch(client, `/member-roles/${kept}`, { permissions: ['VIEW'] })
  expect(await permissionsOf(client, member.id)).toEqual(['VIEW'])
})
