import { MEMBER_ROLES } from '@countersign/contract/core/member-roles'
import { expect, test } from 'vitest'
import { type Client, newPlatform } from '../../worlds/client.testing.ts'
import { expectError } from '../../worlds/contract/calls.testing.ts'
import { newMember, newRole } from '../../worlds/records/members.testing.ts'

const HOUR = 3600
const suspend = async (client: Client, times = 1) => {
  for (let time = 0; time < times; time++) {
    const made = await client.post('/sandbox/deposits', { amount: 4_711, currency: 'USD' })
    expect(made.status).toBe(201)
  }
}
const inboxOf = async (client: Client, email: string) =>
  (await client.get(`/sandbox/inbox?recipient=${email}&limit=100`)).body.data as {
    text: string
    subject: string
  }[]
const digests = async (client: Client) =>
  (await client.get('/events?type=MEMBER.WORK_WAITING&limit=100')).body.data as { data: Digest }[]
interface Digest {
  memberId: string
  topics: { topic: string; waiting: number; new: number }[]
  consoleUrl: string
}

async function notified(client: Client, rights: Parameters<typeof newMember>[1], notifications: object) {
  const member = await newMember(client, rights)
  const set = await member.browser.send('PATCH', '/members/me', { notifications })
  expect(set.status).toBe(200)
  return { ...member, notifications: set.body.notifications }
}

test('a member hears of nothing until it asks, and is shown what it has chosen', async () => {
  const client = await newPlatform()
  const { browser, email } = await newMember(client, MEMBER_ROLES.OWNER)
  expect((await browser.get('/members/me')).body.notifications).toEqual({
    channel: 'NONE',
    topics: ['APPROVALS', 'VERIFICATIONS', 'DEPOSITS', 'DIFFERENCES'],
    intervalMinutes: 60,
  })
  await suspend(client)
  await client.advance(25 * HOUR)
  expect(await inboxOf(client, email)).toEqual([])
  const chosen = { channel: 'EMAIL', topics: ['DEPOSITS'], intervalMinutes: 15 }
  await browser.send('PATCH', '/members/me', { notifications: chosen })
  expect((await browser.get('/members/me')).body.notifications).toEqual(chosen)
  const bad: [object, string][] = [
    [{ channel: 'PIGEON' }, 'notifications.channel'],
    [{ intervalMinutes: 14 }, 'notifications.intervalMinutes'],
    [{ topics: [] }, 'notifications.topics'],
  ]
  for (const [notifications, field] of bad)
    expectError(await browser.send('PATCH', '/members/me', { notifications }), {
      code: 'INVALID_INPUT',
      field,
    })
  // Only the member chooses it.
  expect((await client.send('PATCH', '/members/me', { notifications: chosen })).status).toBe(401)
})

test('what began to wait is one e-mail per interval, each record once, with counts and a link and nothing else', async () => {
  const client = await newPlatform()
  const { email } = await notified(client, ['VIEW', 'APPROVE'], { channel: 'EMAIL', intervalMinutes: 30 })
  await suspend(client, 3)
  await client.advance(29 * 60)
  expect(await inboxOf(client, email)).toEqual([])
  await client.advance(2 * 60)
  const [first, ...others] = await inboxOf(client, email)
  expect(others).toEqual([])
  expect(first!.subject).toMatch(/^3 new items need your attention/)
  expect(first!.text).toContain('3 waiting, 3 new.')
  expect(first!.text).toMatch(/http:\/\/localhost:\d+\/console\/approvals/)
  expect(first!.text).not.toMatch(/47[.,]11|4711|Deposit:/)
  // Known records are not news, even if some are gone.
  const [gone] = (await client.get('/deposits?status=SUSPENSE')).body.data
  await client.post(`/deposits/${gone.id}/write-off`, { reason: 'Nobody claims it' })
  await client.advance(2 * HOUR)
  expect(await inboxOf(client, email)).toHaveLength(1)
  await suspend(client)
  await client.advance(HOUR)
  const [second] = await inboxOf(client, email)
  expect(second!.text).toContain('3 waiting, 1 new.')
})

test('under fifty runs of due work at the same time, a digest is one e-mail', async () => {
  const client = await newPlatform()
  const { email } = await notified(client, ['VIEW', 'APPROVE'], { channel: 'EMAIL', intervalMinutes: 15 })
  await suspend(client)
  await client.advance(16 * 60)
  await Promise.all(Array.from({ length: 50 }, () => client.advance(0)))
  expect(await inboxOf(client, email)).toHaveLength(1)
})

test('a digest has only what the member may act on at that moment, and only what it has chosen', async () => {
  const client = await newPlatform()
  const role = await newRole(client, 'Desk', ['VIEW'])
  const follower = await notified(client, { roleId: role }, { channel: 'WEBHOOK', intervalMinutes: 15 })
  await notified(client, ['VIEW', 'MANAGE', 'REVIEW'], { channel: 'WEBHOOK', intervalMinutes: 15 })
  await notified(client, ['VIEW', 'APPROVE'], {
    channel: 'WEBHOOK',
    intervalMinutes: 15,
    topics: ['VERIFICATIONS', 'DIFFERENCES'],
  })
  await suspend(client)
  await client.advance(HOUR)
  expect(await digests(client)).toEqual([])
  await client.send('PATCH', `/member-roles/${role}`, { permissions: ['VIEW', 'APPROVE'] })
  await client.advance(HOUR)
  const [{ data }, ...more] = (await digests(client)) as [{ data: Digest }]
  expect(more).toEqual([])
  expect(data).toEqual({
    memberId: follower.id,
    topics: [{ topic: 'DEPOSITS', waiting: 1, new: 1 }],
    consoleUrl: expect.stringContaining('/console/approvals'),
  })
})

test('nobody hears anything after choosing NONE or being removed, and a changed interval leaves one digest', async () => {
  const client = await newPlatform()
  const quiet = await notified(client, ['VIEW', 'APPROVE'], { channel: 'EMAIL', intervalMinutes: 15 })
  const removed = await notified(client, ['VIEW', 'APPROVE'], { channel: 'EMAIL', intervalMinutes: 15 })
  const changed = await notified(client, ['VIEW', 'APPROVE'], { channel: 'EMAIL', intervalMinutes: 15 })
  await suspend(client)
  await quiet.browser.send('PATCH', '/members/me', { notifications: { channel: 'NONE' } })
  await client.send('DELETE', `/members/${removed.id}`)
  for (const intervalMinutes of [30, 20, 15])
    await changed.browser.send('PATCH', '/members/me', { notifications: { intervalMinutes } })
  await client.advance(2 * HOUR)
  const counts = await Promise.all(
    [quiet, removed, changed].map(async ({ email }) => (await inboxOf(client, email)).length),
  )
  expect(counts).toEqual([0, 0, 1])
})

test('a choice survives a reset of the sandbox', { tags: 'long' }, async () => {
  const client = await newPlatform()
  const { email } = await notified(client, MEMBER_ROLES.OWNER, { channel: 'EMAIL', intervalMinutes: 15 })
  await client.advance(48 * HOUR)
  await client.post('/sandbox/reset')
  await suspend(client)
  await client.advance(HOUR)
  expect(await inboxOf(client, email)).toHaveLength(1)
})
