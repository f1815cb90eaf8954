import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signEnvelope, verifyEnvelope } from './envelope.ts'
import { generateKeyPair, parsePublicKey, signMessage, verifySignature } from './p256.ts'

const quorumKey = generateKeyPair()
const pinned = quorumKey.publicKey.uncompressedHex
const data = { targetPublic: '04ab', organizationId: 'org-1', userId: 'üser' }

function members(text: string): Record<string, string> {
  return JSON.parse(text) as Record<string, string>
}

/** An envelope over arbitrary bytes, correctly signed. */
function makeEnvelope(bytes: Uint8Array, key = quorumKey): string {
  return JSON.stringify({
    version: 'v1.0.0',
    data: Buffer.from(bytes).toString('hex'),
    dataSignature: Buffer.from(signMessage(key, bytes)).toString('hex'),
    enclaveQuorumPublic: key.publicKey.uncompressedHex,
  })
}

describe('a signed envelope', () => {
  test('has exactly the properties of formats 3', () => {
    const envelope = members(signEnvelope(data, quorumKey))
    expect(Object.keys(envelope)).toEqual(['version', 'data', 'dataSignature', 'enclaveQuorumPublic'])
    expect(envelope.version).toBe('v1.0.0')
    expect(envelope.enclaveQuorumPublic).toBe(pinned)
    const bytes = Buffer.from(envelope.data!, 'hex')
    expect(JSON.parse(bytes.toString('utf8'))).toEqual(data)
    expect(envelope.dataSignature).toMatch(/^30[0-9a-f]+$/)
    const signature = Buffer.from(envelope.dataSignature!, 'hex')
    expect(verifySignature(parsePublicKey(pinned)!, bytes, signature)).toBe(true)
  })

  test('verifies with the pinned key in compressed and uncompressed form', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string()), (object) => {
        const copy = JSON.parse(JSON.stringify(object)) as Record<string, string>
        const text = signEnvelope(copy, quorumKey)
        expect(verifyEnvelope(text, pinned)).toEqual({ data: copy })
        expect(verifyEnvelope(text, quorumKey.publicKey.compressedHex)).toEqual({ data: copy })
      }),
      { numRuns: 30 },
    )
  })

  test('is rejected if it has another key, even with a valid signature', () => {
    const other = generateKeyPair()
    const text = signEnvelope(data, other)
    expect(verifyEnvelope(text, other.publicKey.uncompressedHex)).toEqual({ data })
    expect(verifyEnvelope(text, pinned)).toEqual({ failure: 'WRONG_QUORUM_KEY' })
    const renamed = JSON.stringify({ ...members(text), enclaveQuorumPublic: pinned })
    expect(verifyEnvelope(renamed, pinned)).toEqual({ failure: 'BAD_SIGNATURE' })
  })

  const good = members(signEnvelope(data, quorumKey))
  test.each([
    ['not JSON', 'x', 'MALFORMED'],
    ['empty', '', 'MALFORMED'],
    ['longer than 64 KiB', JSON.stringify(good).padEnd(65_537), 'MALFORMED'],
    ['an array', '[]', 'MALFORMED'],
    ['a member more', JSON.stringify({ ...good, more: '' }), 'MALFORMED'],
    ['a member twice', JSON.stringify(good).replace('{', '{"data":"00",'), 'MALFORMED'],
    ['data not hex', JSON.stringify({ ...good, data: `${good.data}xx` }), 'MALFORMED'],
    ['signature odd', JSON.stringify({ ...good, dataSignature: `${good.dataSignature}0` }), 'MALFORMED'],
    ['key upper case', JSON.stringify({ ...good, enclaveQuorumPublic: pinned.toUpperCase() }), 'MALFORMED'],
    [
      'key compressed',
      JSON.stringify({ ...good, enclaveQuorumPublic: quorumKey.publicKey.compressedHex }),
      'MALFORMED',
    ],
    ['another version', JSON.stringify({ ...good, version: 'v2.0.0' }), 'UNKNOWN_VERSION'],
    ['data changed', JSON.stringify({ ...good, data: `${good.data}20` }), 'BAD_SIGNATURE'],
    [
      'signature longer',
      JSON.stringify({ ...good, dataSignature: `${good.dataSignature}00` }),
      'BAD_SIGNATURE',
    ],
    ['signed, but no object', makeEnvelope(Buffer.from('[]')), 'MALFORMED'],
    ['signed, but not JSON', makeEnvelope(Buffer.from('data')), 'MALFORMED'],
    ['signed, but not UTF-8', makeEnvelope(Buffer.of(0x22, 0xff, 0x22)), 'MALFORMED'],
  ])('is rejected: %s', (_change, text, failure) => {
    expect(verifyEnvelope(text, pinned)).toEqual({ failure })
  })

  test('cannot be verified with an invalid pinned key, which throws', () => {
    expect(() => verifyEnvelope(JSON.stringify(good), 'none')).toThrow(TypeError)
  })

  test('is not found in arbitrary text or JSON, and nothing is thrown', () => {
    const hostile = fc.oneof(
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
      fc.json(),
    )
    fc.assert(fc.property(hostile, (text) => 'failure' in verifyEnvelope(text, pinned)))
  })
})
