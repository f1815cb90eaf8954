import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
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
let asked: string[]
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
  asked = []
  failures = []
  answer = undefined
  server = createServer((request, response) => {
    asked.push(request.url!)
    if (answer) answer(request, response)
    else sendDocument(request.url!, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
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

function sourceOf(over: Partial<KeySourceOptions> = {}): KeySource {
  return createKeySource({
    get: getJsonFrom('any'),
    clock: () => new Date(nowMs),
    allowHttpLoopback: true,
    onFailure: (of, cause) => failures.push(`${of} ${String(cause)}`),
    ...over,
  })
}

const tokenOf = ({ privateKey, jwk }: Pair, kid = jwk.kid!) =>
  new SignJWT({ iss: issuer }).setProtectedHeader({ alg: 'RS256', kid }).sign(privateKey)

async function outcome(source: KeySource, token: string, of = issuer): Promise<string> {
  const result = await source.verify(token, of)
  return 'verified' in result ? 'verified' : result.failure
}

const fetches = () => asked.filter((path) => path === '/keys').length

describe('keys of an issuer', () => {
  test('are found by discovery and cached for ten minutes', async () => {
    const source = sourceOf()
    const token = await tokenOf(pairs[0]!)
    expect(await outcome(source, token)).toBe('verified')
    expect(asked).toEqual(['/.well-known/openid-configuration', '/keys'])
    nowMs += 10 * MINUTE_MS - 1
    expect(await outcome(source, token)).toBe('verified')
    expect(fetches()).toBe(1)
    nowMs += 1
    expect(await outcome(source, token)).toBe('verified')
    expect(fetches()).toBe(2)
  })

  test('rotate: a new key is fetched when a token names it, an old one is dropped', async () => {
    const source = sourceOf()
    expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('verified')
    published = [pairs[1]!.jwk]
    nowMs += MINUTE_MS
    expect(await outcome(source, await tokenOf(pairs[1]!))).toBe('verified')
    expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('unknownKey')
    expect(fetches()).toBe(2)
  })

  test('a forged signature under a known kid fetches nothing', async () => {
    const source = sourceOf()
    await outcome(source, await tokenOf(pairs[0]!))
    nowMs += MINUTE_MS
    for (let n = 0; n < 20; n += 1)
      expect(await outcome(source, await tokenOf(pairs[1]!, 'first'))).toBe('signature')
    expect(fetches()).toBe(1)
  })

  test('a flood of unknown kids: one fetch a minute, also in parallel', async () => {
    const source = sourceOf()
    const flood = async (name: string) => {
      const tokens = await Promise.all(
        Array.from({ length: 100 }, (_, index) => tokenOf(pairs[1]!, `${name}-${index}`)),
      )
      return new Set(await Promise.all(tokens.map((token) => outcome(source, token))))
    }
    expect(await flood('a')).toEqual(new Set(['unknownKey']))
    expect(fetches()).toBe(1)
    nowMs += MINUTE_MS - 1
    await flood('b')
    expect(fetches()).toBe(1)
    nowMs += 1
    await flood('c')
    await flood('d')
    expect(asked).toHaveLength(4)
    expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('verified')
  })

  test('parallel first calls share one fetch', async () => {
    const source = sourceOf()
    const token = await tokenOf(pairs[0]!)
    const results = await Promise.all(Array.from({ length: 50 }, () => outcome(source, token)))
    expect(new Set(results)).toEqual(new Set(['verified']))
    expect(asked).toHaveLength(2)
  })

  test('one issuer does not delay another', async () => {
    const source = sourceOf()
    expect(await outcome(source, await tokenOf(pairs[0]!), `${issuer}/tenant`)).toBe('keysUnavailable')
    expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('verified')
  })
})

describe('an issuer that fails', () => {
  test('is queried once a minute, and used again when it responds', async () => {
    const source = sourceOf()
    const token = await tokenOf(pairs[0]!)
    answer = (_request, response) => response.writeHead(503).end()
    for (let n = 0; n < 20; n += 1) expect(await outcome(source, token)).toBe('keysUnavailable')
    expect(asked).toHaveLength(1)
    expect(failures).toEqual([`${issuer} Error: status 503`])
    answer = undefined
    nowMs += MINUTE_MS - 1
    expect(await outcome(source, token)).toBe('keysUnavailable')
    nowMs += 1
    expect(await outcome(source, token)).toBe('verified')
  })

  test('the last valid keys are used for 24 hours', async () => {
    const source = sourceOf()
    const token = await tokenOf(pairs[0]!)
    expect(await outcome(source, token)).toBe('verified')
    answer = (_request, response) => response.writeHead(500).end()
    nowMs = start + 24 * 60 * MINUTE_MS - 1
    expect(await outcome(source, token)).toBe('verified')
    nowMs += 1
    expect(await outcome(source, token)).toBe('keysUnavailable')
    expect(failures).toHaveLength(1)
  })

  test('a clock that is set back does not stop fetches', async () => {
    const source = sourceOf()
    await outcome(source, await tokenOf(pairs[0]!))
    published = [pairs[1]!.jwk]
    nowMs -= 60 * MINUTE_MS
    expect(await outcome(source, await tokenOf(pairs[1]!))).toBe('verified')
  })

  const slow: [string, RequestListener][] = [
    ['never answers', () => {}],
    ['sends its headers and no more', (_request, response) => response.writeHead(200).flushHeaders()],
    ['sends a byte and no more', (_request, response) => void response.writeHead(200).write('{')],
  ]
  test.each(slow)('a server that %s is abandoned', async (_what, listener) => {
    answer = listener
    const source = sourceOf({ timeoutMs: 100 })
    expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('keysUnavailable')
    expect(failures).toHaveLength(1)
    expect(failures[0]).toContain('TIMEOUT')
  })

  test('a huge answer is not read to its end', async () => {
    let sent = 0
    answer = (_request, response) => {
      const chunk = Buffer.alloc(64 * 1024, ' ')
      const more = () => {
        while (!response.destroyed && sent < 1024 * 1024 * 1024 && response.write(chunk)) sent += chunk.length
      }
      response.on('drain', more)
      more()
    }
    expect(await outcome(sourceOf(), await tokenOf(pairs[0]!))).toBe('keysUnavailable')
    expect(failures[0]).toContain('too long')
    expect(sent).toBeLessThan(64 * 1024 * 1024)
  })

  test('an answer of exactly 256 KiB is accepted', async () => {
    answer = (request, response) => {
      if (request.url !== '/keys') return sendDocument(request.url!, response)
      return response.end(JSON.stringify({ keys: published }).padEnd(256 * 1024, ' '))
    }
    expect(await outcome(sourceOf(), await tokenOf(pairs[0]!))).toBe('verified')
  })

  test.each([301, 302, 307, 308])('a redirect (%i) is not followed', async (status) => {
    answer = (request, response) => {
      if (request.url === '/.well-known/openid-configuration')
        response.writeHead(status, { location: `${issuer}/elsewhere` }).end()
      else sendDocument('/.well-known/openid-configuration', response)
    }
    expect(await outcome(sourceOf(), await tokenOf(pairs[0]!))).toBe('keysUnavailable')
    expect(asked).toHaveLength(1)
  })

  test.each([
    ['of another issuer', { issuer: 'https://accounts.google.com' }],
    ['of the issuer with a slash', { issuer: 'SLASH' }],
    ['without an issuer', { issuer: undefined }],
    ['without keys', { jwks_uri: undefined }],
    ['with keys at no address', { jwks_uri: 'keys' }],
    ['with keys over http elsewhere', { jwks_uri: 'http://192.0.2.1/keys' }],
    ['with keys in a file', { jwks_uri: 'file:///etc/passwd' }],
    ['with keys in itself', { jwks_uri: 'data:application/json,{"keys":[]}' }],
    ['with a password', { jwks_uri: 'http://a:b@127.0.0.1/keys' }],
  ])('a discovery document %s', async (_what, over) => {
    const changed = 'issuer' in over && over.issuer === 'SLASH' ? { issuer: `${issuer}/` } : over
    answer = (request, response) => sendDocument(request.url!, response, changed)
    expect(await outcome(sourceOf(), await tokenOf(pairs[0]!))).toBe('keysUnavailable')
    expect(asked).toEqual(['/.well-known/openid-configuration'])
  })

  test.each(['', '[]', '{}', '{"keys":[]}', '{"keys":{}}', '{"keys":[{"kty":"oct","k":"AAAA"}]}', '<html>'])(
    'a key set that is %s keeps the last valid one',
    async (text) => {
      const source = sourceOf()
      expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('verified')
      answer = (request, response) => {
        if (request.url === '/keys') response.end(text)
        else sendDocument(request.url!, response)
      }
      nowMs += 10 * MINUTE_MS
      expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('verified')
      expect(failures).toHaveLength(1)
    },
  )
})

describe('addresses', () => {
  test.each([
    'http://accounts.example',
    'http://127.0.0.1.evil.example',
    'ftp://127.0.0.1',
    'https://user@accounts.example',
    'https://accounts.example/#a',
    'https://accounts.example/?a',
    'accounts.example',
    '',
  ])('not asked: %s', async (of) => {
    const urls: string[] = []
    const source = sourceOf({ get: (url) => Promise.reject(urls.push(url)) })
    expect(await outcome(source, await tokenOf(pairs[0]!), of)).toBe('keysUnavailable')
    expect(urls).toEqual([])
  })

  test('http on loopback only where a test asks for it', async () => {
    const source = sourceOf({ allowHttpLoopback: false })
    expect(await outcome(source, await tokenOf(pairs[0]!))).toBe('keysUnavailable')
    expect(asked).toEqual([])
  })

  test('https, the path of the issuer kept', async () => {
    const urls: string[] = []
    const source = sourceOf({ get: (url) => Promise.reject(urls.push(url)) })
    for (const of of ['https://login.example/tenant', 'https://id.example/'])
      await outcome(source, await tokenOf(pairs[0]!), of)
    expect(urls).toEqual([
      'https://login.example/tenant/.well-known/openid-configuration',
      'https://id.example/.well-known/openid-configuration',
    ])
  })
})
