import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { SettingsService } from '@simplewebauthn/server'
import { isoCBOR } from '@simplewebauthn/server/helpers'
import fc from 'fast-check'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { parseCoseKey } from './cose.ts'
import type { RegistrationInput } from './registration-input.ts'
import { type AssertionInput, verifyAssertion, verifyRegistration } from './webauthn.ts'

const RP_ID = 'wallet.example'
const ORIGIN = 'https://wallet.example'
const CHALLENGE = 'ab'.repeat(32)
const CREDENTIAL_ID = Buffer.alloc(32, 7)
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PRESENT = 0x01
const VERIFIED = 0x04
const ATTESTED = 0x40

type Cbor = Parameters<typeof isoCBOR.encode>[0]
const cbor = (value: unknown) => Buffer.from(isoCBOR.encode(value as Cbor))
const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest()
const part = (text: string | undefined) => new Uint8Array(Buffer.from(text!, 'base64url'))

function encodeCoseKey(key: KeyObject, over: [number, unknown][] = []): Buffer {
  const { x, y } = key.export({ format: 'jwk' })
  const members: [number, unknown][] = [
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, part(x)],
    [-3, part(y)],
  ]
  return cbor(new Map([...members, ...over]))
}

function buildAuthenticatorData(flags: number, counter: number, more: Uint8Array = Buffer.alloc(0)): Buffer {
  const fixed = Buffer.alloc(5)
  fixed[0] = flags
  fixed.writeUInt32BE(counter, 1)
  return Buffer.concat([sha256(RP_ID), fixed, more])
}

function buildClientData(type: string, over: object = {}): Buffer {
  const challenge = Buffer.from(CHALLENGE, 'utf8').toString('base64url')
  return Buffer.from(JSON.stringify({ type, challenge, origin: ORIGIN, crossOrigin: false, ...over }))
}

/** Builds a valid assertion, with the given parts replaced. */
function assert(
  over: { clientData?: Buffer; data?: Buffer; stored?: Partial<AssertionInput['stored']> } = {},
): AssertionInput {
  const clientData = over.clientData ?? buildClientData('webauthn.get')
  const data = over.data ?? buildAuthenticatorData(PRESENT | VERIFIED, 5)
  const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey)
  return {
    rpId: RP_ID,
    origins: [ORIGIN],
    requireUserVerification: true,
    assertion: {
      credentialId: CREDENTIAL_ID.toString('base64url'),
      clientDataJson: clientData.toString('base64url'),
      authenticatorData: data.toString('base64url'),
      signature: signature.toString('base64url'),
    },
    stored: {
      credentialId: CREDENTIAL_ID.toString('base64url'),
      publicKey: encodeCoseKey(publicKey),
      counter: 4,
      ...over.stored,
    },
    challenge: CHALLENGE,
  }
}

/** Builds a registration, by default with self attestation. */
function register(
  over: { cose?: Buffer; format?: string; statement?: Map<string, unknown>; clientData?: Buffer } = {},
): RegistrationInput {
  const clientData = over.clientData ?? buildClientData('webauthn.create')
  const length = Buffer.from([0, CREDENTIAL_ID.length])
  const credential = Buffer.concat([
    Buffer.alloc(16),
    length,
    CREDENTIAL_ID,
    over.cose ?? encodeCoseKey(publicKey),
  ])
  const data = buildAuthenticatorData(PRESENT | VERIFIED | ATTESTED, 0, credential)
  const sig = new Uint8Array(sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey))
  const attestation = new Map<string, unknown>([
    ['fmt', over.format ?? 'packed'],
    [
      'attStmt',
      over.statement ??
        new Map<string, unknown>([
          ['alg', -7],
          ['sig', sig],
        ]),
    ],
    ['authData', new Uint8Array(data)],
  ])
  return {
    rpId: RP_ID,
    origins: [ORIGIN],
    requireUserVerification: true,
    credentialId: CREDENTIAL_ID.toString('base64url'),
    clientDataJson: clientData.toString('base64url'),
    attestationObject: cbor(attestation).toString('base64url'),
    challenge: CHALLENGE,
  }
}

describe('a passkey assertion', () => {
  test('has the UTF-8 bytes of the string as its challenge', () => {
    expect(verifyAssertion(assert())).toEqual({ newCounter: 5, userVerified: true, backedUp: false })
    const bytes = { ...assert(), challenge: Buffer.from(CHALLENGE, 'utf8') }
    expect(verifyAssertion(bytes)).toHaveProperty('newCounter')
    // Neither the decoded bytes nor another case of the hex is accepted.
    for (const challenge of [Buffer.from(CHALLENGE, 'hex'), CHALLENGE.toUpperCase(), ''])
      expect(verifyAssertion({ ...assert(), challenge })).toMatchObject({ failure: 'challenge' })
  })

  test('is rejected for another credential id, key, type of response or relying party', () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
    expect(verifyAssertion(assert({ stored: { credentialId: 'AAAA' } }))).toMatchObject({
      failure: 'credentialId',
    })
    expect(verifyAssertion(assert({ stored: { publicKey: encodeCoseKey(other) } }))).toMatchObject({
      failure: 'signature',
    })
    expect(verifyAssertion(assert({ stored: { publicKey: Buffer.alloc(3) } }))).toMatchObject({
      failure: 'publicKey',
    })
    const created = assert({ clientData: buildClientData('webauthn.create') })
    expect(verifyAssertion(created)).toMatchObject({ failure: 'type' })
    expect(verifyAssertion({ ...assert(), rpId: 'example' })).toMatchObject({ failure: 'rpId' })
  })

  test.each([
    [0, 0, true],
    [0, 1, true],
    [1, 0, false],
    [4, 5, true],
    [5, 5, false],
    [6, 5, false],
    [0xfffffffe, 0xffffffff, true],
    [0xffffffff, 0xffffffff, false],
  ])('with the stored counter %i may send the counter %i: %s', (counter, sent, accepted) => {
    const result = verifyAssertion(
      assert({ stored: { counter }, data: buildAuthenticatorData(PRESENT | VERIFIED, sent) }),
    )
    expect(result).toMatchObject(accepted ? { newCounter: sent } : { failure: 'counter' })
  })

  test('is rejected if crossOrigin is not false, or if topOrigin is present', () => {
    const over = [
      { crossOrigin: true },
      { crossOrigin: 'false' },
      { crossOrigin: null },
      { topOrigin: ORIGIN },
      { topOrigin: '' },
    ]
    for (const each of over)
      expect(verifyAssertion(assert({ clientData: buildClientData('webauthn.get', each) }))).toMatchObject({
        failure: 'crossOrigin',
      })
    const absent = buildClientData('webauthn.get', {
      crossOrigin: undefined,
      tokenBinding: { status: 'supported' },
    })
    expect(verifyAssertion(assert({ clientData: absent }))).toHaveProperty('newCounter')
  })

  test('never throws', { tags: 'long' }, () => {
    const members = ['credentialId', 'clientDataJson', 'authenticatorData', 'signature'] as const
    const hostile = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes).toString('base64url')),
      fc.json().map((json) => Buffer.from(json).toString('base64url')),
    )
    fc.assert(
      fc.property(fc.constantFrom(...members), hostile, (member, text) => {
        const whole = assert()
        return 'failure' in verifyAssertion({ ...whole, assertion: { ...whole.assertion, [member]: text } })
      }),
      { numRuns: 1000 },
    )
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        return 'failure' in verifyAssertion(assert({ stored: { publicKey: bytes } }))
      }),
    )
  })
})

describe('a passkey registration', () => {
  afterEach(() => vi.unstubAllGlobals())

  test('is accepted with self attestation', async () => {
    expect(await verifyRegistration({ ...register(), transports: ['hybrid', 'internal'] })).toEqual({
      credentialId: CREDENTIAL_ID.toString('base64url'),
      publicKey: new Uint8Array(encodeCoseKey(publicKey)),
      counter: 0,
      transports: ['hybrid', 'internal'],
      aaguid: '00000000-0000-0000-0000-000000000000',
      userVerified: true,
      backupEligible: false,
      backedUp: false,
      attestationFormat: 'packed',
    })
  })

  test('is rejected if its self attestation names another algorithm than the key', async () => {
    const whole = register()
    const attestation = isoCBOR.decodeFirst<Map<string, Map<string, unknown>>>(part(whole.attestationObject))
    attestation.get('attStmt')!.set('alg', -257)
    const attestationObject = cbor(attestation).toString('base64url')
    expect(await verifyRegistration({ ...whole, attestationObject })).toMatchObject({
      failure: 'attestation',
    })
  })

  test('is rejected if it is an assertion, or has another origin, an embedding page or another RP id', async () => {
    const clientData = buildClientData('webauthn.get')
    expect(await verifyRegistration(register({ clientData }))).toMatchObject({ failure: 'type' })
    expect(await verifyRegistration({ ...register(), origins: [] })).toMatchObject({ failure: 'origin' })
    const framed = buildClientData('webauthn.create', { crossOrigin: true })
    expect(await verifyRegistration(register({ clientData: framed }))).toMatchObject({
      failure: 'crossOrigin',
    })
    expect(await verifyRegistration({ ...register(), rpId: 'x' })).toMatchObject({ failure: 'rpId' })
  })

  const jwk = publicKey.export({ format: 'jwk' })
  const rsa = (n: Buffer, e: Buffer) =>
    cbor(
      new Map<number, unknown>([
        [1, 3],
        [3, -257],
        [-1, new Uint8Array(n)],
        [-2, new Uint8Array(e)],
      ]),
    )
  test.each([
    ['an algorithm that is not offered (ES256K)', encodeCoseKey(publicKey, [[3, -47]])],
    ['RS1', encodeCoseKey(publicKey, [[3, -65535]])],
    ['ES256 on another curve', encodeCoseKey(publicKey, [[-1, 2]])],
    ['ES256 with a key of RSA', encodeCoseKey(publicKey, [[1, 3]])],
    ['a point that is not on the curve', encodeCoseKey(publicKey, [[-3, part(jwk.x)]])],
    ['a coordinate of 31 bytes', encodeCoseKey(publicKey, [[-2, part(jwk.x).subarray(1)]])],
    ['a coordinate that is text', encodeCoseKey(publicKey, [[-2, jwk.x]])],
    ['RSA of 1024 bits', rsa(Buffer.alloc(128, 0xff), Buffer.from([1, 0, 1]))],
    ['an even RSA modulus', rsa(Buffer.alloc(256, 0xfe), Buffer.from([1, 0, 1]))],
    ['RSA exponent 1', rsa(Buffer.alloc(256, 0xff), Buffer.from([1]))],
  ])('is rejected because of its key: %s', async (_description, cose) => {
    expect(parseCoseKey(cose)).toBeUndefined()
    expect(await verifyRegistration(register({ cose }))).toMatchObject({ failure: 'publicKey' })
  })

  test('is rejected for an unknown format, SafetyNet, or a statement in the format none', async () => {
    const none = new Map<string, unknown>()
    expect(await verifyRegistration(register({ format: 'none', statement: none }))).toHaveProperty('aaguid')
    const some = new Map<string, unknown>([['alg', -7]])
    for (const [format, statement] of [
      ['none', some],
      ['compound', none],
      ['android-safetynet', none],
      ['', none],
    ] as const)
      expect(await verifyRegistration(register({ format, statement }))).toMatchObject({
        failure: 'attestation',
      })
  })

  test('never makes the server call a URL in an android-key certificate chain', async () => {
    const fetch = vi.fn(() => Promise.reject(new Error('no network')))
    vi.stubGlobal('fetch', fetch)
    const root = SettingsService.getRootCertificates({ identifier: 'android-key' })[0]!
    const rootBytes = new Uint8Array(Buffer.from(root.replace(/-----[A-Z ]+-----/g, ''), 'base64'))
    const named = new Uint8Array(Buffer.from('30820603551d1f0604', 'hex'))
    const sig = new Uint8Array(64)
    for (const x5c of [[named], [named, rootBytes], [rootBytes, named], []]) {
      const statement = new Map<string, unknown>([
        ['alg', -7],
        ['sig', sig],
        ['x5c', x5c],
      ])
      const result = await verifyRegistration(register({ format: 'android-key', statement }))
      expect(result).toMatchObject({ failure: 'attestation' })
    }
    expect(fetch).not.toHaveBeenCalled()
  })

  test('never throws', { tags: 'long' }, async () => {
    const members = ['credentialId', 'clientDataJson', 'attestationObject', 'challenge'] as const
    const base64 = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes).toString('base64url'))
    // CBOR of every shape in place of the attestation object and its fields.
    const leaf = fc.oneof(fc.uint8Array(), fc.integer(), fc.boolean(), fc.constant(null), fc.string())
    const value = fc.oneof(leaf, fc.array(leaf), fc.constant(new Map()))
    const shaped = fc
      .tuple(
        fc.oneof(value, fc.constantFrom('packed', 'tpm', 'apple', 'fido-u2f', 'android-key')),
        value,
        value,
        value,
      )
      .map(([fmt, authData, x5c, sig]) => {
        const attStmt = new Map<string, unknown>([
          ['x5c', x5c],
          ['sig', sig],
          ['alg', -7],
          ['ver', '2.0'],
        ])
        return cbor(
          new Map<string, unknown>([
            ['fmt', fmt],
            ['authData', authData],
            ['attStmt', attStmt],
          ]),
        ).toString('base64url')
      })
    const hostile = fc.oneof(fc.string({ unit: 'binary' }), base64, shaped)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...members), hostile, async (member, text) => {
        return 'failure' in (await verifyRegistration({ ...register(), [member]: text }))
      }),
      { numRuns: 500 },
    )
    // The rest of the response is valid here, so that the statement is reached.
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom('packed', 'tpm', 'apple', 'fido-u2f', 'android-key'),
        value,
        value,
        async (format, x5c, sig) => {
          const statement = new Map<string, unknown>([
            ['x5c', x5c],
            ['sig', sig],
            ['alg', -7],
            ['ver', '2.0'],
            ['pubArea', sig],
            ['certInfo', sig],
          ])
          return 'failure' in (await verifyRegistration(register({ format, statement })))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('is rejected if its CBOR is nested deeply', async () => {
    const attestationObject = Buffer.alloc(32 * 1024, 0x81).toString('base64url')
    expect(await verifyRegistration({ ...register(), attestationObject })).toMatchObject({
      failure: 'malformed',
    })
  })
})
