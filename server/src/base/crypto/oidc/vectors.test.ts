import { compactVerify, type JWK } from 'jose'
import { describe, expect, test } from 'vitest'
import { bytesFromBase64url } from '../encodings.ts'
import { readVectors, vectorsAbsent, type WycheproofCase, wycheproofCases } from '../vectors.testing.ts'
import { readKeySet } from './jwks.ts'
import { splitToken, verifyIdTokenSignature } from './oidc.ts'

type PublishedKey = JWK & { keys?: JWK[] }

interface Group {
  comment: string
  private: PublishedKey
  public?: PublishedKey
}

interface Case extends WycheproofCase {
  comment: string
  jws: string
}

interface CookbookFile {
  input: { key: JWK | JWK[]; alg: string | string[] }
  output: { compact?: string; json?: unknown }
}

/** Labels that a strict verifier disagrees with (see the README of the vectors). */
const MISLABELLED = [346, 347, 350, 351, 367, 370, 372, 373]

const keysOf = ({ public: published, private: own }: Group): JWK[] => {
  const key = published ?? own
  return key.keys ?? [key]
}
const isSymmetric = (group: Group) => keysOf(group).some(({ kty }) => kty === 'oct')
const verify = async (token: string, keys: JWK[]) =>
  'verified' in (await verifyIdTokenSignature(token, readKeySet({ keys })!))

describe.skipIf(vectorsAbsent)('Wycheproof JWS, 401 cases', () => {
  const cases = vectorsAbsent ? [] : wycheproofCases<Group, Case>('wycheproof/json_web_signature_test.json')

  test('public keys: as labelled', async () => {
    const seen = { accepted: 0, refused: 0, mislabelled: 0 }
    expect(cases).toHaveLength(401)
    for (const { group, case: one } of cases.filter(({ group }) => !isSymmetric(group))) {
      const accepted = await verify(one.jws, keysOf(group))
      if (MISLABELLED.includes(one.tcId)) {
        seen.mislabelled += 1
        expect(accepted, `tc ${one.tcId}`).toBe(false)
        continue
      }
      seen[accepted ? 'accepted' : 'refused'] += 1
      expect(accepted, `tc ${one.tcId} ${one.comment}`).toBe(one.result === 'valid')
    }
    expect(seen).toEqual({ accepted: 32, refused: 325, mislabelled: 4 })
  })

  test('HMAC: always refused; the shape check with a verifier of HMAC gives the labels', async () => {
    const seen = { accepted: 0, refused: 0, mislabelled: 0 }
    for (const { group, case: one } of cases.filter(({ group }) => isSymmetric(group))) {
      expect(await verify(one.jws, keysOf(group)), `tc ${one.tcId}`).toBe(false)
      if (MISLABELLED.includes(one.tcId)) {
        seen.mislabelled += 1
        continue
      }
      const parts = splitToken(one.jws)
      const canonical = parts && Object.values(parts).every((part) => !part || bytesFromBase64url(part))
      const accepted = canonical === true && (await hmacAccepts(one.jws, keysOf(group)[0]!))
      seen[accepted ? 'accepted' : 'refused'] += 1
      expect(accepted, `tc ${one.tcId} ${one.comment}`).toBe(one.result === 'valid')
    }
    expect(seen).toEqual({ accepted: 8, refused: 28, mislabelled: 4 })
  })

  test('HMAC with a public key as its secret', async () => {
    const group = cases.find(({ case: one }) => one.comment.includes('aesKeyFromEcVerificationKeyBytes'))!
    expect(await verify(group.case.jws, keysOf(group.group))).toBe(false)
  })
})

describe.skipIf(vectorsAbsent)('Wycheproof JWK, 26 cases', () => {
  test('as labelled, except that HMAC is always refused', async () => {
    const cases = wycheproofCases<Group, Case>('wycheproof/json_web_key_test.json')
    expect(cases).toHaveLength(26)
    let accepted = 0
    for (const { group, case: one } of cases) {
      const result = await verify(one.jws, keysOf(group))
      expect(result, `tc ${one.tcId} ${one.comment}`).toBe(one.result === 'valid' && !isSymmetric(group))
      if (result) accepted += 1
    }
    expect(accepted).toBe(1)
  })

  test('weak keys are refused before a signature is checked', () => {
    const weak = wycheproofCases<Group, Case>('wycheproof/json_web_key_test.json').filter(({ case: one }) =>
      ['rejectsKeyWithRocaVulnerability', 'rejects1024bitRsaKey', 'rejectsPublicExponent1'].includes(
        one.comment,
      ),
    )
    expect(weak).toHaveLength(3)
    for (const { group } of weak) expect(readKeySet({ keys: keysOf(group) })).toEqual([])
  })
})

describe.skipIf(vectorsAbsent)('RFC 7520 section 4', () => {
  const read = (name: string) => readVectors<CookbookFile>(`jose/jws/${name}.json`)

  test.each([
    ['4_1.rsa_v15_signature', true],
    ['4_2.rsa-pss_signature', true],
    ['4_3.ecdsa_signature', true],
    ['4_4.hmac-sha2_integrity_protection', false],
  ])('%s: %s', async (name, accepted) => {
    const { input, output } = read(name)
    const { kty, kid, use, alg, n, e, crv, x, y, k } = input.key as JWK
    const key = JSON.parse(JSON.stringify({ kty, kid, use, alg, n, e, crv, x, y, k })) as JWK
    expect(await verify(output.compact!, [key])).toBe(accepted)
    const other = output.compact!.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
    expect(await verify(other, [key])).toBe(false)
  })

  test('detached content and the JSON forms are not tokens', async () => {
    for (const name of [
      '4_5.signature_with_detached_content',
      '4_6.protecting_specific_header_fields',
      '4_7.protecting_content_only',
      '4_8.multiple_signatures',
    ]) {
      const { input, output } = read(name)
      const token = output.compact ?? JSON.stringify(output.json)
      expect(await verify(token, [input.key].flat()), name).toBe(false)
    }
  })
})

async function hmacAccepts(token: string, key: JWK): Promise<boolean> {
  try {
    await compactVerify(token, key)
    return true
  } catch {
    return false
  }
}
