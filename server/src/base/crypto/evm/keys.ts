import { secp256k1 } from '@noble/curves/secp256k1.js'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { HDKey } from '@scure/bip32'
import { type Hex, hexOf } from '../../formats/hex.ts'

const ADDRESS_BYTES = 20
/** The offset of `v` in signatures, inherited from Bitcoin. */
const V_BASE = 27

/**
 * The path of a wallet's first key on every EVM chain (BIP-44, coin type 60), which other wallets also derive
 * from the mnemonic.
 */
export const WALLET_PATH = "m/44'/60'/0'/0/0"

/** Derives the 32-byte private key at a BIP-32 path of a seed. */
export function deriveEvmKey(seed: Uint8Array, path: string): Uint8Array {
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(path)
  if (!privateKey) throw new Error(`the path ${path} has no private key`)
  return privateKey
}

/** The address of a private key, in lower case. */
export function deriveEvmAddress(privateKey: Uint8Array): Hex {
  const publicKey = secp256k1.getPublicKey(privateKey, false)
  return hexOf(keccak_256(publicKey.subarray(1)).subarray(-ADDRESS_BYTES))
}

/** Signs a 32-byte digest. Returns r, s and v (27 or 28), 65 bytes in hex. Deterministic. */
export function signEvmDigest(digest: Uint8Array, privateKey: Uint8Array): Hex {
  const signature = secp256k1.sign(digest, privateKey, { prehash: false, format: 'recovered' })
  // The library returns the recovery bit first.
  return hexOf(Uint8Array.of(...signature.subarray(1), V_BASE + signature[0]!))
}
