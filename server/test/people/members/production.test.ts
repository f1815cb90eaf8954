import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import {
  type Mailing,
  type MailServer,
  openMailing,
  TestPlatform,
} from '../../worlds/production/mail.testing.ts'
import { Authenticator, secretOf } from '../../worlds/records/members.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

const ORIGIN = 'https://pay.example'
const EMAIL = 'grace@example.com'
const HOUR_MS = 60 * 60 * 1000

let smtp: MailServer
let mailing: Mailing
beforeAll(async () => {
  mailing = await openMailing({ PUBLIC_URL: ORIGIN, SMTP_FROM: 'codes@ops.example' })
  smtp = mailing.smtp
})
afterAll(() => mailing.close())

async function callApi(
  { service }: { readonly service: SharedServer },
  method: 'GET' | 'POST',
  path: string,
  payload?: object,
  cookie = '',
) {
  const headers = { origin: ORIGIN, ...(cookie ? { cookie } : {}) }
  const response = await service.server.inject({
    method,
    url: `/2025-10-13${path}`,
    headers,
    ...(payload ? { payload } : {}),
  })
  return {
    status: response.statusCode,
    body: response.body === '' ? undefined : response.json(),
    cookie: String(response.headers['set-cookie'] ?? '').split(';')[0]!,
  }
}

/** Invites a member with the operator's command, and returns the token of the invitation. */
async function inviteMember(
  production: { readonly service: SharedServer },
  platformId: string,
  email = EMAIL,
): Promise<string> {
  const person = ['--name', 'Grace Hopper', '--email', email]
  const output = await runCommand(
    production.service.app,
    ['member', 'invite', '--platform', platformId, ...person],
    '',
  )
  const { member, invitationUrl } = output as { member: { permissions: string[] }; invitationUrl: string }
  expect(member.permissions).toEqual(['VIEW', 'TRANSACT', 'MANAGE', 'APPROVE', 'REVIEW'])
  expect(invitationUrl.startsWith(`${ORIGIN}/console/#invitation=`)).toBe(true)
  return secretOf(invitationUrl)
}

function setClock({ service }: Mailing, ms: number): void {
  Object.assign(service.app, { clock: () => new Date(ms) })
}

test('the operator can invite the first member, and a locked-out one again, who later signs in with a mailed code', async () => {
  const platform = await mailing.newPlatform({ appName: 'Unicorn' })
  const replacedToken = await inviteMember(mailing, platform.id)
  const token = await inviteMember(mailing, platform.id)
  expect((await callApi(mailing, 'POST', '/member-invitations/read', { token: replacedToken })).status).toBe(
    401,
  )
  const invitation = await callApi(mailing, 'POST', '/member-invitations/read', { token })
  expect(invitation.body).toMatchObject({
    email: EMAIL,
    isPasskeyRequired: false,
    passkey: { rp: { id: 'pay.example' } },
  })
  expect((await callApi(mailing, 'POST', '/member-invitations/accept', { token })).status).toBe(201)

  expect((await callApi(mailing, 'POST', '/member-sessions/codes', { email: EMAIL })).status).toBe(202)
  await platform.advance(0)
  expect(smtp.mails).toHaveLength(1)
  const [mail] = smtp.mails
  expect(mail?.rcptTo).toEqual([EMAIL])
  expect(mail?.headers.get('subject')).toEqual(['Your sign-in code for the console of Test'])
  const code = /[\dA-Z]{4}-[\dA-Z]{4}/.exec(mail!.parts.get('text/plain')!)![0]
  const signedIn = await callApi(mailing, 'POST', '/member-sessions', { type: 'CODE', email: EMAIL, code })
  expect(signedIn).toMatchObject({
    status: 201,
    body: { platform: { mode: 'PRODUCTION' }, session: { method: 'CODE' } },
  })
  expect(await platform.stored()).not.toContain(code)
})

test('invitations, codes, challenges and sessions expire on time', async () => {
  const platform = await mailing.newPlatform()
  const startMs = mailing.service.app.clock().getTime()
  const email = 'ada@example.com'
  const token = await inviteMember(mailing, platform.id, email)
  setClock(mailing, startMs + 72 * HOUR_MS)
  const expired = await callApi(mailing, 'POST', '/member-invitations/accept', { token })
  expect(expired).toMatchObject({
    status: 401,
    body: { reason: 'This link has expired. Ask for a new invitation.' },
  })
  setClock(mailing, startMs + 72 * HOUR_MS - 1)
  const options = (await callApi(mailing, 'POST', '/member-invitations/read', { token })).body.passkey
  const authenticator = new Authenticator('pay.example', ORIGIN)
  const passkey = { challenge: options.challenge, attestation: authenticator.attest(options.challenge) }
  const accepted = await callApi(mailing, 'POST', '/member-invitations/accept', { token, passkey })
  expect(accepted.status).toBe(201)

  const signedInMs = startMs + 72 * HOUR_MS - 1
  const readMe = () => callApi(mailing, 'GET', '/members/me', undefined, accepted.cookie)
  setClock(mailing, signedInMs + 12 * HOUR_MS - 1)
  const firstReply = await readMe()
  expect(firstReply.status).toBe(200)
  expect((await readMe()).body.session.lastSeenAt).toBe(new Date(signedInMs + 12 * HOUR_MS - 1).toISOString())
  setClock(mailing, signedInMs + 12 * HOUR_MS)
  expect((await readMe()).status).toBe(401)

  const { challenge } = (await callApi(mailing, 'POST', '/member-sessions/challenge')).body
  const assertion = authenticator.assert(challenge, { isBase64url: true })
  setClock(mailing, signedInMs + 12 * HOUR_MS + 5 * 60_000)
  const lateSignIn = await callApi(mailing, 'POST', '/member-sessions', {
    type: 'PASSKEY',
    challenge,
    assertion,
  })
  expect(lateSignIn).toMatchObject({
    status: 401,
    body: { reason: 'The sign-in took too long. Start again.' },
  })

  smtp.mails.length = 0
  await callApi(mailing, 'POST', '/member-sessions/codes', { email })
  await platform.advance(0)
  const code = /[\dA-Z]{4}-[\dA-Z]{4}/.exec(smtp.mails[0]!.parts.get('text/plain')!)![0]
  setClock(mailing, signedInMs + 12 * HOUR_MS + 15 * 60_000)
  expect((await callApi(mailing, 'POST', '/member-sessions', { type: 'CODE', email, code })).status).toBe(401)
})

test('a server that cannot send codes requires a passkey, and production creates no sign-in link', async () => {
  const withoutMail = { service: await world('production') }
  const platform = await TestPlatform.create(withoutMail.service)
  const token = await inviteMember(withoutMail, platform.id)
  const invitation = await callApi(withoutMail, 'POST', '/member-invitations/read', { token })
  expect(invitation.body.isPasskeyRequired).toBe(true)
  const withoutPasskey = await callApi(withoutMail, 'POST', '/member-invitations/accept', { token })
  expect(withoutPasskey).toMatchObject({ status: 400, body: { details: { field: 'passkey' } } })
  const { challenge } = invitation.body.passkey
  const passkey = { challenge, attestation: new Authenticator('pay.example', ORIGIN).attest(challenge) }
  const accepted = await callApi(withoutMail, 'POST', '/member-invitations/accept', { token, passkey })
  expect(accepted.status).toBe(201)
  expect((await callApi(withoutMail, 'POST', '/member-sessions/codes', { email: EMAIL })).status).toBe(501)
  expect(
    (await callApi(withoutMail, 'POST', '/sandbox/console-links', undefined, accepted.cookie)).status,
  ).toBe(404)
})
