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

/**
 * Returns the COSE key of a credential, which is the last part of an attestation object without extensions.
 */
function readPublicKey(attestationObject: string, credentialId: string): Uint8Array {
  const bytes = hex(attestationObject)
  const id = hex(credentialId)
  return bytes.subarray(bytes.lastIndexOf(id) + id.length)
}

describe.skipIf(vectorsAbsent)('the vectors of WebAuthn Level 3 section 16', () => {
  const file = vectorsAbsent ? undefined : readVectors<W3cFile>('webauthn/w3c_level3_vectors.json')
  const appleRoots = SettingsService.getRootCertificates({ identifier: 'apple' })
  beforeAll(() => {
    const root = convertCertBufferToPEM(new Uint8Array(hex(file!.attestation_ca.attestation_ca_cert)))
    SettingsService.setRootCertificates({ identifier: 'apple', certificates: [root] })
  })
  afterAll(() => SettingsService.setRootCertificates({ identifier: 'apple', certificates: appleRoots }))

  /**
   * Rejected by policy, or because the library also requires an existing TPM manufacturer, a chain up to
   * Google's root in x5c, or a zero AAGUID from a U2F key.
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

  test('give the expected result for all 15 registrations', async () => {
    expect(file!.cases).toHaveLength(15)
    for (const testCase of file!.cases) {
      const result = await register(testCase)
      if (refused[testCase.id] === undefined) {
        expect(result, testCase.id).toMatchObject({
          credentialId: url(testCase.registration.credential_id),
          publicKey: expect.any(Uint8Array),
          counter: 0,
          transports: ['internal'],
          attestationFormat: testCase.id.split('-')[0],
        })
      } else expect(result, testCase.id).toMatchObject({ failure: refused[testCase.id] })
    }
  })

  test('are rejected if an Apple attestation has another root', async () => {
    SettingsService.setRootCertificates({ identifier: 'apple', certificates: appleRoots })
    const testCase = file!.cases.find(({ id }) => id === 'apple-es256')!
    expect(await register(testCase)).toMatchObject({ failure: 'attestation' })
  })

  const input = ({ registration, authentication }: W3cCase): AssertionInput => {
    const publicKey = readPublicKey(registration.attestationObject, registration.credential_id)
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
  test('verify in all 15 assertions', () => {
    for (const testCase of file!.cases) {
      const result = verifyAssertion(input(testCase))
      if (refused[testCase.id] === 'crossOrigin')
        expect(result, testCase.id).toEqual({ failure: 'crossOrigin', reason: PASSKEY_REASONS.crossOrigin })
      else expect(result, testCase.id).toMatchObject({ newCounter: 0, userVerified: expect.any(Boolean) })
    }
  })

  test('do not verify after any bit of an assertion was flipped', { tags: 'long' }, () => {
    const members = ['authenticatorData', 'clientDataJson', 'signature'] as const
    let flips = 0
    for (const id of ['none-es256', 'packed-eddsa', 'packed-rs256', 'packed-es512']) {
      const whole = input(file!.cases.find((testCase) => testCase.id === id)!)
      for (const member of members) {
        const bytes = Buffer.from(whole.assertion[member], 'base64url')
        // Every bit for ES256, and every seventh for the slower algorithms.
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

  test('do not verify after any bit of a self attestation was flipped', async () => {
    const testCase = file!.cases.find(({ id }) => id === 'packed-self-es256')!
    const bytes = hex(testCase.registration.attestationObject)
    // Skips the length of the last property, because the library truncates a longer one to the available
    // bytes.
    const lastLength = bytes.indexOf(createHash('sha256').update(file!.rpId).digest()) - 1
    for (let bit = 0; bit < bytes.length * 8; bit += 1) {
      if (bit >> 3 === lastLength) continue
      const flipped = Buffer.from(bytes)
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const registration = { ...testCase.registration, attestationObject: flipped.toString('hex') }
      expect(await register({ ...testCase, registration }), `bit ${bit}`).toHaveProperty('failure')
    }
  })
})

describe.skipIf(vectorsAbsent)('assertions that break exactly one rule', () => {
  const file = vectorsAbsent ? undefined : readVectors<DerivedFile>('webauthn/derived_signed_assertions.json')
  const input = (testCase: DerivedFile['cases'][number]): AssertionInput => ({
    ...party(file!),
    assertion: {
      credentialId: url(file!.credentialId),
      clientDataJson: url(testCase.clientDataJSON),
      authenticatorData: url(testCase.authenticatorData),
      signature: url(testCase.signature),
    },
    stored: {
      credentialId: url(file!.credentialId),
      publicKey: readPublicKey(file!.registrationAttestationObject, file!.credentialId),
      counter: testCase.storedCounter,
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

  test('are rejected for that reason in all 36 cases', () => {
    const seen: Record<string, number> = {}
    for (const testCase of file!.cases) {
      seen[testCase.expect] = (seen[testCase.expect] ?? 0) + 1
      const result = verifyAssertion(input(testCase))
      if (testCase.expect === 'accept' || testCase.expect === 'reject-if-uv-required') {
        expect(result, testCase.name).toHaveProperty('newCounter')
      } else {
        const failure = testCase.name.startsWith('origin ') ? 'origin' : failures[testCase.name]
        expect(failure, testCase.name).toBeDefined()
        expect(result, testCase.name).toMatchObject({ failure })
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

  test('are rejected without user verification only if it is required', () => {
    const testCase = file!.cases.find(({ expect }) => expect === 'reject-if-uv-required')!
    expect(verifyAssertion(input(testCase))).toMatchObject({ userVerified: false })
    expect(verifyAssertion({ ...input(testCase), requireUserVerification: true })).toMatchObject({
      failure: 'userVerification',
    })
    const verified = verifyAssertion({ ...input(file!.cases[0]!), requireUserVerification: true })
    expect(verified).toEqual({ newCounter: 0, userVerified: true, backedUp: false })
  })

  test('fail the signature check before the counter check', () => {
    const testCase = file!.cases.find(({ name }) => name === 'counter equal to stored')!
    const whole = input(testCase)
    const assertion = { ...whole.assertion, signature: url(file!.cases[0]!.signature) }
    expect(verifyAssertion({ ...whole, assertion })).toMatchObject({ failure: 'signature' })
  })

  test('are also rejected by the library, except for documented cases and our own policy', async () => {
    const acceptedByLibrary: string[] = []
    for (const testCase of file!.cases) {
      const { assertion, stored } = input(testCase)
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
      if ('newCounter' in verifyAssertion(input(testCase))) expect(byLibrary, testCase.name).toBe(true)
      else if (byLibrary) acceptedByLibrary.push(testCase.name)
    }
    expect(acceptedByLibrary).toEqual([
      'crossOrigin true',
      'duplicate "challenge" keys (last one right)',
      'clientDataJSON with UTF-8 BOM',
      'DER signature + trailing byte',
    ])
  })
})

describe.skipIf(vectorsAbsent)('responses of real authenticators', () => {
  const file = vectorsAbsent ? undefined : readVectors<Fixtures>('webauthn/simplewebauthn_fixtures.json')

  test('verify in both assertions', () => {
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

  test('verify in registrations unless the credential id differs from the authenticator data', async () => {
    expect(file!.registrations).toHaveLength(4)
    for (const testCase of file!.registrations) {
      const result = await register(testCase, testCase.response.id)
      if (['Packed', 'PackedX5C'].includes(testCase.name)) {
        expect(result, testCase.name).toHaveProperty('failure')
        expect(await register(testCase, 'bbbb'), testCase.name).toMatchObject({ failure: 'credentialId' })
      } else expect(result, testCase.name).toMatchObject({ credentialId: testCase.response.id })
    }
  })

  test('verify in the other registrations with the credential id from the authenticator data', async () => {
    for (const name of ['Packed', 'PackedX5C']) {
      const testCase = file!.registrations.find((each) => each.name === name)!
      const bytes = Buffer.from(testCase.response.response.attestationObject, 'base64url')
      const start = bytes.indexOf(createHash('sha256').update(file!.rpId).digest()) + 55
      const credentialId = bytes.subarray(start, start + bytes.readUInt16BE(start - 2)).toString('base64url')
      expect(await register(testCase, credentialId), name).toMatchObject({ credentialId })
    }
  })

  test('verify with the challenge in base64url and as a string, and not with any other', async () => {
    const testCase = file!.registrations.find(({ name }) => name === 'None')!
    const text = Buffer.from(testCase.challenge, 'base64url').toString('utf8')
    for (const challenge of [testCase.challenge, text])
      expect(await register({ ...testCase, challenge }, testCase.response.id)).toHaveProperty('publicKey')
    for (const challenge of ['', `${testCase.challenge}=`, `${text} `, text.slice(0, -1), text.toUpperCase()])
      expect(await register({ ...testCase, challenge }, testCase.response.id)).toMatchObject({
        failure: 'challenge',
      })
  })
})
