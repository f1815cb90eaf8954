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

const selectKeys = ({ public: published, private: own }: Group): JWK[] => {
  const key = published ?? own
  return key.keys ?? [key]
}
const isSymmetric = (group: Group) => selectKeys(group).some(({ kty }) => kty === 'oct')
const verify = async (token: string, keys: JWK[]) =>
  'verified' in (await verifyIdTokenSignature(token, readKeySet({ keys })!))

describe.skipIf(vectorsAbsent)('the 401 JWS cases of Wycheproof', () => {
  const cases = vectorsAbsent ? [] : wycheproofCases<Group, Case>('wycheproof/json_web_signature_test.json')

  test('signatures with public keys are accepted or rejected as labeled', async () => {
    const counts = { accepted: 0, refused: 0, mislabelled: 0 }
    expect(cases).toHaveLength(401)
    for (const { group, case: vector } of cases.filter(({ group }) => !isSymmetric(group))) {
      const accepted = await verify(vector.jws, selectKeys(group))
      if (MISLABELLED.includes(vector.tcId)) {
        counts.mislabelled += 1
        expect(accepted, `tc ${vector.tcId}`).toBe(false)
        continue
      }
      counts[accepted ? 'accepted' : 'refused'] += 1
      expect(accepted, `tc ${vector.tcId} ${vector.comment}`).toBe(vector.result === 'valid')
    }
    expect(counts).toEqual({ accepted: 32, refused: 325, mislabelled: 4 })
  })

  test('HMAC is always rejected, and the format check combined with an HMAC verifier matches the labels', async () => {
    const counts = { accepted: 0, refused: 0, mislabelled: 0 }
    for (const { group, case: vector } of cases.filter(({ group }) => isSymmetric(group))) {
      expect(await verify(vector.jws, selectKeys(group)), `tc ${vector.tcId}`).toBe(false)
      if (MISLABELLED.includes(vector.tcId)) {
        counts.mislabelled += 1
        continue
      }
      const parts = splitToken(vector.jws)
      const canonical = parts && Object.values(parts).every((part) => !part || bytesFromBase64url(part))
      const accepted = canonical === true && (await hmacAccepts(vector.jws, selectKeys(group)[0]!))
      counts[accepted ? 'accepted' : 'refused'] += 1
      expect(accepted, `tc ${vector.tcId} ${vector.comment}`).toBe(vector.result === 'valid')
    }
    expect(counts).toEqual({ accepted: 8, refused: 28, mislabelled: 4 })
  })

  test('HMAC with a public key as its secret is rejected', async () => {
    const group = cases.find(({ case: vector }) =>
      vector.comment.includes('aesKeyFromEcVerificationKeyBytes'),
    )!
    expect(await verify(group.case.jws, selectKeys(group.group))).toBe(false)
  })
})

describe.skipIf(vectorsAbsent)('the 26 JWK cases of Wycheproof', () => {
  test('are accepted or rejected as labeled, except that HMAC is always rejected', async () => {
    const cases = wycheproofCases<Group, Case>('wycheproof/json_web_key_test.json')
    expect(cases).toHaveLength(26)
    let accepted = 0
    for (const { group, case: vector } of cases) {
      const result = await verify(vector.jws, selectKeys(group))
      expect(result, `tc ${vector.tcId} ${vector.comment}`).toBe(
        vector.result === 'valid' && !isSymmetric(group),
      )
      if (result) accepted += 1
    }
    expect(accepted).toBe(1)
  })

  test('have their weak keys rejected before a signature is checked', () => {
    const weak = wycheproofCases<Group, Case>('wycheproof/json_web_key_test.json').filter(
      ({ case: vector }) =>
        ['rejectsKeyWithRocaVulnerability', 'rejects1024bitRsaKey', 'rejectsPublicExponent1'].includes(
          vector.comment,
        ),
    )
    expect(weak).toHaveLength(3)
    for (const { group } of weak) expect(readKeySet({ keys: selectKeys(group) })).toEqual([])
  })
})

describe.skipIf(vectorsAbsent)('the examples of RFC 7520 section 4', () => {
  const read = (name: string) => readVectors<CookbookFile>(`jose/jws/${name}.json`)

  test.each([
    ['4_1.rsa_v15_signature', true],
    ['4_2.rsa-pss_signature', true],
    ['4_3.ecdsa_signature', true],
    ['4_4.hmac-sha2_integrity_protection', false],
  ])('accept %s: %s', async (name, accepted) => {
    const { input, output } = read(name)
    const { kty, kid, use, alg, n, e, crv, x, y, k } = input.key as JWK
    const key = JSON.parse(JSON.stringify({ kty, kid, use, alg, n, e, crv, x, y, k })) as JWK
    expect(await verify(output.compact!, [key])).toBe(accepted)
    const other = output.compact!.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
    expect(await verify(other, [key])).toBe(false)
  })

  test('with detached content or in JSON form are not accepted as tokens', async () => {
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
