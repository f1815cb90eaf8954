import {
  MESSAGE_EVENTS,
  MESSAGE_STATES,
  MESSAGE_TRANSITIONS,
} from '@countersign/contract/states/delivery-states'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ConfigError } from '../../../src/base/settings/config-error.ts'
import { createDelivery } from '../../../src/people/messages/channels.ts'

const PRODUCTION = { COUNTERSIGN_MODE: 'production', COUNTERSIGN_MASTER_KEY: '5e'.repeat(32) }
const SMS = {
  SMS_URL: 'https://api.sms.example',
  SMS_ACCOUNT_SID: 'AC1',
  SMS_AUTH_TOKEN: 'secret-token',
  SMS_FROM: '+15550001111',
}

function readError(env: Record<string, string>): string {
  try {
    readConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  throw new Error('It was taken')
}

describe('SMTP_URL', () => {
  test.each([
    [
      'smtp://127.0.0.1:2525',
      { host: '127.0.0.1', port: 2525, tls: 'never', from: { address: 'no-reply@localhost' } },
    ],
    [
      'smtp://localhost',
      { host: 'localhost', port: 587, tls: 'never', from: { address: 'no-reply@localhost' } },
    ],
    ['smtp://[::1]:25/', { host: '::1', port: 25, tls: 'never', from: { address: 'no-reply@localhost' } }],
    [
      'smtp://mx.example',
      { host: 'mx.example', port: 587, tls: 'required', from: { address: 'no-reply@mx.example' } },
    ],
    [
      'smtp://relay?requireTLS=false',
      { host: 'relay', port: 587, tls: 'offered', from: { address: 'no-reply@relay' } },
    ],
    [
      'smtp://localhost?requireTLS=true',
      { host: 'localhost', port: 587, tls: 'required', from: { address: 'no-reply@localhost' } },
    ],
    [
      'smtps://codes%40ops.example:p%40ss%3A%2F1@mx.example',
      {
        host: 'mx.example',
        port: 465,
        tls: 'implicit',
        login: { user: 'codes@ops.example', password: 'p@ss:/1' },
        from: { address: 'codes@ops.example' },
      },
    ],
  ])('is read with its defaults: %s', (SMTP_URL, smtp) => {
    expect(readConfig({ SMTP_URL }).smtp).toEqual(smtp)
  })

  test.each([
    'mx.example:587',
    'http://mx.example',
    'smtp://',
    'smtp://user@mx.example',
    'smtp://:hunter22@mx.example',
    'smtp://user:hunter22%zz@mx.example',
    'smtp://user:hunter22@mx.example/path',
    'smtp://user:hunter22@mx.example:99999',
    'smtp://user:hunter22@mx.example?requireTLS=maybe',
  ])('is refused in one line without the password: %s', (SMTP_URL) => {
    const message = readError({ SMTP_URL })
    expect(message).toMatch(/^SMTP_URL[^\n]+$/)
    expect(message).not.toContain('hunter22')
  })
})

describe('SMTP_FROM', () => {
  test.each([
    ['codes@ops.example', { address: 'codes@ops.example' }],
    ['<codes@ops.example>', { address: 'codes@ops.example' }],
    ['Codes of Ops <codes@ops.example>', { name: 'Codes of Ops', address: 'codes@ops.example' }],
    ['"Ops, Inc." <codes@ops.example>', { name: 'Ops, Inc.', address: 'codes@ops.example' }],
  ])('is read as a sender: %s', (SMTP_FROM, from) => {
    expect(readConfig({ SMTP_URL: 'smtp://localhost', SMTP_FROM }).smtp?.from).toEqual(from)
  })

  test.each([
    'Codes',
    'a@b@c',
    'a@b, c@d',
    'Codes <codes@ops.example> more',
    'Codes\r\nBcc: x <a@b.example>',
  ])('is refused: %j', (SMTP_FROM) => {
    expect(readError({ SMTP_URL: 'smtp://localhost', SMTP_FROM })).toMatch(/^SMTP_FROM must be/)
  })
})

describe('the SMS settings', () => {
  test('are read from the environment', () => {
    expect(readConfig({ ...SMS, SMS_URL: 'https://api.sms.example/base/' }).sms).toEqual({
      url: 'https://api.sms.example/base',
      accountSid: 'AC1',
      authToken: 'secret-token',
      from: '+15550001111',
    })
    expect(readConfig({}).sms).toBeUndefined()
  })

  test.each(Object.keys(SMS))('are refused if %s is missing', (name) => {
    expect(readError({ ...SMS, [name]: '' })).toMatch(new RegExp(`^${name} is missing`))
  })

  test.each([
    'http://api.sms.example',
    'ftp://api.sms.example',
    'api.sms.example',
    'https://user:secret-token@api.sms.example',
    'https://api.sms.example?token=secret-token',
  ])('are refused if the token could leak: %s', (SMS_URL) => {
    const message = readError({ ...SMS, SMS_URL })
    expect(message).toMatch(/^SMS_URL must/)
    expect(message).not.toContain('secret-token')
  })

  test('may name a gateway on this machine without TLS', () => {
    expect(readConfig({ ...SMS, SMS_URL: 'http://127.0.0.1:8080' }).sms?.url).toBe('http://127.0.0.1:8080')
  })
})

describe('the delivery channels', () => {
  const listChannels = (env: Record<string, string>) => {
    const { email, sms } = createDelivery(readConfig(env))
    return { email: email !== undefined, sms: sms !== undefined }
  }

  test('follow from the settings', () => {
    expect(listChannels(PRODUCTION)).toEqual({ email: false, sms: false })
    expect(listChannels({ ...PRODUCTION, SMTP_URL: 'smtp://localhost' })).toEqual({ email: true, sms: false })
    expect(listChannels({ ...PRODUCTION, ...SMS })).toEqual({ email: false, sms: true })
  })

  test('do not exist in the sandbox', () => {
    expect(listChannels({ ...SMS, SMTP_URL: 'smtp://localhost' })).toEqual({ email: false, sms: false })
  })
})

test('a message ends once, and its transition table is complete', () => {
  for (const state of MESSAGE_STATES)
    for (const event of MESSAGE_EVENTS) {
      const next = MESSAGE_TRANSITIONS[state][event]
      if (state === 'QUEUED') expect(next).toBe(event === 'deliver' ? 'DELIVERED' : 'FAILED')
      else expect(next).toBeNull()
    }
})
