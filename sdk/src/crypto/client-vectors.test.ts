import { readFileSync } from 'node:fs'
import { openOtpBundle } from '@countersign/server/base/crypto/otp/bundle'
import { parseStamp, verifyStamp } from '@countersign/server/base/crypto/stamp'
import { describe, expect, test } from 'vitest'
import { DeviceKey } from '../wallet/device-key.ts'
import { RecipientKey } from '../wallet/recipient-key.ts'

interface KeyPairHex {
  readonly privateKey: string
  readonly publicKey: string
  readonly uncompressedPublicKey: string
}

interface Vectors {
  readonly accountId: string
  readonly quorumPublicKey: string
  readonly key: KeyPairHex
  readonly target: KeyPairHex
  readonly stamps: readonly { readonly payload: string; readonly stamp: string }[]
  readonly signInTokens: readonly {
    readonly comment: string
    readonly token: string
    readonly valid: boolean
  }[]
  readonly targetBundles: readonly {
    readonly comment: string
    readonly bundle: string
    readonly valid: boolean
  }[]
  readonly sessionKeys: readonly {
    readonly comment: string
    readonly sealed: string
    readonly publicKey?: string
  }[]
  readonly walletExports: readonly {
    readonly comment: string
    readonly sealed: string
    readonly phrase?: string
  }[]
}

const vectors: Vectors = JSON.parse(
  readFileSync(new URL('../../../clients/vectors.json', import.meta.url), 'utf8'),
)
const { accountId, quorumPublicKey } = vectors

async function importKeyPair(name: 'ECDSA' | 'ECDH', pair: KeyPairHex): Promise<CryptoKeyPair> {
  const base64url = (hex: string) => Buffer.from(hex, 'hex').toString('base64url')
  const point = pair.uncompressedPublicKey
  const jwk = { kty: 'EC', crv: 'P-256', x: base64url(point.slice(2, 66)), y: base64url(point.slice(66)) }
  const algorithm = { name, namedCurve: 'P-256' }
  const [own, others]: [KeyUsage, KeyUsage[]] = name === 'ECDSA' ? ['sign', ['verify']] : ['deriveBits', []]
  return {
    privateKey: await crypto.subtle.importKey(
      'jwk',
      { ...jwk, d: base64url(pair.privateKey) },
      algorithm,
      false,
      [own],
    ),
    publicKey: await crypto.subtle.importKey('jwk', jwk, algorithm, true, others),
  }
}

describe('the test vectors shared with the clients in other languages', () => {
  test.each(vectors.stamps)('a stamp over $payload can be verified', async ({ payload, stamp }) => {
    const key = await DeviceKey.fromKeyPair(await importKeyPair('ECDSA', vectors.key))
    expect(key.publicKey).toBe(vectors.key.publicKey)
    for (const text of [stamp, await key.sign(payload)]) {
      const parsed = parseStamp(text)
      expect(parsed?.publicKey).toBe(vectors.key.publicKey)
      expect(parsed && verifyStamp(parsed, payload)).toBe(true)
    }
  })

  test.each(vectors.signInTokens)(
    'a device key stamps a sign-in token only if the token is valid: $comment',
    async ({ token, valid }) => {
      const key = await DeviceKey.fromKeyPair(await importKeyPair('ECDSA', vectors.key))
      const stamp = key.approveSignIn(token, { accountId, quorumPublicKey })
      if (valid) expect(parseStamp(await stamp)?.publicKey).toBe(key.publicKey)
      else await expect(stamp).rejects.toThrow()
    },
  )

  test.each(vectors.targetBundles)(
    'a code is sealed only to a valid target bundle: $comment',
    async ({ bundle, valid }) => {
      const key = await DeviceKey.fromKeyPair(await importKeyPair('ECDSA', vectors.key))
      const sealed = key.sealCode('000000', bundle, { accountId, quorumPublicKey })
      if (!valid) return expect(sealed).rejects.toThrow()
      expect(openOtpBundle(await sealed, Buffer.from(vectors.target.privateKey, 'hex'))).toEqual({
        otpCode: '000000',
        publicKeyCompressedHex: key.publicKey,
      })
    },
  )

  test.each(vectors.sessionKeys)(
    'a session key is opened only from an intact bundle: $comment',
    async ({ sealed, publicKey }) => {
      const key = await RecipientKey.fromKeyPair(await importKeyPair('ECDH', vectors.key))
      if (publicKey === undefined) await expect(key.openSessionKey(sealed)).rejects.toThrow()
      else expect((await key.openSessionKey(sealed)).publicKey).toBe(publicKey)
    },
  )

  test.each(vectors.walletExports)(
    'a wallet export reveals its recovery phrase only if it is intact: $comment',
    async ({ sealed, phrase }) => {
      const key = await RecipientKey.fromKeyPair(await importKeyPair('ECDH', vectors.key))
      const opened = key.openWallet(sealed, { accountId, quorumPublicKey })
      if (phrase === undefined) await expect(opened).rejects.toThrow()
      else expect(await opened).toBe(phrase)
    },
  )
})
