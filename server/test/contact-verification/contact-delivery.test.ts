import { afterAll, beforeAll, expect, test } from 'vitest'
import { contactVerificationHandlers } from '../../src/contact-verification/handlers.ts'
import { createToken } from '../../src/service/first-platform.ts'
import {
  type MailServer,
  mailServer,
  openProduction,
  type Production,
  SMTP_LOGIN,
  type SmsGateway,
  smsGateway,
  type TestPlatform,
} from '../delivery.testing.ts'

let smtp: MailServer
let gateway: SmsGateway
let production: Production
let silent: Production

beforeAll(async () => {
  smtp = await mailServer()
  gateway = await smsGateway()
  const login = `${encodeURIComponent(SMTP_LOGIN.user)}:${encodeURIComponent(SMTP_LOGIN.password)}`
  production = await openProduction({
    SMTP_URL: `smtp://${login}@127.0.0.1:${smtp.port}`,
    SMTP_FROM: 'Codes <codes@ops.example>',
    SMS_URL: gateway.url,
    SMS_ACCOUNT_SID: 'AC1',
    SMS_AUTH_TOKEN: 'token',
    SMS_FROM: '+15550001111',
    MESSAGES_PER_RECIPIENT: '3,5',
  })
  silent = await openProduction({})
  await Promise.all([production.service.server.ready(), silent.service.server.ready()])
})
afterAll(async () => {
  await production.close()
  await silent.close()
  await smtp.stop()
  await gateway.stop()
})

async function caller(platform: TestPlatform) {
  const { service, id } = platform
  const { tokenId, clientSecret } = await createToken(service.app, id, 'Test', ['VIEW', 'MANAGE'])
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  return async (method: 'POST' | 'PATCH', path: string, payload?: object) => {
    const url = `/2025-10-13${path}`
    const reply = await service.server.inject({
      method,
      url,
      headers: { authorization },
      ...(payload ? { payload } : {}),
    })
    return {
      status: reply.statusCode,
      headers: reply.headers,
      body: reply.body === '' ? undefined : reply.json(),
    }
  }
}

let people = 0

/** A customer in the Union, on a platform of its own. */
async function customer(of: Production) {
  const platform = await of.newPlatform({ appName: 'Unicorn' })
  const call = await caller(platform)
  const email = `person${++people}@example.com`
  const phoneNumber = `+49301234${100 + people}`
  const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', region: 'IE', email, phoneNumber }
  const { id } = (await call('POST', '/customers', body)).body
  return { platform, call, email, phoneNumber, path: `/customers/${id}` }
}

const messages = (platform: TestPlatform) =>
  platform.service.app.read
    .selectFrom('messages')
    .selectAll()
    .where('platform_id', '=', platform.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

test('a code goes to the e-mail address in the name of the platform, is stored nowhere, and verifies it', async () => {
  const { platform, call, email, path } = await customer(production)
  expect((await call('POST', `${path}/verify-email`)).status).toBe(204)
  await platform.advance(0)
  const mail = smtp.mails.at(-1)!
  expect(mail.rcptTo).toEqual([email])
  expect(mail.headers.get('subject')).toEqual(['Confirm your e-mail address for Unicorn'])
  const [, code] = /\n {4}(\d{6})\n/.exec(mail.parts.get('text/plain')!)!
  expect(mail.parts.get('text/plain')).toBe(
    `Your code to confirm this e-mail address for Unicorn is\n\n    ${code}\n\n` +
      'It works once and expires in 10 minutes. Do not share it with anyone.\n\n' +
      'If you did not request this code, ignore this message: the address stays unconfirmed.\n',
  )
  expect(mail.parts.get('text/html')).toContain(`>${code}</p>`)
  const [{ state, sealed_content }] = (await messages(platform)) as [Awaited<ReturnType<typeof messages>>[0]]
  expect([state, sealed_content]).toEqual(['DELIVERED', null])
  expect(await platform.stored()).not.toContain(code)
  // The sandbox's code is a code like any other.
  const wrong = code === '123456' ? '123457' : '123456'
  expect((await call('POST', `${path}/verify-email/confirm`, { code: wrong })).body.details.field).toBe(
    'code',
  )
  const { status, body } = await call('POST', `${path}/verify-email/confirm`, { code })
  expect([status, body.contactVerification]).toEqual([200, { email: 'VERIFIED', phone: 'PENDING' }])
})

test('a code goes to the phone number', async () => {
  const { platform, call, phoneNumber, path } = await customer(production)
  await call('POST', `${path}/verify-phone`)
  await platform.advance(0)
  const { form } = gateway.requests.at(-1)!
  expect(form.get('To')).toBe(phoneNumber)
  const text = form.get('Body')!
  const [, code] = /^Your code to confirm this number for Unicorn is (\d{6})\. It works once/.exec(text)!
  expect((await call('POST', `${path}/verify-phone/confirm`, { code })).status).toBe(200)
})

/** A customer whose first code by e-mail and whose code by phone were replaced before anything was sent. */
async function withReplacedCodes(): Promise<TestPlatform> {
  const { platform, call, path } = await customer(production)
  // Written without waking the runner, so that the messages wait.
  const wait = async (name: 'customer_verify_email' | 'customer_verify_phone') => {
    const input = { params: { customerId: path.slice('/customers/'.length) }, query: {}, body: undefined }
    const { writes = [] } = await contactVerificationHandlers[name](await platform.op(), input)
    await platform.commit(writes)
  }
  await wait('customer_verify_email')
  await wait('customer_verify_phone')
  await wait('customer_verify_email')
  await call('PATCH', path, { customerType: 'INDIVIDUAL', phoneNumber: '+4930999999' })
  // The runner looks for work by itself as well. Where it was faster, another customer is asked.
  const isWaiting = (await messages(platform)).every(({ state }) => state === 'QUEUED')
  return isWaiting ? platform : withReplacedCodes()
}

test('a code that was replaced, or whose address was, is not sent any more', async () => {
  const platform = await withReplacedCodes()
  const before = [smtp.mails.length, gateway.requests.length]
  await platform.advance(0)
  expect([smtp.mails.length, gateway.requests.length]).toEqual([before[0]! + 1, before[1]])
  expect(
    (await messages(platform)).map(({ state, failure_reason }) => failure_reason ?? state).sort(),
  ).toEqual(['DELIVERED', 'REPLACED', 'REPLACED'])
})

test('messages to one recipient are limited, of all customers together', async () => {
  const { call, path, email } = await customer(production)
  for (let time = 0; time < 3; time++) expect((await call('POST', `${path}/verify-email`)).status).toBe(204)
  const twin = { customerType: 'INDIVIDUAL', fullName: 'Eve', region: 'FR', email: email.replace('@', '+x@') }
  const { id } = (await call('POST', '/customers', twin)).body
  const { status, headers } = await call('POST', `/customers/${id}/verify-email`)
  expect(status).toBe(429)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

test('a server that can deliver nothing says so', async () => {
  const { call, path } = await customer(silent)
  for (const what of ['email', 'phone'])
    expect((await call('POST', `${path}/verify-${what}`)).body).toMatchObject({
      status: 501,
      code: 'NOT_IMPLEMENTED',
    })
})
