import fc from 'fast-check'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { readKeySet } from './jwks.ts'
import {
  APPLE_ISSUER,
  type ClaimRules,
  checkClaims,
  computeNonce,
  computeTokenFingerprint,
  GOOGLE_ISSUER,
  OIDC_REASONS,
  readIdToken,
  verifyIdTokenSignature,
} from './oidc.ts'

const url = (text: string) => Buffer.from(text, 'utf8').toString('base64url')
const header = url('{"alg":"RS256","kid":"1"}')
const buildToken = (claims: object | string) =>
  `${header}.${url(typeof claims === 'string' ? claims : JSON.stringify(claims))}.c2ln`

describe('parsing an ID token', () => {
  test('returns its header and claims', () => {
    expect(readIdToken(buildToken({ sub: 'a' }))).toEqual({
      header: { alg: 'RS256', kid: '1' },
      claims: { sub: 'a' },
    })
  })

  test.each(['c2ln', 'sig', 'signature', 'x', ''])('does not decode the signature "%s"', (signature) => {
    expect(readIdToken(`${header}.${url('{}')}.${signature}`)).toBeDefined()
  })

  const claims = url('{"sub":"a"}')
  test.each([
    ['an empty string', ''],
    ['a string that is not a JWT', 'not-a-jwt'],
    ['two parts', `${header}.${claims}`],
    ['four parts', `${header}.${claims}.c2ln.c2ln`],
    ['five parts, as in a JWE', `${header}.a.b.c.d`],
    ['an empty header', `.${claims}.c2ln`],
    ['no claims', `${header}..c2ln`],
    ['a space before', ` ${header}.${claims}.c2ln`],
    ['a newline after', `${header}.${claims}.c2ln\n`],
    ['a space inside', `${header}. ${claims}.c2ln`],
    ['padding', `${header}.${claims}.c2lnYQ==`],
    ['padding after the claims', `${header}.${url('{"a":1}')}==.c2ln`],
    ['the standard alphabet', `${header}.${claims}.c2+/`],
    ['leftover bits', `${header}.${claims.slice(0, -1)}R.c2ln`],
    ['a header that is not JSON', `${url('alg')}.${claims}.c2ln`],
    ['a header that is an array', `${url('[]')}.${claims}.c2ln`],
    ['a header without alg', `${url('{"kid":"1"}')}.${claims}.c2ln`],
    ['an alg that is a number', `${url('{"alg":1}')}.${claims}.c2ln`],
    ['alg twice', `${url('{"alg":"RS256","alg":"none"}')}.${claims}.c2ln`],
    ['claims that are a string', buildToken('"a"')],
    ['claims that are null', buildToken('null')],
    ['sub twice', buildToken('{"sub":"a","sub":"b"}')],
    ['a byte order mark', buildToken('\ufeff{}')],
    ['U+0000, which the database cannot store', buildToken('{"sub":"a\\u0000"}')],
    ['half a surrogate pair', buildToken('{"sub":"\\ud800"}')],
    [
      'bytes that are not UTF-8',
      `${header}.${Buffer.from('{"a":"\xff"}', 'latin1').toString('base64url')}.c2ln`,
    ],
    ['more than 16 KiB', buildToken({ a: 'a'.repeat(16 * 1024) })],
    ['a legacy literal', 'sandbox-valid-oidc-token'],
  ])('rejects %s', (_description, token) => expect(readIdToken(token)).toBeUndefined())

  test('never throws', { tags: 'long' }, () => {
    const part = fc.oneof(fc.base64String(), fc.json().map(url), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        readIdToken(parts.join('.'))
        const read = readIdToken(`${header}.${parts[0]}.`)
        if (read) checkClaims(read.claims, rules)
      }),
    )
    expect(readIdToken(buildToken(`{"a":${'['.repeat(6000)}`))).toBeUndefined()
  })
})

const now = new Date('2026-11-20T12:00:00.000Z')
const seconds = now.getTime() / 1000
const rules: ClaimRules = {
  now,
  maxAgeSeconds: 60,
  skewSeconds: 5,
  issuers: [{ issuer: GOOGLE_ISSUER }, { issuer: APPLE_ISSUER, audiences: ['app.one', 'app.two'] }],
}
const good = {
  iss: GOOGLE_ISSUER,
  aud: 'client',
  sub: '10769150350006150715113082367',
  iat: seconds,
  exp: seconds + 3600,
}
const check = (over: object, ruleChanges: Partial<ClaimRules> = {}) =>
  checkClaims({ ...good, ...over }, { ...rules, ...ruleChanges })

describe('the claims of an ID token', () => {
  test('give the identity and the time until which the token is valid', () => {
    expect(check({ email: 'ada@example.com' })).toEqual({
      issuer: GOOGLE_ISSUER,
      audience: 'client',
      subject: good.sub,
      email: 'ada@example.com',
      usableUntil: new Date('2026-11-20T12:01:05.000Z'),
    })
    expect(check({ exp: seconds + 10 })).toMatchObject({ usableUntil: new Date('2026-11-20T12:00:10.000Z') })
    expect(check({ aud: ['client'] })).toMatchObject({ audience: 'client' })
    expect(check({ email: '' })).not.toHaveProperty('email')
    expect(check({ email: 5 })).not.toHaveProperty('email')
  })

  test("treat both of Google's spellings as the same issuer", () => {
    expect(check({ iss: 'accounts.google.com' })).toMatchObject({ issuer: GOOGLE_ISSUER })
    expect(check({ iss: 'accounts.google.com' }, { issuers: [] })).toMatchObject({ failure: 'issuer' })
  })

  test.each([
    ['issuer', { iss: undefined }],
    ['issuer', { iss: 'https://accounts.google.com/' }],
    ['issuer', { iss: 'https://evil.example' }],
    ['issuer', { iss: [GOOGLE_ISSUER] }],
    ['issuer', { iss: 'appleid.apple.com' }],
    ['audience', { aud: undefined }],
    ['audience', { aud: '' }],
    ['audience', { aud: [] }],
    ['audience', { aud: [''] }],
    ['audience', { aud: [['client']] }],
    ['audience', { aud: ['client', 'other'] }],
    ['audience', { aud: 7 }],
    ['audience', { iss: APPLE_ISSUER, aud: 'app.three' }],
    ['subject', { sub: undefined }],
    ['subject', { sub: '' }],
    ['subject', { sub: 5 }],
    ['subject', { sub: 'a'.repeat(256) }],
    ['issuedAt', { iat: undefined }],
    ['issuedAt', { iat: String(seconds) }],
    ['issuedAt', { iat: null }],
    ['issuedAt', { iat: now.getTime() }],
    ['expired', { exp: undefined }],
    ['expired', { exp: String(seconds + 60) }],
    ['notBefore', { nbf: String(seconds) }],
    ['notBefore', { nbf: null }],
  ] as const)('fail the check "%s" if they have %o', (failure, over) => {
    expect(check(over)).toEqual({ failure, reason: OIDC_REASONS[failure] })
  })

  test('may name any audience that is configured for the issuer', () => {
    for (const aud of ['app.one', ['app.two']])
      expect(check({ iss: APPLE_ISSUER, aud })).toHaveProperty('subject')
  })

  test('with several audiences must name a configured one of them in azp', () => {
    const apple = (over: object) => check({ iss: APPLE_ISSUER, ...over })
    for (const aud of [
      ['app.one', 'account'],
      ['account', 'api', 'app.one'],
      ['app.two', 'app.one'],
    ])
      expect(apple({ aud, azp: 'app.one' })).toMatchObject({ audience: 'app.one' })
    for (const over of [
      { aud: ['app.one', 'account'] },
      { aud: ['app.one', 'account'], azp: 'account' },
      { aud: ['account', 'api'], azp: 'app.one' },
      { aud: ['app.one', 'account'], azp: ['app.one'] },
      { aud: ['app.one', ''], azp: 'app.one' },
      { aud: ['app.one', 7], azp: 'app.one' },
      { aud: Array(65).fill('app.one'), azp: 'app.one' },
    ])
      expect(apple(over)).toMatchObject({ failure: 'audience' })
    // Without configured audiences, the intended one of several is unknown.
    expect(check({ aud: ['client', 'account'], azp: 'client' })).toMatchObject({ failure: 'audience' })
    // With a single audience, azp may be another client, as in Google's tokens of apps.
    expect(apple({ aud: 'app.one', azp: 'android.client' })).toMatchObject({ audience: 'app.one' })
  })

  test('make a token count as used for as long as it would be accepted', () => {
    const result = check({ iat: seconds - 10 })
    expect(result).toMatchObject({ usableUntil: new Date((seconds - 10 + 65) * 1000) })
  })

  test.each([
    [{ iat: seconds - 60 }, undefined],
    [{ iat: seconds - 65 }, undefined],
    [{ iat: seconds - 65.001 }, 'issuedAt'],
    [{ iat: seconds - 66 }, 'issuedAt'],
    [{ iat: seconds + 5 }, undefined],
    [{ iat: seconds + 6 }, 'issuedAt'],
    [{ exp: seconds + 1 }, undefined],
    [{ exp: seconds }, 'expired'],
    [{ exp: seconds - 1 }, 'expired'],
    [{ nbf: seconds }, undefined],
    [{ nbf: seconds + 5 }, undefined],
    [{ nbf: seconds + 6 }, 'notBefore'],
  ])('are checked with the tolerated clock skew, to the second: %o %s', (over, failure) => {
    expect(check(over)).toMatchObject(failure === undefined ? { subject: good.sub } : { failure })
  })

  test.each([
    [{ iat: seconds }, undefined],
    [{ iat: seconds - 60 }, undefined],
    [{ iat: seconds - 60.001 }, 'issuedAt'],
    [{ iat: seconds + 1 }, 'issuedAt'],
    [{ nbf: seconds + 1 }, 'notBefore'],
  ])('are checked exactly if no clock skew is tolerated: %o %s', (over, failure) => {
    const result = check(over, { skewSeconds: 0 })
    expect(result).toMatchObject(failure === undefined ? { subject: good.sub } : { failure })
  })

  test('must have the nonce of the client public key exactly as it was sent', () => {
    const key = `04${'Ab'.repeat(64)}`
    const nonce = computeNonce(key)
    expect(nonce).toMatch(/^[0-9a-f]{64}$/)
    expect(check({ nonce }, { nonce })).toHaveProperty('subject')
    const others = [undefined, '', [nonce], nonce.toUpperCase(), computeNonce(key.toLowerCase())]
    for (const other of others) expect(check({ nonce: other }, { nonce })).toMatchObject({ failure: 'nonce' })
    expect(check({ nonce: 'whatever' })).toHaveProperty('subject')
  })

  test('identify a token by its signed part only', () => {
    const token = buildToken(good)
    expect(computeTokenFingerprint(`${token}AA`)).toBe(computeTokenFingerprint(token))
    expect(computeTokenFingerprint(buildToken({ ...good, iat: 1 }))).not.toBe(computeTokenFingerprint(token))
  })
})

describe('the signature of an ID token', () => {
  const algorithms = ['RS256', 'PS256', 'ES256', 'EdDSA', 'ES384', 'RS512'] as const
  const made: Record<string, { token: string; jwk: JWK }> = {}
  const sign = (alg: string, key: CryptoKey | Uint8Array, over: object = {}) =>
    new SignJWT(good).setProtectedHeader({ alg, kid: alg, typ: 'JWT', ...over }).sign(key)
  let rsa: Awaited<ReturnType<typeof generateKeyPair>>
  beforeAll(async () => {
    for (const alg of algorithms) {
      const pair = await generateKeyPair(alg, { extractable: true })
      if (alg === 'RS256') rsa = pair
      const jwk = { ...(await exportJWK(pair.publicKey)), kid: alg, use: 'sig' }
      made[alg] = { token: await sign(alg, pair.privateKey), jwk }
    }
  })
  const verify = async (token: string, keys: object[]) => {
    const result = await verifyIdTokenSignature(token, readKeySet({ keys })!)
    return 'verified' in result ? 'verified' : result.failure
  }

  test.each(algorithms)('is verified with %s, whether or not the key names its algorithm', async (alg) => {
    const { token, jwk } = made[alg]!
    const keys = Object.values(made).map((entry) => entry.jwk)
    expect(await verify(token, keys)).toBe('verified')
    expect(await verify(token, [{ ...jwk, alg }])).toBe('verified')
    for (const other of algorithms.filter((name) => name !== alg))
      expect(await verify(token, [{ ...jwk, alg: other }])).toBe('unknownKey')
    expect(await verify(buildToken(good), keys)).toBe('unknownKey')
    expect(await verify(token, [])).toBe('unknownKey')
  })

  test('does not verify after any single bit of the token was flipped', { tags: 'long' }, async () => {
    const { token, jwk } = made.ES256!
    const parts = token.split('.')
    for (const index of [0, 1, 2]) {
      const bytes = Buffer.from(parts[index]!, 'base64url')
      for (let bit = 0; bit < bytes.length * 8; bit += 1) {
        const flipped = Buffer.from(bytes)
        flipped[bit >> 3]! ^= 1 << (bit & 7)
        const other = parts.with(index, flipped.toString('base64url')).join('.')
        expect(await verify(other, [jwk]), `part ${index} bit ${bit}`).not.toBe('verified')
      }
    }
  })

  test('is rejected if it is an HMAC with the public key, uses the algorithm none, or is empty', async () => {
    const { jwk, token } = made.RS256!
    const secrets = [jwk.n!, JSON.stringify(jwk)].map((text) => Buffer.from(text))
    for (const secret of secrets)
      expect(await verify(await sign('HS256', secret, { kid: 'RS256' }), [jwk])).toBe('signature')
    const [, claims] = token.split('.')
    for (const alg of ['none', 'None', 'NONE', '', 'HS256', 'RS1', 'ML-DSA-44']) {
      for (const signature of ['', 'AA'])
        expect(
          await verify(`${url(JSON.stringify({ alg, kid: 'RS256' }))}.${claims}.${signature}`, [jwk]),
        ).toBe('signature')
    }
    expect(await verify(token.replace(/[^.]+$/, ''), [jwk])).toBe('signature')
  })

  test('is never checked with a symmetric or private key from the key set', async () => {
    const secret = Buffer.alloc(32, 1)
    const oct = { kty: 'oct', kid: 'HS256', k: secret.toString('base64url'), alg: 'HS256' }
    expect(readKeySet({ keys: [oct, { ...made.RS256!.jwk, d: 'AQAB' }] })).toEqual([])
    expect(await verify(await sign('HS256', secret), [oct])).toBe('signature')
  })

  test('is never checked with a key from the header, and tokens with crit or another typ are rejected', async () => {
    const { jwk } = made.RS256!
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
    const forged = await sign('RS256', privateKey, {
      jwk: await exportJWK(publicKey),
      jku: 'https://evil.example',
    })
    expect(await verify(forged, [jwk])).toBe('signature')
    expect(await verify(await sign('RS256', rsa.privateKey, { typ: 'at+jwt' }), [jwk])).toBe('signature')
    expect(await verify(await sign('RS256', rsa.privateKey, { typ: 'application/JWT' }), [jwk])).toBe(
      'verified',
    )
    const critical = await new SignJWT(good)
      .setProtectedHeader({ alg: 'RS256', kid: 'RS256', b64: true, crit: ['b64'] })
      .sign(rsa.privateKey)
    expect(await verify(critical, [jwk])).toBe('signature')
  })

  test('needs exactly one key that fits the kid of the token', async () => {
    const { token, jwk } = made.RS256!
    const other = { ...made.RS512!.jwk, kid: 'RS256' }
    expect(await verify(token, [jwk, other])).toBe('unknownKey')
    expect(await verify(token, [{ ...jwk, kid: undefined }])).toBe('unknownKey')
    expect(await verify(token, [{ ...jwk, kid: 'rs256' }])).toBe('unknownKey')
    const nameless = await sign('RS256', rsa.privateKey, { kid: undefined })
    expect(await verify(nameless, [jwk, made.ES256!.jwk])).toBe('verified')
    expect(await verify(nameless, [jwk, made.RS512!.jwk])).toBe('unknownKey')
    expect(await verify(await sign('RS256', rsa.privateKey, { kid: 5 as unknown as string }), [jwk])).toBe(
      'signature',
    )
  })

  test('is not checked with keys from a malformed key set', () => {
    for (const value of [undefined, null, [], {}, { keys: {} }, { keys: new Array(101).fill({}) }])
      expect(readKeySet(value)).toBeUndefined()
    expect(
      readKeySet({ keys: [null, 1, {}, [], { kty: 'EC' }, { kty: 'RSA', n: 'AQAB', e: 'AQAB' }] }),
    ).toEqual([])
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        readKeySet(value)
        return readKeySet({ keys: [value] })?.length === 0
      }),
    )
  })
})
