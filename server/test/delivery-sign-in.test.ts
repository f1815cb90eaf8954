import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateKeyPair } from '../src/crypto/p256.ts'
import { makeStamp } from '../src/crypto/stamp.ts'
import { createToken } from '../src/first-platform.ts'
import { sealCode } from './client.testing.ts'
import {
  type MailServer,
  mailServer,
  openProduction,
  type Production,
  SMTP_LOGIN,
  type SmsGateway,
  smsGateway,
} from './delivery.testing.ts'

let smtp: MailServer
let gateway: SmsGateway
let production: Production

beforeAll(async () => {
  smtp = await mailServer()
  gateway = await smsGateway()
  const login = `${encodeURIComponent(SMTP_LOGIN.user)}:${encodeURIComponent(SMTP_LOGIN.password)}`
  production = await openProduction(
    {
      SMTP_URL: `smtp://${login}@127.0.0.1:${smtp.port}`,
      SMS_URL: gateway.url,
      SMS_ACCOUNT_SID: 'AC1',
      SMS_AUTH_TOKEN: 'token',
      SMS_FROM: '+15550001111',
    },
    { listens: true },
  )
  await production.service.server.ready()
})
afterAll(async () => {
  await production.close()
  await smtp.stop()
  await gateway.stop()
})

/** What reached the recipient. */
async function received(recipient: string): Promise<string> {
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

describe('a code that was sent by the job queue signs in', () => {
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
    const holder = await platform.holder(recipient)
    const { bundle } = await platform.challenge(holder)
    production.service.app.wakeJobs()
    const text = await received(recipient)
    const code = /code is\s+([0-9A-Z]+)\b/.exec(text)![1]!
    expect(code).toMatch(form)

    const { tokenId, clientSecret } = await createToken(production.service.app, platform.id, 'Test', [
      'TRANSACT',
    ])
    const authorization = `Basic ${Buffer.from(`${tokenId}:${clientSecret}`).toString('base64')}`
    const keys = generateKeyPair()
    const verify = (encryptedOtpBundle: string, more: Record<string, string> = {}) =>
      production.service.server.inject({
        method: 'POST',
        url: `/2025-10-13/auth/credentials/${holder.credential.id}/verify`,
        headers: { authorization, ...more },
        payload: { type, encryptedOtpBundle },
      })
    for (const wrong of ['000000', code.slice(1), ...(/[A-Z]/.test(code) ? [code.toLowerCase()] : [])]) {
      const refused = await verify(sealCode(bundle, keys, wrong))
      expect(refused.json(), wrong).toMatchObject({ status: 401, reason: 'Invalid OTP code' })
    }
    const sealed = sealCode(bundle, keys, code)
    const first = await verify(sealed)
    expect(first.statusCode, first.body).toBe(202)
    const { payloadToSign, requestId } = first.json()
    const stamped = { 'svc-wallet-signature': makeStamp(keys, payloadToSign), 'request-id': requestId }
    const second = await verify(sealed, stamped)
    expect(second.statusCode, second.body).toBe(200)
  })
})
