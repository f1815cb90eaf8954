import { mnemonicToSeedSync } from '@scure/bip39'
import fc from 'fast-check'
import { hashTypedData, recoverAddress, domainSeparator as separatorByViem } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { toChecksumAddress } from '../../formats/addresses.ts'
import { bytesOf, hexOf } from '../../formats/hex.ts'
import { computeAuthorizationDigest, deriveAuthorizationNonce, domainSeparator } from './authorization.ts'
import { deriveEvmAddress, deriveEvmKey, signEvmDigest, WALLET_PATH } from './keys.ts'

/** The mnemonic of BIP-39's own test vectors. */
const MNEMONIC =
  'abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about'
const key = deriveEvmKey(mnemonicToSeedSync(MNEMONIC), WALLET_PATH)

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map(hexOf)
const word = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(hexOf)

describe('a wallet on a chain', () => {
  test('has the same address that other software derives from its mnemonic', () => {
    expect(toChecksumAddress(deriveEvmAddress(key).slice(2))).toBe(mnemonicToAccount(MNEMONIC).address)
  })

  test('makes signatures from which its address can be recovered', async () => {
    await fc.assert(
      fc.asyncProperty(word, async (digest) => {
        const signature = signEvmDigest(bytesOf(digest), key)
        expect((await recoverAddress({ hash: digest, signature })).toLowerCase()).toBe(deriveEvmAddress(key))
      }),
      { numRuns: 20 },
    )
  })
})

test('a transfer authorization is signed over its EIP-712 digest', () => {
  fc.assert(
    fc.property(
      fc.record({
        from: address,
        to: address,
        value: fc.bigInt(0n, 2n ** 63n - 1n),
        validBefore: fc.bigInt(0n, 2n ** 40n),
        nonce: word,
      }),
      fc.record({ name: fc.string(), version: fc.string(), chainId: fc.nat(), verifyingContract: address }),
      (authorization, domain) => {
        const types = {
          TransferWithAuthorization: [
            { name: 'from', type: 'address' },
            { name: 'to', type: 'address' },
            { name: 'value', type: 'uint256' },
            { name: 'validAfter', type: 'uint256' },
            { name: 'validBefore', type: 'uint256' },
            { name: 'nonce', type: 'bytes32' },
          ],
        }
        const primaryType = 'TransferWithAuthorization' as const
        const expected = hashTypedData({
          domain,
          types,
          primaryType,
          message: { ...authorization, validAfter: 0n },
        })
        expect(domainSeparator(domain)).toBe(separatorByViem({ domain }))
        expect(hexOf(computeAuthorizationDigest(domainSeparator(domain), authorization))).toBe(expected)
      },
    ),
    { numRuns: 50 },
  )
})

test('the nonces of a payment and its fee are derived from the payment id, and differ', () => {
  const [payment, fee] = (['payment', 'fee'] as const).map((part) =>
    deriveAuthorizationNonce(part, 'Transaction:1'),
  )
  expect(payment).toMatch(/^0x[0-9a-f]{64}$/)
  expect(deriveAuthorizationNonce('payment', 'Transaction:1')).toBe(payment)
  expect(fee).not.toBe(payment)
  expect(deriveAuthorizationNonce('payment', 'Transaction:2')).not.toBe(payment)
})
