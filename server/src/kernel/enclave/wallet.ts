import { pbkdf2Sync } from 'node:crypto'
import { bech32m } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { entropyToMnemonic } from '@scure/bip39'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { requireValue } from '../../base/formats/require-value.ts'

/** The identity key of the first account of a Spark wallet. */
const SPARK_IDENTITY_PATH = "m/8797555'/0'/0'"
const ADDRESS_CHARACTERS_MAX = 200
const SEED_ROUNDS = 2048
const SEED_BYTES = 64
/** Protocol Buffers: field 1, length-delimited, 33 bytes. */
const IDENTITY_KEY_FIELD = Uint8Array.of(0x0a, 33)

/** Converts 32 bytes of entropy to a BIP-39 mnemonic of 24 English words. */
export function toMnemonic(entropy: Uint8Array): string {
  return entropyToMnemonic(entropy, wordlist)
}

/**
 * The 64-byte BIP-39 seed, without a passphrase, from which the wallet's keys are derived. Uses the runtime's
 * PBKDF2, because the library's takes twenty times as long and blocks the event loop.
 */
export function deriveSeed(entropy: Uint8Array): Uint8Array {
  return pbkdf2Sync(toMnemonic(entropy), 'mnemonic', SEED_ROUNDS, SEED_BYTES, 'sha512')
}

/** The Spark address of a seed's identity key: the bech32m encoding of its protobuf form. */
export function sparkAddress(seed: Uint8Array, prefix: 'spark' | 'sparkrt'): string {
  const { publicKey } = HDKey.fromMasterSeed(seed).derive(SPARK_IDENTITY_PATH)
  const message = new Uint8Array([
    ...IDENTITY_KEY_FIELD,
    ...requireValue(publicKey, 'public key of a derived key'),
  ])
  return bech32m.encode(prefix, bech32m.toWords(message), ADDRESS_CHARACTERS_MAX)
}
