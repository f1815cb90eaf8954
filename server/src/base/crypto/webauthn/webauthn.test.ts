import { createHash } from 'node:crypto'
import { SettingsService, verifyAuthenticationResponse } from '@simplewebauthn/server'
import { convertCertBufferToPEM } from '@simplewebauthn/server/helpers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hex, readVectors, vectorsAbsent } from '../vectors.testing.ts'
import { PASSKEY_REASONS } from './client-data.ts'
import { type AssertionInput, verifyAssertion, verifyRegistration } from './webauthn.ts'

interface W3cCase {
  id: string
  registration: {
    challenge: string
    credential_id: string
    clientDataJSON: string
    attestationObject: string
  }
  authentication: {
    challenge: string
    authenticatorData: string
    clientDataJSON: string
    signature: string
  }
}

interface W3cFile {
  rpId: string
  origin: string
  attestation_ca: { attestation_ca_cert: string }
  cases: W3cCase[]
}

interface DerivedFile {
  rpId: string
  origin: string
  challenge: string
  credentialId: string
  registrationAttestationObject: string
  cases: {
    name: string
    expect: 'accept' | 'reject' | 'reject-if-uv-required' | 'reject-unless-allowed' | 'policy'
    storedCounter: number
    clientDataJSON: string
    authenticatorData: string
    signature: string
  }[]
}

interface Fixtures {
  rpId: string
  origin: string
  assertions: {
    name: string
    response: {
      id: string
      response: { authenticatorData: string; clientDataJSON: string; signature: string }
    }
    challenge: string
    credential: { publicKey: string; id: string; counter: number }
    expectNewCounter: number
  }[]
  registrations: {
    name: string
    response: {
      id: string
      response: { attestationObject: string; clientDataJSON: string; transports: string[] }
    }
    challenge: string
  }[]
}

const url = (hexText: string) => hex(hexText).toString('base64url')
const party = (file: { rpId: string; origin: string }) => ({
  rpId: file.rpId,
  origins: [file.origin],
  requireUserVerification: false,
})

/** COSE bytes of a credential in an attestation object without extensions: they are the last part of the data. */
function publicKeyIn(attestationObject: string, credentialId: string): Uint8Array {
  const bytes = hex(attestationObject)
  const id = hex(credentialId)
  return bytes.subarray(bytes.lastIndexOf(id) + id.length)
}

describe.skipIf(vectorsAbsent)('WebAuthn Level 3 section 16', () => {
  const file = vectorsAbsent ? undefined : readVectors<W3cFile>('webauthn/w3c_level3_vectors.json')
  const appleRoots = SettingsService.getRootCertificates({ identifier: 'apple' })
  beforeAll(() => {
    const root = convertCertBufferToPEM(new Uint8Array(hex(file!.attestation_ca.attestation_ca_cert)))
    SettingsService.setRootCertificates({ identifier: 'apple', certificates: [root] })
  })
  afterAll(() => SettingsService.setRootCertificates({ identifier: 'apple', certificates: appleRoots }))

  /**
   * Refused by policy, or because the library requires more than the vector has: a TPM manufacturer that
   * exists, a chain up to Google's root in x5c, an AAGUID of zero from a U2F key.
   */
  const refused: Record<string, string> = {
    'none-es256-crossOrigin': 'crossOrigin',
    'none-es256-topOrigin': 'crossOrigin',
    'tpm-es256': 'attestation',
    'android-key-es256': 'attestation',
    'fido-u2f-es256': 'attestation',
  }
  const register = ({ registration }: W3cCase) =>
    verifyRegistration({
      ...party(file!),
      credentialId: url(registration.credential_id),
      clientDataJson: url(registration.clientDataJSON),
      attestationObject: url(registration.attestationObject),
      transports: ['internal'],
      challenge: url(registration.challenge),
    })

  test('15 registrations', async () => {
    expect(file!.cases).toHaveLength(15)
    for (const one of file!.cases) {
      const result = await register(one)
      if (refused[one.id] === undefined) {
        expect(result, one.id).toMatchObject({
          credentialId: url(one.registration.credential_id),
          publicKey: expect.any(Uint8Array),
          counter: 0,
          transports: ['internal'],
          attestationFormat: one.id.split('-')[0],
        })
      } else expect(result, one.id).toMatchObject({ failure: refused[one.id] })
    }
  })

  test('Apple attestation of another root is refused', async () => {
    SettingsService.setRootCertificates({ identifier: 'apple', certificates: appleRoots })
    const one = file!.cases.find(({ id }) => id === 'apple-es256')!
    expect(await register(one)).toMatchObject({ failure: 'attestation' })
  })

  const input = ({ registration, authentication }: W3cCase): AssertionInput => {
    const publicKey = publicKeyIn(registration.attestationObject, registration.credential_id)
    return {
      ...party(file!),
      assertion: {
        credentialId: url(registration.credential_id),
        clientDataJson: url(authentication.clientDataJSON),
        authenticatorData: url(authentication.authenticatorData),
        signature: url(authentication.signature),
      },
      stored: { credentialId: url(registration.credential_id), publicKey, counter: 0 },
      challenge: hex(authentication.challenge),
    }
  }
  test('15 assertions', () => {
    for (const one of file!.cases) {
      const result = verifyAssertion(input(one))
      if (refused[one.id] === 'crossOrigin')
        expect(result, one.id).toEqual({ failure: 'crossOrigin', reason: PASSKEY_REASONS.crossOrigin })
      else expect(result, one.id).toMatchObject({ newCounter: 0, userVerified: expect.any(Boolean) })
    }
  })

  test('every bit of authenticatorData, clientDataJSON and signature counts', { tags: 'long' }, () => {
    const members = ['authenticatorData', 'clientDataJson', 'signature'] as const
    let flips = 0
    for (const id of ['none-es256', 'packed-eddsa', 'packed-rs256', 'packed-es512']) {
      const whole = input(file!.cases.find((one) => one.id === id)!)
      for (const member of members) {
        const bytes = Buffer.from(whole.assertion[member], 'base64url')
        // All of ES256; of the slower ones every seventh.
        for (let bit = 0; bit < bytes.length * 8; bit += id === 'none-es256' ? 1 : 7) {
          const flipped = Buffer.from(bytes)
          flipped[bit >> 3]! ^= 1 << (bit & 7)
          const assertion = { ...whole.assertion, [member]: flipped.toString('base64url') }
          expect(verifyAssertion({ ...whole, assertion }), `${id} ${member} ${bit}`).toHaveProperty('failure')
          flips += 1
        }
      }
    }
    expect(flips).toBeGreaterThan(3000)
  })

  test('every bit of a self attestation counts', async () => {
    const one = file!.cases.find(({ id }) => id === 'packed-self-es256')!
    const bytes = hex(one.registration.attestationObject)
    // Skips the length of the last member: the library truncates a longer one to the available bytes.
    const lastLength = bytes.indexOf(createHash('sha256').update(file!.rpId).digest()) - 1
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      if (bit >> 3 === lastLength) continue
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const registration = { ...one.registration, attestationObject: flipped.toString('hex') }
      expect(await register({ ...one, registration }), `bit ${bit}`).toHaveProperty('failure')
    }
  })
})

describe.skipIf(vectorsAbsent)('assertions with exactly one rule broken', () => {
  const file = vectorsAbsent ? undefined : readVectors<DerivedFile>('webauthn/derived_signed_assertions.json')
  const input = (one: DerivedFile['cases'][number]): AssertionInput => ({
    ...party(file!),
    assertion: {
      credentialId: url(file!.credentialId),
      clientDataJson: url(one.clientDataJSON),
      authenticatorData: url(one.authenticatorData),
      signature: url(one.signature),
    },
    stored: {
      credentialId: url(file!.credentialId),
      publicKey: publicKeyIn(file!.registrationAttestationObject, file!.credentialId),
      counter: one.storedCounter,
    },
    challenge: hex(file!.challenge),
  })
  const failures: Record<string, string> = {
    'leftover byte after authenticatorData (FIDO Resp-3 F-1)': 'malformed',
    'UP flag clear': 'userPresence',
    'BS set while BE clear (L3 7.2)': 'malformed',
    'AT flag set without attested data': 'malformed',
    'ED flag set without extensions': 'malformed',
    'rpIdHash of other RP': 'rpId',
    'rpIdHash of sibling subdomain': 'rpId',
    'counter equal to stored': 'counter',
    'counter lower than stored': 'counter',
    'counter 0 after stored 7': 'counter',
    'counter 0xffffffff then wraps to 0': 'counter',
    'type webauthn.create': 'type',
    'type missing': 'type',
    'challenge of another request': 'challenge',
    'challenge padded base64url': 'challenge',
    'challenge as array': 'challenge',
    'crossOrigin true': 'crossOrigin',
    'topOrigin present': 'crossOrigin',
    'duplicate "challenge" keys (last one right)': 'malformed',
    'clientDataJSON with UTF-8 BOM': 'malformed',
    'DER signature + trailing byte': 'signature',
    'signature as raw r||s': 'signature',
    'empty signature': 'malformed',
  }

  test('36 cases, each refused for its own reason', () => {
    const seen: Record<string, number> = {}
    for (const one of file!.cases) {
      seen[one.expect] = (seen[one.expect] ?? 0) + 1
      const result = verifyAssertion(input(one))
      if (one.expect === 'accept' || one.expect === 'reject-if-uv-required') {
        expect(result, one.name).toHaveProperty('newCounter')
      } else {
        const failure = one.name.startsWith('origin ') ? 'origin' : failures[one.name]
        expect(failure, one.name).toBeDefined()
        expect(result, one.name).toMatchObject({ failure })
      }
    }
    expect(seen).toEqual({
      accept: 5,
      reject: 26,
      'reject-if-uv-required': 1,
      'reject-unless-allowed': 2,
      policy: 2,
    })
  })

  test('user verification, where it is required', () => {
    const one = file!.cases.find(({ expect }) => expect === 'reject-if-uv-required')!
    expect(verifyAssertion(input(one))).toMatchObject({ userVerified: false })
    expect(verifyAssertion({ ...input(one), requireUserVerification: true })).toMatchObject({
      failure: 'userVerification',
    })
    const verified = verifyAssertion({ ...input(file!.cases[0]!), requireUserVerification: true })
    expect(verified).toEqual({ newCounter: 0, userVerified: true, backedUp: false })
  })

  test('a counter is only checked after the signature', () => {
    const one = file!.cases.find(({ name }) => name === 'counter equal to stored')!
    const whole = input(one)
    const assertion = { ...whole.assertion, signature: url(file!.cases[0]!.signature) }
    expect(verifyAssertion({ ...whole, assertion })).toMatchObject({ failure: 'signature' })
  })

  test('the library accepts nothing that is refused here, except what its note or our policy names', async () => {
    const taken: string[] = []
    for (const one of file!.cases) {
      const { assertion, stored } = input(one)
      const byLibrary = await verifyAuthenticationResponse({
        response: {
          id: assertion.credentialId,
          rawId: assertion.credentialId,
          type: 'public-key',
          clientExtensionResults: {},
          response: {
            clientDataJSON: assertion.clientDataJson,
            authenticatorData: assertion.authenticatorData,
            signature: assertion.signature,
          },
        },
        expectedChallenge: url(file!.challenge),
        expectedOrigin: file!.origin,
        expectedRPID: file!.rpId,
        requireUserVerification: false,
        credential: {
          id: stored.credentialId,
          publicKey: new Uint8Array(stored.publicKey),
          counter: stored.counter,
        },
      }).then(
        ({ verified }) => verified,
        () => false,
      )
      if ('newCounter' in verifyAssertion(input(one))) expect(byLibrary, one.name).toBe(true)
      else if (byLibrary) taken.push(one.name)
    }
    expect(taken).toEqual([
      'crossOrigin true',
      'duplicate "challenge" keys (last one right)',
      'clientDataJSON with UTF-8 BOM',
      'DER signature + trailing byte',
    ])
  })
})

describe.skipIf(vectorsAbsent)('responses of real authenticators', () => {
  const file = vectorsAbsent ? undefined : readVectors<Fixtures>('webauthn/simplewebauthn_fixtures.json')

  test('2 assertions', () => {
    expect(file!.assertions).toHaveLength(2)
    for (const { name, response, challenge, credential, expectNewCounter } of file!.assertions) {
      const result = verifyAssertion({
        ...party(file!),
        assertion: {
          credentialId: response.id,
          clientDataJson: response.response.clientDataJSON,
          authenticatorData: response.response.authenticatorData,
          signature: response.response.signature,
        },
        stored: {
          credentialId: credential.id,
          publicKey: Buffer.from(credential.publicKey, 'base64url'),
          counter: credential.counter,
        },
        challenge: Buffer.from(challenge, 'base64url'),
      })
      expect(result, name).toMatchObject({ newCounter: expectNewCounter, userVerified: false })
    }
  })

  const register = ({ response, challenge }: Fixtures['registrations'][number], credentialId: string) =>
    verifyRegistration({
      ...party(file!),
      credentialId,
      clientDataJson: response.response.clientDataJSON,
      attestationObject: response.response.attestationObject,
      challenge,
    })

  test('4 registrations: two carry another credential id than the data', async () => {
    expect(file!.registrations).toHaveLength(4)
    for (const one of file!.registrations) {
      const result = await register(one, one.response.id)
      if (['Packed', 'PackedX5C'].includes(one.name)) {
        expect(result, one.name).toHaveProperty('failure')
        expect(await register(one, 'bbbb'), one.name).toMatchObject({ failure: 'credentialId' })
      } else expect(result, one.name).toMatchObject({ credentialId: one.response.id })
    }
  })

  test('those two are valid with the credential id of the data', async () => {
    for (const name of ['Packed', 'PackedX5C']) {
      const one = file!.registrations.find((each) => each.name === name)!
      const bytes = Buffer.from(one.response.response.attestationObject, 'base64url')
      const start = bytes.indexOf(createHash('sha256').update(file!.rpId).digest()) + 55
      const credentialId = bytes.subarray(start, start + bytes.readUInt16BE(start - 2)).toString('base64url')
      expect(await register(one, credentialId), name).toMatchObject({ credentialId })
    }
  })

  test('the challenge as base64url, as the text it stands for, and as neither', async () => {
    const one = file!.registrations.find(({ name }) => name === 'None')!
    const text = Buffer.from(one.challenge, 'base64url').toString('utf8')
    for (const challenge of [one.challenge, text])
      expect(await register({ ...one, challenge }, one.response.id)).toHaveProperty('publicKey')
    for (const challenge of ['', `${one.challenge}=`, `${text} `, text.slice(0, -1), text.toUpperCase()])
      expect(await register({ ...one, challenge }, one.response.id)).toMatchObject({ failure: 'challenge' })
  })
})
