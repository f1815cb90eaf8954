import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { getJsonFrom } from '../../base/http-client/send.ts'
import { ratioOf } from '../../base/pricing/ratios.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { RateProvider } from '../../kernel/ports/rates.ts'
import { createHttpRates } from './http-rates.ts'

const START_MS = Date.parse('2026-03-01T12:00:00Z')
const MAX_AGE_SECONDS = 900
const MINUTE = 60

let server: Server
let url: string
/** Handles the source's next requests. */
let answer: (response: ServerResponse) => void
let requests: number
let seconds: number
let failures: string[]
let provider: RateProvider
let timeoutMs: number
/** Unfinished responses of the source. */
let open: ServerResponse[]

beforeAll(async () => {
  server = createServer((_request, response) => {
    requests++
    answer(response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/rates?key=hunter22`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  ;[requests, seconds, failures, open, timeoutMs] = [0, 0, [], [], 5000]
  answer = says(document())
  provider = createProvider()
})
afterEach(() => {
  for (const response of open) response.destroy()
  expect(failures.join('\n')).not.toContain('hunter22')
})

function createProvider(more: { url?: string; maxAgeSeconds?: number } = {}): RateProvider {
  return createHttpRates({
    url,
    maxAgeSeconds: MAX_AGE_SECONDS,
    ...more,
    get: getJsonFrom('any'),
    clock: () => new Date(START_MS + seconds * 1000),
    get timeoutMs() {
      return timeoutMs
    },
    onFailure: (cause) => failures.push(String(cause)),
  })
}

const at = (offsetSeconds: number) => new Date(START_MS + offsetSeconds * 1000).toISOString()

/** The source's current response, with `rates` in addition to the constant ones. */
function document(rates: Record<string, unknown> = {}, more: Record<string, unknown> = {}): string {
  const all = { BTC: '95000', EUR: '1.16', ...rates }
  return JSON.stringify({ base: 'USD', updatedAt: at(seconds), rates: all, ...more })
}

function says(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, headers).end(body)
  }
}

const hangs = (response: ServerResponse) => {
  open.push(response)
}

async function euro(from = provider): Promise<unknown> {
  return (await from.snapshot()).usdPerUnit('EUR')
}

async function refusal(): Promise<ApiError> {
  const error = await provider.snapshot().catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

/** Waits for a number of requests; a fetch in the background has no other sign. */
async function expectRequests(times: number): Promise<void> {
  await expect.poll(() => requests, { interval: 2 }).toBe(times)
}

describe('rates by HTTP', () => {
  test('are exact, as text and as numbers', async () => {
    const text = document({ IDR: 'X', ETH: '3500.5', DOGE: '0.1' }).replace(
      '"X"',
      '0.000061234567890123456789012345',
    )
    answer = says(text.replace('"1.16"', '1.1600e0'))
    const table = await provider.snapshot()
    expect(table.updatedAt.toISOString()).toBe(at(0))
    expect(table.usdPerUnit('EUR')).toEqual(ratioOf('1.16'))
    const { numerator, denominator } = table.usdPerUnit('IDR')!
    expect(numerator * 10n ** 30n).toBe(61234567890123456789012345n * denominator)
    expect(table.usdPerUnit('USD')).toEqual(ratioOf('1'))
    expect(table.usdPerUnit('GBP')).toBeUndefined()
    // Assets for network fees.
    expect(table.usdPerUnit('ETH')).toEqual(ratioOf('3500.5'))
    expect(table.usdPerUnit('SOL')).toBeUndefined()
  })

  test('are fetched once for parallel callers, and again only when they are old', async () => {
    const tables = await Promise.all(Array.from({ length: 20 }, () => provider.snapshot()))
    expect(new Set(tables).size).toBe(1)
    seconds = 3 * MINUTE
    await provider.snapshot()
    expect(requests).toBe(1)
  })

  test('are refreshed in the background, and awaited once they are five minutes old', async () => {
    await provider.snapshot()
    seconds = 4.5 * MINUTE
    answer = says(document({ EUR: '1.17' }))
    expect(await euro()).toEqual(ratioOf('1.16'))
    await expectRequests(2)
    await expect.poll(() => euro(), { interval: 2 }).toEqual(ratioOf('1.17'))
    seconds = 10 * MINUTE
    answer = says(document({ EUR: '1.18' }))
    expect(await Promise.all([euro(), euro()])).toEqual([ratioOf('1.18'), ratioOf('1.18')])
    expect(requests).toBe(3)
  })

  test('that cannot be fetched stay as last known until they are too old; then 503, until the source is back', async () => {
    await provider.snapshot()
    answer = says('down', 500)
    for (seconds = 5 * MINUTE; seconds <= MAX_AGE_SECONDS; seconds += MINUTE)
      expect(await euro()).toEqual(ratioOf('1.16'))
    seconds = MAX_AGE_SECONDS + 1
    const error = await refusal()
    expect(error).toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '10' } })
    expect(error.message).not.toContain(url)
    expect(failures.at(-1)).toContain('status 500')
    seconds += MINUTE
    answer = says(document({ EUR: '9' }))
    expect(await euro()).toEqual(ratioOf('9'))
  })

  test('do not make callers wait for a hanging source while older rates are usable', async () => {
    await provider.snapshot()
    answer = hangs
    timeoutMs = 100
    seconds = 6 * MINUTE
    // The first caller notices, the others do not wait.
    expect(await euro()).toEqual(ratioOf('1.16'))
    expect(failures).toHaveLength(1)
    seconds = 7 * MINUTE
    expect(await euro()).toEqual(ratioOf('1.16'))
    expect(failures).toHaveLength(1)
    await expectRequests(3)
    await expect.poll(() => failures.length, { interval: 10 }).toBe(2)
    seconds = 8 * MINUTE
    answer = says(document())
    timeoutMs = 5000
    expect(await euro()).toEqual(ratioOf('1.16'))
    const updatedAt = async () => (await provider.snapshot()).updatedAt.toISOString()
    await expect.poll(updatedAt, { interval: 2 }).toBe(at(0))
  })

  test('are 503 at first, where the source hangs, drips or is down; and it is asked every ten seconds at most', async () => {
    const drips = (response: ServerResponse) => {
      response.write('{"base":')
      open.push(response)
    }
    const gone = url.replace(/:\d+/, ':1')
    for (const [address, bad] of [
      [url, hangs],
      [url, drips],
      [gone, hangs],
    ] as const) {
      answer = bad
      timeoutMs = 100
      failures = []
      provider = createProvider({ url: address })
      await Promise.all([refusal(), refusal()])
      await refusal()
      expect(failures).toHaveLength(1)
      seconds += 11
      await refusal()
      expect(failures).toHaveLength(2)
    }
    answer = says(document())
    timeoutMs = 5000
    provider = createProvider()
    expect(await euro()).toEqual(ratioOf('1.16'))
  })

  test('may be used as long as the settings say, by the time that the source gives them', async () => {
    provider = createProvider({ maxAgeSeconds: 30 })
    answer = says(document({}, { updatedAt: at(-20) }))
    expect(await euro()).toEqual(ratioOf('1.16'))
    seconds = 11
    expect((await refusal()).code).toBe('UNAVAILABLE')
    expect(requests).toBe(2)
  })
})

/** Invalid responses of a source, each while good rates are known. */
const HOSTILE: [string, (response: ServerResponse) => void][] = [
  ['an error with good rates in it', (response) => says(document(), 500)(response)],
  ['nothing', says('', 204)],
  ['an empty body', says('')],
  ['a redirect', says('', 302, { Location: 'http://127.0.0.1:1/rates' })],
  ['a redirect to itself', says('', 307, { Location: '/rates' })],
  ['a page', says('<html>')],
  ['half of it', (response) => says(document().slice(0, -2))(response)],
  ['two of it', (response) => says(document() + document())(response)],
  ['what is not UTF-8', says(Buffer.from([0x7b, 0xff, 0x7d]))],
  ['a byte order mark', (response) => says(`\ufeff${document()}`)(response)],
  ['deep nesting', says('['.repeat(100_000))],
  ['too much', (response) => says(document({}, { more: 'x'.repeat(300_000) }))(response)],
  [
    'too much, packed',
    (response) => {
      const packed = gzipSync(document() + ' '.repeat(3_000_000))
      says(packed, 200, { 'Content-Encoding': 'gzip' })(response)
    },
  ],
  ...['null', '[]', '"text"', '1', '{}', '{"rates":{}}'].map((text): [string, typeof answer] => [
    text,
    says(text),
  ]),
  ...[
    { base: 'EUR' },
    { base: undefined },
    { base: ['USD'] },
    { updatedAt: undefined },
    { updatedAt: 'yesterday' },
    { updatedAt: 1_772_366_400 },
    { updatedAt: '2026-99-01T12:00:00Z' },
    { updatedAt: '9999-12-31T23:59:59Z' },
    { updatedAt: at(62 + 5 * MINUTE) },
    { updatedAt: at(5 * MINUTE - MAX_AGE_SECONDS - 1) },
    { updatedAt: at(-1) },
    { rates: undefined },
    { rates: [] },
    { rates: { EUR: '1.16' } },
  ].map((more): [string, typeof answer] => [
    JSON.stringify(more),
    (response) => says(document({}, more))(response),
  ]),
  ...[
    '"0"',
    '0',
    '0e5',
    '"-1.16"',
    '-1.16',
    '"+1.16"',
    '"1,16"',
    '"1.16 "',
    '"1."',
    '".5"',
    '"0x1"',
    '""',
    '"NaN"',
    '"Infinity"',
    '1e400',
    '"1e13"',
    '"1e-13"',
    '1e-999999999',
    `"${'9'.repeat(10_000)}"`,
    'null',
    'true',
    '[1.16]',
    '{"value":"1.16"}',
    '"1.17", "EUR": "1.18"',
    '"2.33"',
    '"0.57"',
  ].map((text): [string, typeof answer] => [
    `EUR of ${text.slice(0, 40)}`,
    (response) => says(document({ EUR: 'X' }).replace('"X"', text))(response),
  ]),
  ['another dollar', (response) => says(document({ USD: '1.01' }))(response)],
]

describe('an answer is ignored, and the rates stay as they were, where it is', () => {
  test.each(HOSTILE)('%s', async (_, bad) => {
    const before = await provider.snapshot()
    seconds = 5 * MINUTE
    answer = bad
    expect(await provider.snapshot()).toBe(before)
    expect(failures).toHaveLength(1)
    expect(failures[0]).not.toContain('\n')
    // The next valid one counts.
    seconds += MINUTE
    answer = says(document({ EUR: '1.2' }))
    await expect.poll(() => euro(), { interval: 2 }).toEqual(ratioOf('1.2'))
  })

  test('never more than the currencies that this server knows, whatever their names', async () => {
    const strange =
      '"__proto__": {"EUR": "5"}, "constructor": "6", "XXX": "-1", "toString": null, "EUR": "1.2"'
    answer = says(document({ EUR: undefined }).replace('"BTC"', `${strange}, "BTC"`))
    expect(await euro()).toEqual(ratioOf('1.2'))
  })
})
