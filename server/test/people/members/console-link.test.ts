import { PERMISSIONS } from '@countersign/contract/core/endpoint'
import { expect, test } from 'vitest'
import { newPlatform } from '../../worlds/client.testing.ts'
import { Browser, secretOf } from '../../worlds/records/members.testing.ts'

test('the console link of a sandbox signs in once, as the member with every permission', async () => {
  const client = await newPlatform()
  const created = await client.post('/sandbox/console-links')
  expect(created.status).toBe(201)
  expect(created.body.url).toMatch(/^http:\/\/localhost:\d+\/console\/#link=[\w-]{43}$/)
  const browser = new Browser(client.baseUrl)
  const token = secretOf(created.body.url)

  const signedIn = await browser.post('/member-sessions', { type: 'LINK', token })
  expect(signedIn.status).toBe(201)
  expect(signedIn.headers.get('set-cookie')).toMatch(
    /^countersign_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
  )
  expect(JSON.stringify(signedIn.body)).not.toContain(browser.cookie)
  const { member, platform, session } = signedIn.body
  expect(member).toMatchObject({ name: 'Sandbox owner', permissions: PERMISSIONS, status: 'ACTIVE' })
  expect(platform).toMatchObject({ id: client.credentials.platformId, mode: 'SANDBOX' })
  expect(session).toMatchObject({ memberId: member.id, method: 'LINK', isCurrent: true })
  expect((await browser.get('/members/me')).body).toEqual(signedIn.body)

  const secondUse = await new Browser(client.baseUrl).post('/member-sessions', { type: 'LINK', token })
  expect(secondUse).toMatchObject({
    status: 401,
    body: { reason: 'This link was already used. Create a new one.' },
  })
  const otherLink = await client.post('/sandbox/console-links')
  const secondSignIn = await new Browser(client.baseUrl).post('/member-sessions', {
    type: 'LINK',
    token: secretOf(otherLink.body.url),
  })
  expect(secondSignIn.body.member.id).toBe(member.id)
})

test('a console link that is used fifty times in parallel signs in once', async () => {
  const client = await newPlatform()
  const token = secretOf((await client.post('/sandbox/console-links')).body.url)
  const replies = await Promise.all(
    Array.from({ length: 50 }, () =>
      new Browser(client.baseUrl).post('/member-sessions', { type: 'LINK', token }),
    ),
  )
  expect(replies.map(({ status }) => status).sort()).toEqual([201, ...Array(49).fill(401)])
})

test('a console link cannot grant permissions that its creator lacks', async () => {
  const client = await newPlatform()
  const { body } = await client.post('/tokens', { name: 'Less', permissions: ['VIEW', 'MANAGE'] })
  const authorization = `Basic ${Buffer.from(`${body.id}:${body.clientSecret}`).toString('base64')}`
  const refused = await client.post('/sandbox/console-links', undefined, { Authorization: authorization })
  expect(refused).toMatchObject({ status: 403, body: { code: 'FORBIDDEN' } })
  expect((await client.get('/members')).body.data).toEqual([])
})
