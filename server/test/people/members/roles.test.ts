import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { Countersign } from '@countersign/sdk'
import { expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { Browser, newMember, newRole, secretOf } from '../../worlds/records/members.testing.ts'

let count = 0
const buildPerson = (more: object) => ({
  name: 'Grace Hopper',
  email: `role.${++count}@example.com`,
  ...more,
})
const patch = (caller: Pick<Client, 'send'>, path: string, body: object) => caller.send('PATCH', path, body)
const readPermissions = async (client: Client, id: string) =>
  (await client.get(`/members/${id}`)).body.permissions

test('a change of a role applies to its members immediately, even in open sessions, until they get other permissions', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Night shift', ['VIEW', 'APPROVE'])
  const [member, otherMember] = [await newMember(client, { roleId: role }), await newMember(client, ['VIEW'])]
  const moved = await patch(client, `/members/${otherMember.id}`, { roleId: role })
  expect(moved.body).toMatchObject({ roleId: role, permissions: ['VIEW', 'APPROVE'] })
  const customer = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }
  for (const { browser } of [member, otherMember])
    expect(await browser.post('/customers', customer)).toMatchObject({ status: 403 })

  const changed = await patch(client, `/member-roles/${role}`, { permissions: ['MANAGE', 'VIEW'] })
  expect(changed).toMatchObject({ status: 200, body: { permissions: ['VIEW', 'MANAGE'], memberCount: 2 } })
  for (const { browser } of [member, otherMember])
    expect((await browser.post('/customers', customer)).status).toBe(201)

  const changedMember = await patch(client, `/members/${otherMember.id}`, { permissions: ['VIEW'] })
  expect(changedMember.body.roleId).toBeUndefined()
  await patch(client, `/member-roles/${role}`, { permissions: ['VIEW', 'TRANSACT'] })
  expect(await readPermissions(client, otherMember.id)).toEqual(['VIEW'])
  expect((await member.browser.post('/customers', customer)).status).toBe(403)
  const listed = (await client.get(`/members?roleId=${role}`)).body.data
  expect(listed.map(({ id }: { id: string }) => id)).toEqual([member.id])
})

test('nobody can define, change, assign or delete a role with permissions that they lack', async () => {
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
    browser.post('/members', buildPerson({ roleId: strong })),
    browser.send('DELETE', `/member-roles/${strong}`),
  ])
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual(Array(7).fill([403, 'FORBIDDEN']))
  const viewer = await newMember(client, ['VIEW'])
  expect((await viewer.browser.post('/member-roles', { name: 'Mine', permissions: ['VIEW'] })).status).toBe(
    403,
  )
  expect((await patch(browser, `/member-roles/${strong}`, { name: 'Deciders' })).status).toBe(200)
  expect((await browser.post('/members', buildPerson({ roleId: weak }))).status).toBe(201)
})

test('a role cannot be deleted while members have it, and is not found after it was deleted', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Trainees')
  const { id } = await newMember(client, { roleId: role })
  const inUse = await client.send('DELETE', `/member-roles/${role}`)
  expectError(inUse, { code: 'MEMBER_ROLE_IN_USE', field: 'memberRoleId' })
  expect(inUse.body.details.memberCount).toBe(1)
  expect((await client.send('DELETE', `/members/${id}`)).status).toBe(204)
  expect((await client.send('DELETE', `/member-roles/${role}`)).status).toBe(204)
  const replies = [
    await client.get(`/member-roles/${role}`),
    await patch(client, `/member-roles/${role}`, { name: 'Back' }),
    await client.send('DELETE', `/member-roles/${role}`),
    await client.post('/members', buildPerson({ roleId: role })),
  ]
  for (const reply of replies)
    expect(reply).toMatchObject({ status: 404, body: { code: 'MEMBER_ROLE_NOT_FOUND' } })
  expect((await client.get('/member-roles')).body.data).toEqual([])
  // The name is free again.
  await newRole(client, 'Trainees')
})

test('members who get a role while it is changed or deleted in parallel have exactly its permissions', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Shift', ['VIEW'])
  const ids = await Promise.all(
    Array.from(
      { length: 24 },
      async () => (await client.post('/members', buildPerson({ permissions: ['VIEW'] }))).body.member.id,
    ),
  )
  const replies = await Promise.all([
    ...ids.map((id) => patch(client, `/members/${id}`, { roleId: role })),
    ...Array.from({ length: 13 }, () => client.post('/members', buildPerson({ roleId: role }))),
    patch(client, `/member-roles/${role}`, { permissions: ['VIEW', 'APPROVE'] }),
    patch(client, `/member-roles/${role}`, { permissions: ['VIEW', 'REVIEW'] }),
    client.send('DELETE', `/member-roles/${role}`),
  ])
  expect(replies.every(({ status }) => [200, 201, 204, 404, 409].includes(status))).toBe(true)
  const currentRole = (await client.get(`/member-roles/${role}`)).body
  const members = (await client.get('/members?limit=100')).body.data.filter(
    ({ roleId }: { roleId?: string }) => roleId === role,
  )
  expect(members).toHaveLength(currentRole.memberCount ?? 0)
  for (const { permissions } of members) expect(permissions).toEqual(currentRole.permissions)
})

test('a member can neither remove nor reduce the last owner, directly or through the role', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Owners', MEMBER_ROLES.OWNER)
  const [member, otherMember] = [
    await newMember(client, { roleId: role }),
    await newMember(client, { roleId: role }),
  ]
  const reduce = { permissions: ['VIEW', 'MANAGE'] }
  expectError(await patch(member.browser, `/member-roles/${role}`, reduce), {
    code: 'LAST_OWNER',
    field: 'permissions',
  })
  // Of these parallel calls only one succeeds.
  const replies = await Promise.all([
    member.browser.send('DELETE', `/members/${member.id}`),
    patch(otherMember.browser, `/members/${otherMember.id}`, reduce),
  ])
  expect(replies.map(({ status }) => status).filter((status) => status < 300)).toHaveLength(1)
  const lastOwner = replies[0].status === 204 ? otherMember : member
  for (const reply of [
    await lastOwner.browser.send('DELETE', `/members/${lastOwner.id}`),
    await patch(lastOwner.browser, `/members/${lastOwner.id}`, reduce),
    await patch(lastOwner.browser, `/members/${lastOwner.id}`, { roleId: await newRole(client, 'Less') }),
    await patch(lastOwner.browser, `/member-roles/${role}`, reduce),
  ])
    expectError(reply, { code: 'LAST_OWNER', field: 'permissions' })
  expect(await readPermissions(client, lastOwner.id)).toEqual(MEMBER_ROLES.OWNER)
  // The backend can invite a new owner, so it may remove the last one.
  expect((await client.send('DELETE', `/members/${lastOwner.id}`)).status).toBe(204)
})

test('new permissions of a role end the open invitations to it, because their creator knows the links', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Soon more', ['VIEW'])
  const { browser } = await newMember(client, ['VIEW', 'MANAGE'])
  const invited = await browser.post('/members', buildPerson({ roleId: role }))
  await patch(client, `/member-roles/${role}`, { permissions: MEMBER_ROLES.OWNER })
  const token = secretOf(invited.body.invitationUrl)
  expect((await new Browser(client.baseUrl).post('/member-invitations/accept', { token })).status).toBe(401)
})

test('a role name is unique regardless of case and cannot be a built-in name, and invalid input names its field', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Night shift')
  const replies = await Promise.all(
    Array.from({ length: 50 }, () =>
      client.post('/member-roles', { name: 'Parallel', permissions: ['VIEW'] }),
    ),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(409)])
  expectError(await client.post('/member-roles', { name: 'NIGHT SHIFT', permissions: ['VIEW'] }), {
    code: 'MEMBER_ROLE_NAME_EXISTS',
    field: 'name',
  })
  const invalidBodies: [object, string][] = [
    [{ name: 'owner', permissions: ['VIEW'] }, 'name'],
    [{ name: 'None', permissions: [] }, 'permissions'],
    [{ name: 'x'.repeat(65), permissions: ['VIEW'] }, 'name'],
  ]
  for (const [body, field] of invalidBodies)
    expectError(await client.post('/member-roles', body), { code: 'INVALID_INPUT', field })
  expectError(await client.post('/members', buildPerson({ permissions: ['VIEW'], roleId: role })), {
    code: 'INVALID_INPUT',
    field: 'roleId',
  })
  expectError(await client.post('/members', buildPerson({})), { code: 'INVALID_INPUT', field: 'permissions' })
  expect((await patch(client, `/member-roles/${role}`, { name: 'night SHIFT' })).status).toBe(200)
  const roles = (await client.get('/member-roles?name=NIGHT%20shift')).body.data
  expect(roles.map(({ id }: { id: string }) => id)).toEqual([role])
})

test('a role of one platform does not exist for another platform or its members', async () => {
  const [platform, otherPlatform] = [await newPlatform(), await newPlatform()]
  const foreignRole = await newRole(otherPlatform, 'Theirs')
  const { id } = await newMember(platform, ['VIEW'])
  const replies = await Promise.all([
    platform.get(`/member-roles/${foreignRole}`),
    patch(platform, `/member-roles/${foreignRole}`, { name: 'Ours' }),
    platform.send('DELETE', `/member-roles/${foreignRole}`),
    patch(platform, `/members/${id}`, { roleId: foreignRole }),
    platform.post('/members', buildPerson({ roleId: foreignRole })),
  ])
  expect(replies.map(({ status }) => status)).toEqual(Array(5).fill(404))
})

test('each change of a role, also by the SDK, creates an event and an audit entry, and roles survive a reset', async () => {
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

  const survivingRole = await newRole(client, 'Kept', ['VIEW', 'APPROVE'])
  const member = await newMember(client, { roleId: survivingRole })
  await client.post('/sandbox/reset')
  expect((await client.get(`/member-roles/${survivingRole}`)).body).toMatchObject({
    id: survivingRole,
    memberCount: 1,
  })
  await patch(client, `/member-roles/${survivingRole}`, { permissions: ['VIEW'] })
  expect(await readPermissions(client, member.id)).toEqual(['VIEW'])
})
