import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { parseWebhookSecret } from '../../../src/base/crypto/standard-webhooks.ts'
import { readConfig } from '../../../src/base/settings/config.ts'
import { ScreeningFailed, type ScreeningWanted } from '../../../src/kernel/ports/screening.ts'
import { createHttpScreening } from '../../../src/outside/providers/http-screening.ts'
import { openScreening } from '../../../src/outside/providers/open-screening.ts'
import {
  CLEAR,
  openScreeningService,
  type ScreeningService,
} from '../../worlds/records/screenings.testing.ts'

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
  service = await openScreeningService()
})
afterAll(() => service.close())
beforeEach(() => {
  service.answer = CLEAR
  service.asked.length = 0
})

const createProvider = (more: { url?: string; secret?: string; timeoutMs?: number } = {}) =>
  createHttpScreening(
    { url: more.url ?? service.url, secrets: [parseWebhookSecret(more.secret ?? service.secret)!] },
    () => new Date(),
    more.timeoutMs,
  )

describe('an HTTP screening provider', () => {
  test('gets a signed request with exact fields', async () => {
    expect(await createProvider().check(WANTED)).toEqual(CLEAR)
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
  ])('returns a hit as %j', async (fields, result) => {
    service.answer = { outcome: 'HIT', ...fields }
    expect(await createProvider().check(WANTED)).toEqual({ outcome: 'HIT', ...result })
  })

  test.each([
    ['an unexpected status', { status: 202, text: '{"outcome":"CLEAR"}' }],
    ['a redirect', { status: 302, text: '' }],
    ['a response that is not JSON', { status: 200, text: 'CLEAR' }],
    ['JSON that is not an object', { status: 200, text: 'null' }],
    ['an unknown outcome', { outcome: 'clear' }],
    ['a list that is not a string', { outcome: 'HIT', list: 7 }],
    ['a list that is too long', { outcome: 'HIT', list: 'x'.repeat(101) }],
    ['an endless response', { status: 200, text: `{"outcome":"CLEAR","x":"${'x'.repeat(70_000)}"}` }],
  ])('fails the check with %s', async (_, response) => {
    service.answer = response
    await expect(createProvider().check(WANTED)).rejects.toThrow(ScreeningFailed)
  })

  test('fails the check if it does not respond, cannot be reached, or does not know the secret', async () => {
    service.answer = 'hangs'
    await expect(createProvider({ timeoutMs: 50 }).check(WANTED)).rejects.toThrow(
      /cannot be reached: TIMEOUT/,
    )
    await expect(createProvider({ url: 'http://127.0.0.1:1/' }).check(WANTED)).rejects.toThrow(
      /cannot be reached: ECONNREFUSED/,
    )
    const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
    await expect(createProvider({ secret }).check(WANTED)).rejects.toThrow(/returned 401/)
  })
})

describe('the screening settings', () => {
  const KEY = '1'.repeat(64)
  const parseConfig = (env: Record<string, string>, mode = 'production') =>
    readConfig({ COUNTERSIGN_MODE: mode, COUNTERSIGN_MASTER_KEY: KEY, ...env })
  const SECRET = `whsec_${Buffer.alloc(32, 1).toString('base64')}`

  test('name nothing, a file, or a provider with one or two secrets', () => {
    expect(parseConfig({}).screening).toBeUndefined()
    expect(parseConfig({ SCREENING_FILE: '/etc/list' }).screening).toEqual({ file: '/etc/list' })
    const provider = { SCREENING_URL: 'https://screen.example/', SCREENING_SECRET: `${SECRET}, ${SECRET}` }
    expect(parseConfig(provider).screening?.provider).toMatchObject({ url: 'https://screen.example/' })
    expect(parseConfig(provider).screening?.provider?.secrets).toHaveLength(2)
  })

  test.each([
    [{ SCREENING_URL: 'https://screen.example' }, 'SCREENING_SECRET is missing: SCREENING_URL requires it.'],
    [{ SCREENING_SECRET: SECRET }, 'SCREENING_URL is missing: SCREENING_SECRET requires it.'],
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
  ])('with %j fail with: %s', (env, message) => {
    expect(() => parseConfig(env)).toThrow(message)
  })

  test('are refused outside production', () => {
    expect(() => parseConfig({ SCREENING_FILE: '/etc/list' }, 'sandbox')).toThrow(
      'SCREENING_FILE is for production only: the sandbox uses its own list.',
    )
  })

  test('that name a missing file prevent the start', async () => {
    const opening = openScreening(
      { file: '/nowhere/list' },
      () => new Date(),
      () => {},
    )
    await expect(opening).rejects.toThrow(/^SCREENING_FILE cannot be read/)
  })
})
