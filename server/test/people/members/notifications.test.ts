import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember, newRole } from '../../worlds/records/members.testing.ts'

const HOUR = 3600
const createSuspendedDeposits = async (client: Client, times = 1) => {
  for (let time = 0; time < times; time++) {
    const reply = await client.post('/sandbox/deposits', { amount: 4_711, currency: 'USD' })
    expect(reply.status).toBe(201)
  }
}
const readInbox = async (client: Client, email: string) =>
  (await client.get(`/sandbox/inbox?recipient=${email}&limit=100`)).body.data as {
    text: string
    subject: string
  }[]
const listDigests = async (client: Client) =>
  (await client.get('/events?type=MEMBER.WORK_WAITING&limit=100')).body.data as { data: Digest }[]
interface Digest {
  memberId: string
  topics: { topic: string; waiting: number; new: number }[]
  consoleUrl: string
}

async function newNotifiedMember(
  client: Client,
  rights: Parameters<typeof newMember>[1],
  notifications: object,
) {
  const member = await newMember(client, rights)
  const reply = await member.browser.send('PATCH', '/members/me', { notifications })
  expect(reply.status).toBe(200)
  return { ...member, notifications: reply.body.notifications }
}

test('a member gets no notifications by default, and can choose them and read the choice', async () => {
  const client = await newPlatform()
  const { browser, email } = await newMember(client, MEMBER_ROLES.OWNER)
  expect((await browser.get('/members/me')).body.notifications).toEqual({
    channel: 'NONE',
    topics: ['APPROVALS', 'VERIFICATIONS', 'DEPOSITS', 'DIFFERENCES'],
    intervalMinutes: 60,
  })
  await createSuspendedDeposits(client)
  await client.advance(25 * HOUR)
  expect(await readInbox(client, email)).toEqual([])
  const choice = { channel: 'EMAIL', topics: ['DEPOSITS'], intervalMinutes: 15 }
  await browser.send('PATCH', '/members/me', { notifications: choice })
  expect((await browser.get('/members/me')).body.notifications).toEqual(choice)
  const invalidChoices: [object, string][] = [
    [{ channel: 'PIGEON' }, 'notifications.channel'],
    [{ intervalMinutes: 14 }, 'notifications.intervalMinutes'],
    [{ topics: [] }, 'notifications.topics'],
  ]
  for (const [notifications, field] of invalidChoices)
    expectError(await browser.send('PATCH', '/members/me', { notifications }), {
      code: 'INVALID_INPUT',
      field,
    })
  // Only a member can make this choice.
  expect((await client.send('PATCH', '/members/me', { notifications: choice })).status).toBe(401)
})

test('new waiting records are reported once, in one e-mail per interval with only counts and a link', async () => {
  const client = await newPlatform()
  const { email } = await newNotifiedMember(client, ['VIEW', 'APPROVE'], {
    channel: 'EMAIL',
    intervalMinutes: 30,
  })
  await createSuspendedDeposits(client, 3)
  await client.advance(29 * 60)
  expect(await readInbox(client, email)).toEqual([])
  await client.advance(2 * 60)
  const [first, ...others] = await readInbox(client, email)
  expect(others).toEqual([])
  expect(first!.subject).toMatch(/^3 new items need your attention/)
  expect(first!.text).toContain('3 waiting, 3 new.')
  expect(first!.text).toMatch(/http:\/\/localhost:\d+\/console\/approvals/)
  expect(first!.text).not.toMatch(/47[.,]11|4711|Deposit:/)
  // Records are not reported again, even if some of them are no longer waiting.
  const [deposit] = (await client.get('/deposits?status=SUSPENSE')).body.data
  await client.post(`/deposits/${deposit.id}/write-off`, { reason: 'Nobody claims it' })
  await client.advance(2 * HOUR)
  expect(await readInbox(client, email)).toHaveLength(1)
  await createSuspendedDeposits(client)
  await client.advance(HOUR)
  const [second] = await readInbox(client, email)
  expect(second!.text).toContain('3 waiting, 1 new.')
})

test('a digest is sent once even if due work runs fifty times in parallel', async () => {
  const client = await newPlatform()
  const { email } = await newNotifiedMember(client, ['VIEW', 'APPROVE'], {
    channel: 'EMAIL',
    intervalMinutes: 15,
  })
  await createSuspendedDeposits(client)
  await client.advance(16 * 60)
  await Promise.all(Array.from({ length: 50 }, () => client.advance(0)))
  expect(await readInbox(client, email)).toHaveLength(1)
})

test('a digest lists only topics that the member has chosen and can act on at that time', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Desk', ['VIEW'])
  const follower = await newNotifiedMember(
    client,
    { roleId: role },
    { channel: 'WEBHOOK', intervalMinutes: 15 },
  )
  await newNotifiedMember(client, ['VIEW', 'MANAGE', 'REVIEW'], { channel: 'WEBHOOK', intervalMinutes: 15 })
  await newNotifiedMember(client, ['VIEW', 'APPROVE'], {
    channel: 'WEBHOOK',
    intervalMinutes: 15,
    topics: ['VERIFICATIONS', 'DIFFERENCES'],
  })
  await createSuspendedDeposits(client)
  await client.advance(HOUR)
  expect(await listDigests(client)).toEqual([])
  await client.send('PATCH', `/member-roles/${role}`, { permissions: ['VIEW', 'APPROVE'] })
  await client.advance(HOUR)
  const [{ data }, ...others] = (await listDigests(client)) as [{ data: Digest }]
  expect(others).toEqual([])
  expect(data).toEqual({
    memberId: follower.id,
    topics: [{ topic: 'DEPOSITS', waiting: 1, new: 1 }],
    consoleUrl: expect.stringContaining('/console/approvals'),
  })
})

test('a member gets no digest after choosing NONE or being removed, and only one after changing the interval', async () => {
  const client = await newPlatform()
  const quiet = await newNotifiedMember(client, ['VIEW', 'APPROVE'], {
    channel: 'EMAIL',
    intervalMinutes: 15,
  })
  const removed = await newNotifiedMember(client, ['VIEW', 'APPROVE'], {
    channel: 'EMAIL',
    intervalMinutes: 15,
  })
  const changed = await newNotifiedMember(client, ['VIEW', 'APPROVE'], {
    channel: 'EMAIL',
    intervalMinutes: 15,
  })
  await createSuspendedDeposits(client)
  await quiet.browser.send('PATCH', '/members/me', { notifications: { channel: 'NONE' } })
  await client.send('DELETE', `/members/${removed.id}`)
  for (const intervalMinutes of [30, 20, 15])
    await changed.browser.send('PATCH', '/members/me', { notifications: { intervalMinutes } })
  await client.advance(2 * HOUR)
  const counts = await Promise.all(
    [quiet, removed, changed].map(async ({ email }) => (await readInbox(client, email)).length),
  )
  expect(counts).toEqual([0, 0, 1])
})

test('the chosen notifications survive a reset of the sandbox', { tags: 'long' }, async () => {
  const client = await newPlatform()
  const { email } = await newNotifiedMember(client, MEMBER_ROLES.OWNER, {
    channel: 'EMAIL',
    intervalMinutes: 15,
  })
  await client.advance(48 * HOUR)
  await client.post('/sandbox/reset')
  await createSuspendedDeposits(client)
  await client.advance(HOUR)
  expect(await readInbox(client, email)).toHaveLength(1)
})
