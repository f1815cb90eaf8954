import { recoverTypedDataAddress } from 'viem'
import { expect, test } from 'vitest'
import { deriveEvmAddress } from '../../base/crypto/evm/keys.ts'
import { generateKeyPair } from '../../base/crypto/p256.ts'
import { makeStamp } from '../../base/crypto/stamp.ts'
import { toChecksumAddress } from '../../base/formats/addresses.ts'
import type { Hex } from '../../base/formats/hex.ts'
import { toJson } from '../../base/json/json.ts'
import { signStampedTransfers } from './wallet-transfers.ts'

const ACCOUNT = 'InternalAccount:1'
const KEY = Buffer.alloc(32, 7)
const device = generateKeyPair()
const checksummed = (address: string) => toChecksumAddress(address.slice(2)) as Hex
const TRANSFERS = [
  {
    purpose: 'PAYMENT',
    to: checksummed(`0x${'ab'.repeat(20)}`),
    amount: 2n ** 60n,
    nonce: `0x${'01'.repeat(32)}`,
  },
  {
    purpose: 'FEE',
    to: checksummed(`0x${'cd'.repeat(20)}`),
    amount: 5n,
    nonce: `0x${'02'.repeat(32)}`,
  },
] as const
const CHAIN = {
  network: 'BASE',
  chainId: 8453,
  token: {
    currency: 'USDC',
    address: checksummed(`0x${'ef'.repeat(20)}`),
    name: 'USD Coin',
    version: '2',
  },
  from: checksummed(deriveEvmAddress(KEY)),
  validBefore: '2026-03-02T10:00:00Z',
  transfers: TRANSFERS,
} as const

function signTransfer(
  changes: object,
  { by = device, over }: { by?: typeof device; over?: string } = {},
): Hex[] {
  const payload = toJson({ operation: 'quote_execute', account: ACCOUNT, chain: CHAIN, ...changes })
  const stamp = makeStamp(by, over ?? payload)
  const order = { payload, stamp, sessionPublicKey: device.publicKey.compressedHex }
  return signStampedTransfers(ACCOUNT, KEY, order)
}

test('the wallet signs every transfer in the payload, and viem accepts the signatures', async () => {
  const signatures = signTransfer({})
  expect(signatures).toHaveLength(2)
  const fields = {
    TransferWithAuthorization: [
      { name: 'from', type: 'address' },
      { name: 'to', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'validAfter', type: 'uint256' },
      { name: 'validBefore', type: 'uint256' },
      { name: 'nonce', type: 'bytes32' },
    ],
  } as const
  const { token, chainId, from } = CHAIN
  for (const [at, { to, amount: value, nonce }] of TRANSFERS.entries()) {
    const signer = await recoverTypedDataAddress({
      domain: { name: token.name, version: token.version, chainId, verifyingContract: token.address },
      types: fields,
      primaryType: 'TransferWithAuthorization',
      message: { from, to, value, validAfter: 0n, validBefore: 1_772_445_600n, nonce },
      signature: signatures[at]!,
    })
    expect(signer).toBe(from)
  }
  expect(signTransfer({})).toEqual(signatures)
})

test.each<[string, () => Hex[], string]>([
  ['the stamp of another key', () => signTransfer({}, { by: generateKeyPair() }), 'stamp'],
  ['a stamp over other characters', () => signTransfer({}, { over: '{}' }), 'stamp'],
  ['another operation', () => signTransfer({ operation: 'session_refresh' }), 'operation'],
  ['another account', () => signTransfer({ account: 'InternalAccount:2' }), 'is not for InternalAccount:1'],
  ['no transfers', () => signTransfer({ chain: undefined }), 'no transfers'],
  ['an empty list', () => signTransfer({ chain: { ...CHAIN, transfers: [] } }), 'no transfers'],
  [
    'another address',
    () => signTransfer({ chain: { ...CHAIN, from: checksummed(`0x${'11'.repeat(20)}`) } }),
    'another address',
  ],
])('the wallet signs nothing for %s', (_, sign, message) => {
  expect(sign).toThrow(message)
})
