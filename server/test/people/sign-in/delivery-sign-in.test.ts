import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKeyPair } from '../../../src/base/crypto/p256.ts'
import { makeStamp } from '../../../src/base/crypto/stamp.ts'
import { createToken } from '../../../src/edge/service/first-platform.ts'
import { sealCode } from '../../worlds/client.testing.ts'
import {
  type Mailing,
  type MailServer,
  openMailing,
  type SmsGateway,
  TestPlatform,
} from '../../worlds/production/mail.testing.ts'
import { world } from '../../worlds/world.testing.ts'

let smtp: MailServer
let gateway: SmsGateway
let production: Mailing

beforeAll(async () => {
  production = await openMailing({}, { isLive: true })
  smtp = production.smtp
  gateway = production.sms
  await production.service.server.ready()
})
afterAll(() => production.close())

/** Returns a function that calls the API as the platform's backend. */
async function createCaller(platform: TestPlatform) {
  const { service, id } = platform
  const { tokenId, clientSecret } = await createToken(service.app, id, 'Test', ['TRANSACT', 'MANAGE'])
  const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
  return (path: string, payload?: object, headers: Record<string, string> = {}) =>
    service.server.inject({
      method: 'POST',
      url: `/2025-10-13${path}`,
      headers: { authorization, ...headers },
      ...(payload ? { payload } : {}),
    })
}

/** Waits for a message to the recipient, and returns its text. */
async function waitForMessage(recipient: string): Promise<string> {
  const isSms = recipient.startsWith('+')
  const find = () =>
    isSms
      ? gateway.requests.find(({ form }) => form.get('To') === recipient)?.form.get('Body')
      : smtp.mails.find(({ rcptTo }) => rcptTo.includes(recipient))?.parts.get('text/plain')
  for (;;) {
    const text = find()
    if (text) return text
    await (isSms ? gateway.next() : smtp.next())
  }
}

describe('a code that the job queue has sent signs in', () => {
  test.each([
    { type: 'EMAIL_OTP', otpLength: 6, alphanumeric: false, form: /^\d{6}$/ },
    { type: 'EMAIL_OTP', otpLength: 7, alphanumeric: true, form: /^[2-9A-HJ-NP-Z]{7}$/ },
    { type: 'EMAIL_OTP', otpLength: 9, alphanumeric: true, form: /^[2-9A-HJ-NP-Z]{9}$/ },
    { type: 'SMS_OTP', otpLength: 8, alphanumeric: false, form: /^\d{8}$/ },
    { type: 'SMS_OTP', otpLength: 6, alphanumeric: true, form: /^[2-9A-HJ-NP-Z]{6}$/ },
  ] as const)('$type, $otpLength characters, letters: $alphanumeric', async ({ type, form, ...config }) => {
    const platform = await production.newPlatform(config)
    const unique = `${type}${config.otpLength}`.toLowerCase()
    const recipient = type === 'SMS_OTP' ? `+1415555010${config.otpLength}` : `${unique}@example.com`
    const { credential } = await platform.holder(recipient)
    const post = await createCaller(platform)
    const challenge = await post(`/auth/credentials/${credential.id}/challenge`)
    expect(challenge.statusCode, challenge.body).toBe(200)
    const bundle = challenge.json().otpEncryptionTargetBundle
    const text = await waitForMessage(recipient)
    const code = /code is\s+([0-9A-Z]+)\b/.exec(text)![1]!
    expect(code).toMatch(form)

    const keys = generateKeyPair()
    const verify = (encryptedOtpBundle: string, headers?: Record<string, string>) =>
      post(`/auth/credentials/${credential.id}/verify`, { type, encryptedOtpBundle }, headers)
    for (const wrongCode of ['000000', code.slice(1), ...(/[A-Z]/.test(code) ? [code.toLowerCase()] : [])]) {
      const refused = await verify(sealCode(bundle, keys, wrongCode))
      expect(refused.json(), wrongCode).toMatchObject({ status: 401, reason: 'Invalid OTP code' })
    }
    const sealed = sealCode(bundle, keys, code)
    const firstLeg = await verify(sealed)
    expect(firstLeg.statusCode, firstLeg.body).toBe(202)
    const { payloadToSign, requestId } = firstLeg.json()
    const stamped = { 'svc-wallet-signature': makeStamp(keys, payloadToSign), 'request-id': requestId }
    const secondLeg = await verify(sealed, stamped)
    expect(secondLeg.statusCode, secondLeg.body).toBe(200)
  })
})

describe('a challenge', () => {
  test('succeeds while the mail server is down, and its code arrives later', async () => {
    const platform = await production.newPlatform()
    const { credential } = await platform.holder('late@example.com')
    const post = await createCaller(platform)
    await smtp.stop()
    try {
      const { statusCode } = await post(`/auth/credentials/${credential.id}/challenge`)
      expect(statusCode).toBe(200)
    } finally {
      await smtp.start()
    }
    expect(await waitForMessage('late@example.com')).toMatch(/\d{6}/)
  })

  test('is refused with 501 if its channel has no settings, and no code is issued', async () => {
    const platform = await TestPlatform.create(await world('production'))
    const post = await createCaller(platform)
    for (const recipient of ['bare@example.com', '+14155550199']) {
      const { credential } = await platform.holder(recipient)
      const refused = await post(`/auth/credentials/${credential.id}/challenge`)
      expect(refused.json(), recipient).toMatchObject({ status: 501, code: 'NOT_IMPLEMENTED' })
    }
    const { read } = platform.service.app
    expect(
      await read.selectFrom('otp_challenges').select('id').where('platform_id', '=', platform.id).execute(),
    ).toEqual([])
  })
})
