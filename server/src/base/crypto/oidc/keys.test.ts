import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { listen, stopListening } from '../../../../../test/ports.testing.ts'
import { getJsonFrom } from '../../http-client/send.ts'
import { createKeySource, type KeySource, type KeySourceOptions } from './keys.ts'

interface Pair {
  privateKey: CryptoKey
  jwk: JWK
}

const MINUTE_MS = 60_000
const start = Date.parse('2026-11-20T12:00:00.000Z')

let server: Server
let issuer: string
let nowMs: number
let published: JWK[]
let requestedPaths: string[]
let failures: string[]
/** Responds instead of the issuer, if a test sets it. */
let answer: RequestListener | undefined
const pairs: Pair[] = []

beforeAll(async () => {
  for (const kid of ['first', 'second', 'third']) {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    pairs.push({ privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } })
  }
})

beforeEach(async () => {
  nowMs = start
  published = [pairs[0]!.jwk]
  requestedPaths = []
  failures = []
  answer = undefined
  server = createServer((request, response) => {
    requestedPaths.push(request.url!)
    if (answer) answer(request, response)
    else sendDocument(request.url!, response)
  })
  issuer = `http://127.0.0.1:${await listen(server)}`
})

afterEach(async () => {
  await stopListening(server)
})

function sendDocument(path: string, response: ServerResponse, over: object = {}): void {
  response.setHeader('content-type', 'application/json')
  const documents: Record<string, object> = {
    '/.well-known/openid-configuration': { issuer, jwks_uri: `${issuer}/keys`, ...over },
    '/keys': { keys: published },
  }
  const document = documents[path]
  response.writeHead(document ? 200 : 404).end(JSON.stringify(document ?? {}))
}

function makeSource(over: Partial<KeySourceOptions> = {}): KeySource {
  return createKeySource({
    get: getJsonFrom('any'),
    clock: () => new Date(nowMs),
    allowHttpLoopback: true,
    onFailure: (of, cause) => failures.push(`${of} ${String(cause)}`),
    ...over,
  })
}

const signToken = ({ privateKey, jwk }: Pair, kid = jwk.kid!) =>
  new SignJWT({ iss: issuer }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)

async function verifyOutcome(source: KeySource, token: string, tokenIssuer = issuer): Promise<string> {
  const result = await source.verify(token, tokenIssuer)
  return 'verified' in result ? 'verified' : result.failure
}

const fetches = () => requestedPaths.filter((path) => path === '/keys').length

describe('keys of an ID token issuer', () => {
  test('are found by discovery and cached for ten minutes', async () => {
    const source = makeSource()
    const token = await signToken(pairs[0]!)
    expect(await verifyOutcome(source, token)).toBe('verified')
    expect(requestedPaths).toEqual(['/.well-known/openid-configuration', '/keys'])
    nowMs += 10 * MINUTE_MS - 1
    expect(await verifyOutcome(source, token)).toBe('verified')
    expect(fetches()).toBe(1)
    nowMs += 1
    expect(await verifyOutcome(source, token)).toBe('verified')
    expect(fetches()).toBe(2)
  })

  test('are fetched again when a token names a new key, and removed keys are dropped', async () => {
    const source = makeSource()
    expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('verified')
    published = [pairs[1]!.jwk]
    nowMs += MINUTE_MS
    expect(await verifyOutcome(source, await signToken(pairs[1]!))).toBe('verified')
    expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('unknownKey')
    expect(fetches()).toBe(2)
  })

  test('are not fetched again because of a forged signature with a known kid', async () => {
    const source = makeSource()
    await verifyOutcome(source, await signToken(pairs[0]!))
    nowMs += MINUTE_MS
    for (let n = 0; n < 20; n += 1)
      expect(await verifyOutcome(source, await signToken(pairs[1]!, 'first'))).toBe('signature')
    expect(fetches()).toBe(1)
  })

  test('are fetched at most once a minute, even for many parallel tokens with unknown kids', async () => {
    const source = makeSource()
    const flood = async (name: string) => {
      const tokens = await Promise.all(
        Array.from({ length: 100 }, (_, index) => signToken(pairs[1]!, `${name}-${index}`)),
      )
      return new Set(await Promise.all(tokens.map((token) => verifyOutcome(source, token))))
    }
    expect(await flood('a')).toEqual(new Set(['unknownKey']))
    expect(fetches()).toBe(1)
    nowMs += MINUTE_MS - 1
    await flood('b')
    expect(fetches()).toBe(1)
    nowMs += 1
    await flood('c')
    await flood('d')
    expect(requestedPaths).toHaveLength(4)
    expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('verified')
  })

  test('are fetched once for parallel first calls', async () => {
    const source = makeSource()
    const token = await signToken(pairs[0]!)
    const results = await Promise.all(Array.from({ length: 50 }, () => verifyOutcome(source, token)))
    expect(new Set(results)).toEqual(new Set(['verified']))
    expect(requestedPaths).toHaveLength(2)
  })

  test('are fetched without delaying another issuer', async () => {
    const source = makeSource()
    expect(await verifyOutcome(source, await signToken(pairs[0]!), `${issuer}/tenant`)).toBe(
      'keysUnavailable',
    )
    expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('verified')
  })
})

describe('an ID token issuer that fails', () => {
  test('is queried once a minute, and used again when it responds', async () => {
    const source = makeSource()
    const token = await signToken(pairs[0]!)
    answer = (_request, response) => response.writeHead(503).end()
    for (let n = 0; n < 20; n += 1) expect(await verifyOutcome(source, token)).toBe('keysUnavailable')
    expect(requestedPaths).toHaveLength(1)
    expect(failures).toEqual([`${issuer} Error: status 503`])
    answer = undefined
    nowMs += MINUTE_MS - 1
    expect(await verifyOutcome(source, token)).toBe('keysUnavailable')
    nowMs += 1
    expect(await verifyOutcome(source, token)).toBe('verified')
  })

  test('has its last valid keys used for 24 hours', async () => {
    const source = makeSource()
    const token = await signToken(pairs[0]!)
    expect(await verifyOutcome(source, token)).toBe('verified')
    answer = (_request, response) => response.writeHead(500).end()
    nowMs = start + 24 * 60 * MINUTE_MS - 1
    expect(await verifyOutcome(source, token)).toBe('verified')
    nowMs += 1
    expect(await verifyOutcome(source, token)).toBe('keysUnavailable')
    expect(failures).toHaveLength(1)
  })

  test('is still queried after the clock is set back', async () => {
    const source = makeSource()
    await verifyOutcome(source, await signToken(pairs[0]!))
    published = [pairs[1]!.jwk]
    nowMs -= 60 * MINUTE_MS
    expect(await verifyOutcome(source, await signToken(pairs[1]!))).toBe('verified')
  })

  const slow: [string, RequestListener][] = [
    ['never responds', () => {}],
    ['sends nothing after its headers', (_request, response) => response.writeHead(200).flushHeaders()],
    ['sends nothing after one byte', (_request, response) => void response.writeHead(200).write('{')],
  ]
  test.each(slow)('is given up after a time limit if it %s', async (_behavior, listener) => {
    answer = listener
    const source = makeSource({ timeoutMs: 100 })
    expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('keysUnavailable')
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain('TIMEOUT')
  })

  test('does not have a huge response read to its end', async () => {
    let sent = 0
    answer = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ')
      const sendMore = () => {
        while (!response.destroyed && sent < 1024 * 1024 * 1024 && response.write(chunk)) sent += chunk.length
      }
      response.on('drain', sendMore)
      sendMore()
    }
    expect(await verifyOutcome(makeSource(), await signToken(pairs[0]!))).toBe('keysUnavailable')
    expect(failures[0]).toContain('too long')
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('may send a response of exactly 256 KiB', async () => {
    answer = (request, response) => {
      if (request.url !== '/keys') return sendDocument(request.url!, response)
      return response.end(JSON.stringify({ keys: published }).padEnd(256 * 1024, ' '))
    }
    expect(await verifyOutcome(makeSource(), await signToken(pairs[0]!))).toBe('verified')
  })

  test.each([301, 302, 307, 308])('does not have its redirect (%i) followed', async (status) => {
    answer = (request, response) => {
      if (request.url === '/.well-known/openid-configuration')
        response.writeHead(status, { location: `${issuer}/elsewhere` }).end()
      else sendDocument('/.well-known/openid-configuration', response)
    }
    expect(await verifyOutcome(makeSource(), await signToken(pairs[0]!))).toBe('keysUnavailable')
    expect(requestedPaths).toHaveLength(1)
  })

  test.each([
    ['for another issuer', { issuer: 'https://accounts.google.com' }],
    ['for the issuer with a trailing slash', { issuer: 'SLASH' }],
    ['without an issuer', { issuer: undefined }],
    ['without keys', { jwks_uri: undefined }],
    ['with a key URL that is not a URL', { jwks_uri: 'keys' }],
    ['with keys over http on another machine', { jwks_uri: 'http://192.0.2.1/keys' }],
    ['with keys in a file', { jwks_uri: 'file:///etc/passwd' }],
    ['with keys in a data URL', { jwks_uri: 'data:application/json,{"keys":[]}' }],
    ['with a password', { jwks_uri: 'http://a:b@127.0.0.1/keys' }],
  ])('has its discovery document rejected if it is %s', async (_description, over) => {
    const changed = 'issuer' in over && over.issuer === 'SLASH' ? { issuer: `${issuer}/` } : over
    answer = (request, response) => sendDocument(request.url!, response, changed)
    expect(await verifyOutcome(makeSource(), await signToken(pairs[0]!))).toBe('keysUnavailable')
    expect(requestedPaths).toEqual(['/.well-known/openid-configuration'])
  })

  test.each(['', '[]', '{}', '{"keys":[]}', '{"keys":{}}', '{"keys":[{"kty":"oct","k":"AAAA"}]}', '<html>'])(
    'does not lose its last valid keys when it publishes the key set "%s"',
    async (text) => {
      const source = makeSource()
      expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('verified')
      answer = (request, response) => {
        if (request.url === '/keys') response.end(text)
        else sendDocument(request.url!, response)
      }
      nowMs += 10 * MINUTE_MS
      expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('verified')
      expect(failures).toHaveLength(1)
    },
  )
})

describe('the URL of an ID token issuer', () => {
  test.each([
    'http://accounts.example',
    'http://127.0.0.1.evil.example',
    'ftp://127.0.0.1',
    'https://user@accounts.example',
    'https://accounts.example/#a',
    'https://accounts.example/?a',
    'accounts.example',
    '',
  ])('is never called if it is "%s"', async (of) => {
    const urls: string[] = []
    const source = makeSource({ get: (url) => Promise.reject(urls.push(url)) })
    expect(await verifyOutcome(source, await signToken(pairs[0]!), of)).toBe('keysUnavailable')
    expect(urls).toEqual([])
  })

  test('may use http on loopback only if the option for tests is set', async () => {
    const source = makeSource({ allowHttpLoopback: false })
    expect(await verifyOutcome(source, await signToken(pairs[0]!))).toBe('keysUnavailable')
    expect(requestedPaths).toEqual([])
  })

  test('must use https, and its path is kept for discovery', async () => {
    const urls: string[] = []
    const source = makeSource({ get: (url) => Promise.reject(urls.push(url)) })
    for (const of of ['https://login.example/tenant', 'https://id.example/'])
      await verifyOutcome(source, await signToken(pairs[0]!), of)
    expect(urls).toEqual([
      'https://login.example/tenant/.well-known/openid-configuration',
      'https://id.example/.well-known/openid-configuration',
    ])
  })
})
