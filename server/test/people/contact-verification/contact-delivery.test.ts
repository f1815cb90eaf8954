import { afterAll, beforeAll, expect, test } from 'vitest'
import { createToken } from '../../../src/edge/service/first-platform.ts'
import {
  type Mailing,
  type MailServer,
  openMailing,
  type SmsGateway,
  TestPlatform,
} from '../../worlds/production/mail.testing.ts'
import type { SharedServer } from '../../worlds/server.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let smtp: MailServer
let gateway: SmsGateway
let production: Mailing

beforeAll(async () => {
  production = await openMailing({ MESSAGES_PER_RECIPIENT: '3,5' })
  smtp = production.smtp
  gateway = production.sms
  await production.service.server.ready()
  // Jobs run only when a test advances a platform's clock. Otherwise polling could send a code while it is
  // being replaced.
  await production.service.jobs.stop()
})
afterAll(() => production.close())

async function createCaller(platform: TestPlatform) {
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

let customerCount = 0

/** Creates a customer in the European Union, on a new platform. */
async function createCustomer(service: SharedServer = production.service) {
  const platform = await TestPlatform.create(service, { appName: 'Unicorn' })
  const call = await createCaller(platform)
  const email = `person${++customerCount}@example.com`
  const phoneNumber = `+49301234${100 + customerCount}`
  const body = { customerType: 'INDIVIDUAL', fullName: 'Ada Lovelace', region: 'IE', email, phoneNumber }
  const { id } = (await call('POST', '/customers', body)).body
  return { platform, call, email, phoneNumber, path: `/customers/${id}` }
}

const listMessages = (platform: TestPlatform) =>
  platform.service.app.read
    .selectFrom('messages')
    .selectAll()
    .where('platform_id', '=', platform.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute()

test('a code is sent to the e-mail address in the name of the platform, is not stored, and verifies the address', async () => {
  const { platform, call, email, path } = await createCustomer()
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
  const [{ state, sealed_content }] = (await listMessages(platform)) as [
    Awaited<ReturnType<typeof listMessages>>[0],
  ]
  expect([state, sealed_content]).toEqual(['DELIVERED', null])
  expect(await platform.stored()).not.toContain(code)
  // The sandbox's fixed code is a possible code too.
  const wrongCode = code === '123456' ? '123457' : '123456'
  expect((await call('POST', `${path}/verify-email/confirm`, { code: wrongCode })).body.details.field).toBe(
    'code',
  )
  const { status, body } = await call('POST', `${path}/verify-email/confirm`, { code })
  expect([status, body.contactVerification]).toEqual([200, { email: 'VERIFIED', phone: 'PENDING' }])
})

test('a code is sent to the phone number and verifies it', async () => {
  const { platform, call, phoneNumber, path } = await createCustomer()
  await call('POST', `${path}/verify-phone`)
  await platform.advance(0)
  const { form } = gateway.requests.at(-1)!
  expect(form.get('To')).toBe(phoneNumber)
  const text = form.get('Body')!
  const [, code] = /^Your code to confirm this number for Unicorn is (\d{6})\. It works once/.exec(text)!
  expect((await call('POST', `${path}/verify-phone/confirm`, { code })).status).toBe(200)
})

/** Queues three codes. The first code by e-mail and the code by SMS are replaced before anything is sent. */
async function replaceQueuedCodes(): Promise<TestPlatform> {
  const { platform, call, path } = await createCustomer()
  expect((await call('POST', `${path}/verify-email`)).status).toBe(204)
  expect((await call('POST', `${path}/verify-phone`)).status).toBe(204)
  expect((await call('POST', `${path}/verify-email`)).status).toBe(204)
  await call('PATCH', path, { customerType: 'INDIVIDUAL', phoneNumber: '+4930999999' })
  expect((await listMessages(platform)).map(({ state }) => state)).toEqual(['QUEUED', 'QUEUED', 'QUEUED'])
  return platform
}

test('a queued code is not sent if the code or its address is replaced', async () => {
  const platform = await replaceQueuedCodes()
  const before = [smtp.mails.length, gateway.requests.length]
  await platform.advance(0)
  expect([smtp.mails.length, gateway.requests.length]).toEqual([before[0]! + 1, before[1]])
  expect(
    (await listMessages(platform)).map(({ state, failure_reason }) => failure_reason ?? state).sort(),
  ).toEqual(['DELIVERED', 'REPLACED', 'REPLACED'])
})

test('messages to one recipient are limited across all customers', async () => {
  const { call, path, email } = await createCustomer()
  for (let time = 0; time < 3; time++) expect((await call('POST', `${path}/verify-email`)).status).toBe(204)
  const secondCustomer = {
    customerType: 'INDIVIDUAL',
    fullName: 'Eve',
    region: 'FR',
    email: email.replace('@', '+x@'),
  }
  const { id } = (await call('POST', '/customers', secondCustomer)).body
  const { status, headers } = await call('POST', `/customers/${id}/verify-email`)
  expect(status).toBe(429)
  expect(Number(headers['retry-after'])).toBeGreaterThan(0)
})

test('a server without delivery settings refuses to send a code with 501', async () => {
  const { call, path } = await createCustomer(await world('production'))
  for (const contact of ['email', 'phone'])
    expect((await call('POST', `${path}/verify-${contact}`)).body).toMatchObject({
      status: 501,
      code: 'NOT_IMPLEMENTED',
    })
})
