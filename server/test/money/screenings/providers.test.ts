import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ScreeningFailed, type ScreeningWanted } from '../../../src/kernel/ports/screening.ts'
import { createHttpScreening } from '../../../src/outside/providers/http-screening.ts'
import { openScreening } from '../../../src/outside/providers/open-screening.ts'
import { CLEAR, type ScreeningService, screeningService } from '../../worlds/records/screenings.testing.ts'

const WANTED: ScreeningWanted = {
  network: 'SOLANA',
  address: '4Nd1m6Qkq7RfKuE5vQ9qP9Tn6H94Ueqb4xXHzsAbd8Wg',
  direction: 'CREDIT',
  amount: 2n ** 63n - 1n,
  currency: 'USDT',
  subject: 'Deposit:1',
}

let service: ScreeningService
beforeAll(async () => {
  service = await screeningService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.answer = CLEAR
  service.asked.length = 0
})

const open = (more: { url?: string; secret?: string; timeoutMs?: number } = {}) =>
  createHttpScreening(
    { url: more.url ?? service.url, secrets: [parseWebhookSecret(more.secret ?? service.secret)!] },
    () => new Date(),
    more.timeoutMs,
  )

describe('a provider by HTTP', () => {
  test('gets a signed request with exact fields', async () => {
    expect(await open().check(WANTED)).toEqual(CLEAR)
    expect(service.asked).toEqual([
      {
        network: 'SOLANA',
        address: WANTED.address,
        direction: 'CREDIT',
        amount: { value: '9223372036854775807', currency: 'USDT' },
        subject: 'Deposit:1',
        webhookId: 'Deposit:1.CREDIT',
      },
    ])
  })

  test.each([
    [
      { list: 'A', detail: 'B', more: 1 },
      { list: 'A', detail: 'B' },
    ],
    [{}, { list: 'provider', detail: 'The provider gives no detail' }],
    [
      { list: 'A\nB', detail: '\u0000 C' },
      { list: 'A B', detail: 'C' },
    ],
  ])('returns a hit as %j', async (said, result) => {
    service.answer = { outcome: 'HIT', ...said }
    expect(await open().check(WANTED)).toEqual({ outcome: 'HIT', ...result })
  })

  test.each([
    ['another status', { status: 202, text: '{"outcome":"CLEAR"}' }],
    ['a redirect', { status: 302, text: '' }],
    ['no JSON', { status: 200, text: 'CLEAR' }],
    ['no object', { status: 200, text: 'null' }],
    ['another word', { outcome: 'clear' }],
    ['a list that is no text', { outcome: 'HIT', list: 7 }],
    ['a list that is too long', { outcome: 'HIT', list: 'x'.repeat(101) }],
    ['an endless answer', { status: 200, text: `{"outcome":"CLEAR","x":"${'x'.repeat(70_000)}"}` }],
  ])('has given no result with %s', async (_, answer) => {
    service.answer = answer
    await expect(open().check(WANTED)).rejects.toThrow(ScreeningFailed)
  })

  test('has given no result if it does not respond, cannot be reached, or does not know the secret', async () => {
    service.answer = 'hangs'
    await expect(open({ timeoutMs: 50 }).check(WANTED)).rejects.toThrow(/cannot be reached: TIMEOUT/)
    await expect(open({ url: 'http://127.0.0.1:1/' }).check(WANTED)).rejects.toThrow(
      /cannot be reached: ECONNREFUSED/,
    )
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    await expect(open({ secret }).check(WANTED)).rejects.toThrow(/returned 401/)
  })
})

describe('the settings of screening', () => {
  const KEY = '1'.repeat(64)
  const config = (env: Record<string, string>, mode = 'production') =>
    readConfig({ COUNTERSIGN_MODE: mode, COUNTERSIGN_MASTER_KEY: KEY, ...env })
  const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

  test('are absent, a file, or a provider with one or two secrets', () => {
    expect(config({}).screening).toBeUndefined()
    expect(config({ SCREENING_FILE: '/etc/list' }).screening).toEqual({ file: '/etc/list' })
    const provider = { SCREENING_URL: 'https://screen.example/', SCREENING_SECRET: `${SECRET}, ${SECRET}` }
    expect(config(provider).screening?.provider).toMatchObject({ url: 'https://screen.example/' })
    expect(config(provider).screening?.provider?.secrets).toHaveLength(2)
  })

  test.each([
    [{ SCREENING_URL: 'https://screen.example' }, 'SCREENING_SECRET is missing: SCREENING_URL requires it'],
    [{ SCREENING_SECRET: SECRET }, 'SCREENING_URL is missing: SCREENING_SECRET requires it'],
    [
      { SCREENING_URL: 'http://screen.example', SCREENING_SECRET: SECRET },
      'SCREENING_URL must begin with https://',
    ],
    [
      { SCREENING_URL: 'https://a:b@screen.example', SCREENING_SECRET: SECRET },
      'SCREENING_URL must begin with',
    ],
    [
      { SCREENING_URL: 'https://screen.example', SCREENING_SECRET: 'whsec_abc' },
      'SCREENING_SECRET must be one or',
    ],
  ])('%j: %s', (env, why) => {
    expect(() => config(env)).toThrow(why)
  })

  test('belong to production', () => {
    expect(() => config({ SCREENING_FILE: '/etc/list' }, 'sandbox')).toThrow(
      'SCREENING_FILE is for production only: the sandbox uses its own list',
    )
  })

  test('with a missing file end the start', async () => {
    const opening = openScreening(
      { file: '/nowhere/list' },
      () => new Date(),
      () => {},
    )
    await expect(opening).rejects.toThrow(/^SCREENING_FILE cannot be read/)
  })
})
