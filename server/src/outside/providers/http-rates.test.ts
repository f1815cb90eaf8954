import { createServer, type Server, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen } from '../../../../test/ports.testing.ts'
import { getJsonFrom } from '../../base/http-client/send.ts'
import { toRatio } from '../../base/pricing/ratios.ts'
import { ApiError } from '../../kernel/operation/operation.ts'
import type { RateProvider } from '../../kernel/ports/rates.ts'
import { createHttpRates } from './http-rates.ts'

const START_MS = Date.parse('2026-03-01T12:00:00Z')
const MAX_AGE_SECONDS = 900
const MINUTE = 60

let server: Server
let url: string
/** Handles the source's next requests. */
let respond: (response: ServerResponse) => void
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
    respond(response)
  })
  url = `http://127.0.0.1:${await listen(server)}/rates?key=hunter22`
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})
beforeEach(() => {
  ;[requests, seconds, failures, open, timeoutMs] = [0, 0, [], [], 5000]
  respond = sendBody(buildDocument())
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

const formatTime = (offsetSeconds: number) => new Date(START_MS + offsetSeconds * 1000).toISOString()

/** The source's current response, with `rates` in addition to the constant ones. */
function buildDocument(rates: Record<string, unknown> = {}, more: Record<string, unknown> = {}): string {
  const all = { BTC: '95000', EUR: '1.16', ...rates }
  return JSON.stringify({ base: 'USD', updatedAt: formatTime(seconds), rates: all, ...more })
}

function sendBody(body: string | Uint8Array, status = 200, headers: Record<string, string> = {}) {
  return (response: ServerResponse) => {
    response.writeHead(status, headers).end(body)
  }
}

const hang = (response: ServerResponse) => {
  open.push(response)
}

async function readEuroRate(from = provider): Promise<unknown> {
  return (await from.snapshot()).usdPerUnit('EUR')
}

async function getRefusal(): Promise<ApiError> {
  const error = await provider.snapshot().catch((cause: unknown) => cause)
  expect(error).toBeInstanceOf(ApiError)
  return error as ApiError
}

/** Waits until the source has received this many requests, because a background fetch shows nothing else. */
async function expectRequests(times: number): Promise<void> {
  await expect.poll(() => requests, { interval: 2 }).toBe(times)
}

describe('rates fetched over HTTP', () => {
  test('HTTP rates are parsed exactly from strings and from numbers', async () => {
    const text = buildDocument({ IDR: 'X', ETH: '3500.5', DOGE: '0.1' }).replace(
      '"X"',
      '0.000061234567890123456789012345',
    )
    respond = sendBody(text.replace('"1.16"', '1.1600e0'))
    const table = await provider.snapshot()
    expect(table.updatedAt.toISOString()).toBe(formatTime(0))
    expect(table.usdPerUnit('EUR')).toEqual(toRatio('1.16'))
    const { numerator, denominator } = table.usdPerUnit('IDR')!
    expect(numerator * 10n ** 30n).toBe(61234567890123456789012345n * denominator)
    expect(table.usdPerUnit('USD')).toEqual(toRatio('1'))
    expect(table.usdPerUnit('GBP')).toBeUndefined()
    // Assets for network fees.
    expect(table.usdPerUnit('ETH')).toEqual(toRatio('3500.5'))
    expect(table.usdPerUnit('SOL')).toBeUndefined()
  })

  test('HTTP rates are fetched once for parallel callers, and again only when they are old', async () => {
    const tables = await Promise.all(Array.from({ length: 20 }, () => provider.snapshot()))
    expect(new Set(tables).size).toBe(1)
    seconds = 3 * MINUTE
    await provider.snapshot()
    expect(requests).toBe(1)
  })

  test('HTTP rates are refreshed in the background, and awaited once they are five minutes old', async () => {
    await provider.snapshot()
    seconds = 4.5 * MINUTE
    respond = sendBody(buildDocument({ EUR: '1.17' }))
    expect(await readEuroRate()).toEqual(toRatio('1.16'))
    await expectRequests(2)
    await expect.poll(() => readEuroRate(), { interval: 2 }).toEqual(toRatio('1.17'))
    seconds = 10 * MINUTE
    respond = sendBody(buildDocument({ EUR: '1.18' }))
    expect(await Promise.all([readEuroRate(), readEuroRate()])).toEqual([toRatio('1.18'), toRatio('1.18')])
    expect(requests).toBe(3)
  })

  test('the last HTTP rates stay in use while the source fails, until they are too old and callers get 503', async () => {
    await provider.snapshot()
    respond = sendBody('down', 500)
    for (seconds = 5 * MINUTE; seconds <= MAX_AGE_SECONDS; seconds += MINUTE)
      expect(await readEuroRate()).toEqual(toRatio('1.16'))
    seconds = MAX_AGE_SECONDS + 1
    const error = await getRefusal()
    expect(error).toMatchObject({ code: 'UNAVAILABLE', headers: { 'Retry-After': '10' } })
    expect(error.message).not.toContain(url)
    expect(failures.at(-1)).toContain('status 500')
    seconds += MINUTE
    respond = sendBody(buildDocument({ EUR: '9' }))
    expect(await readEuroRate()).toEqual(toRatio('9'))
  })

  test('callers do not wait for a hanging rates source while older rates are usable', async () => {
    await provider.snapshot()
    respond = hang
    timeoutMs = 100
    seconds = 6 * MINUTE
    // The first caller notices, the others do not wait.
    expect(await readEuroRate()).toEqual(toRatio('1.16'))
    expect(failures).toHaveLength(1)
    seconds = 7 * MINUTE
    expect(await readEuroRate()).toEqual(toRatio('1.16'))
    expect(failures).toHaveLength(1)
    await expectRequests(3)
    await expect.poll(() => failures.length, { interval: 10 }).toBe(2)
    seconds = 8 * MINUTE
    respond = sendBody(buildDocument())
    timeoutMs = 5000
    expect(await readEuroRate()).toEqual(toRatio('1.16'))
    const updatedAt = async () => (await provider.snapshot()).updatedAt.toISOString()
    await expect.poll(updatedAt, { interval: 2 }).toBe(formatTime(0))
  })

  test('a rates source that hangs, drips or is down causes 503, and is retried at most every ten seconds', async () => {
    const drip = (response: ServerResponse) => {
      response.write('{"base":')
      open.push(response)
    }
    const gone = url.replace(/:\d+/, ':1')
    for (const [address, respondBadly] of [
      [url, hang],
      [url, drip],
      [gone, hang],
    ] as const) {
      respond = respondBadly
      timeoutMs = 100
      failures = []
      provider = createProvider({ url: address })
      await Promise.all([getRefusal(), getRefusal()])
      await getRefusal()
      expect(failures).toHaveLength(1)
      seconds += 11
      await getRefusal()
      expect(failures).toHaveLength(2)
    }
    respond = sendBody(buildDocument())
    timeoutMs = 5000
    provider = createProvider()
    expect(await readEuroRate()).toEqual(toRatio('1.16'))
  })

  test('HTTP rates are usable for the configured time, measured from their time at the source', async () => {
    provider = createProvider({ maxAgeSeconds: 30 })
    respond = sendBody(buildDocument({}, { updatedAt: formatTime(-20) }))
    expect(await readEuroRate()).toEqual(toRatio('1.16'))
    seconds = 11
    expect((await getRefusal()).code).toBe('UNAVAILABLE')
    expect(requests).toBe(2)
  })
})

/** Invalid responses of a source, each while good rates are known. */
const HOSTILE: [string, (response: ServerResponse) => void][] = [
  ['an error status with valid rates', (response) => sendBody(buildDocument(), 500)(response)],
  ['no content', sendBody('', 204)],
  ['an empty body', sendBody('')],
  ['a redirect', sendBody('', 302, { Location: 'http://127.0.0.1:1/rates' })],
  ['a redirect to itself', sendBody('', 307, { Location: '/rates' })],
  ['an HTML page', sendBody('<html>')],
  ['half of a document', (response) => sendBody(buildDocument().slice(0, -2))(response)],
  ['two documents', (response) => sendBody(buildDocument() + buildDocument())(response)],
  ['bytes that are not UTF-8', sendBody(Buffer.from([0x7b, 0xff, 0x7d]))],
  ['a byte order mark', (response) => sendBody(`\ufeff${buildDocument()}`)(response)],
  ['deep nesting', sendBody('['.repeat(100_000))],
  [
    'a response that is too long',
    (response) => sendBody(buildDocument({}, { more: 'x'.repeat(300_000) }))(response),
  ],
  [
    'a response that is too long once decompressed',
    (response) => {
      const packed = gzipSync(buildDocument() + ' '.repeat(3_000_000))
      sendBody(packed, 200, { 'Content-Encoding': 'gzip' })(response)
    },
  ],
  ...['null', '[]', '"text"', '1', '{}', '{"rates":{}}'].map((text): [string, typeof respond] => [
    text,
    sendBody(text),
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
    { updatedAt: formatTime(62 + 5 * MINUTE) },
    { updatedAt: formatTime(5 * MINUTE - MAX_AGE_SECONDS - 1) },
    { updatedAt: formatTime(-1) },
    { rates: undefined },
    { rates: [] },
    { rates: { EUR: '1.16' } },
  ].map((more): [string, typeof respond] => [
    JSON.stringify(more),
    (response) => sendBody(buildDocument({}, more))(response),
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
  ].map((text): [string, typeof respond] => [
    `a EUR rate of ${text.slice(0, 40)}`,
    (response) => sendBody(buildDocument({ EUR: 'X' }).replace('"X"', text))(response),
  ]),
  ['a dollar that is not worth 1', (response) => sendBody(buildDocument({ USD: '1.01' }))(response)],
]

describe('an invalid rates response is ignored, and the previous rates stay in use', () => {
  test.each(HOSTILE)('%s', async (_, respondBadly) => {
    const before = await provider.snapshot()
    seconds = 5 * MINUTE
    respond = respondBadly
    expect(await provider.snapshot()).toBe(before)
    expect(failures).toHaveLength(1)
    expect(failures[0]).not.toContain('\n')
    // The next valid one counts.
    seconds += MINUTE
    respond = sendBody(buildDocument({ EUR: '1.2' }))
    await expect.poll(() => readEuroRate(), { interval: 2 }).toEqual(toRatio('1.2'))
  })

  test('currencies that the server does not know are ignored in HTTP rates, whatever their names', async () => {
    const strange =
      '"__proto__": {"EUR": "5"}, "constructor": "6", "XXX": "-1", "toString": null, "EUR": "1.2"'
    respond = sendBody(buildDocument({ EUR: undefined }).replace('"BTC"', `${strange}, "BTC"`))
    expect(await readEuroRate()).toEqual(toRatio('1.2'))
  })
})
