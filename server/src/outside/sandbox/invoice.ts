import { createHash } from 'node:crypto'
import { bech32 } from '@scure/base'
import { HDKey } from '@scure/bip32'
import { requireValue } from '../../base/formats/require-value.ts'

/** The prefix of Lightning's regression test network, on which no value can be lost. */
const PREFIX = 'lnbcrt'
const ISSUED_AT_SECONDS = Date.UTC(2025, 9, 13) / 1000
const EXPIRY_SECONDS = 100 * 365 * 24 * 3600
const TIMESTAMP_WORDS = 7
const LENGTH_WORDS = 2
/** BOLT 9 features: variable-length onion and payment secret, both required (bits 8 and 14). */
const FEATURES = [16, 8, 0]
const DESCRIPTION_BYTES_MAX = 639

const ALPHABET = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

/**
 * Generates a Lightning invoice (BOLT 11) without an amount. The same arguments always give the same invoice:
 * its description is the reference, and it is signed by the node key that it names, which is derived from the
 * seed. It parses like a real invoice, but no node can be paid with it.
 */
export function generateSandboxInvoice(seed: string, reference: string): string {
  const node = HDKey.fromMasterSeed(deriveDigest('node', seed))
  const words = [
    ...toWords(ISSUED_AT_SECONDS, TIMESTAMP_WORDS),
    ...buildTagField('p', bech32.toWords(deriveDigest('payment hash', seed))),
    ...buildTagField('s', bech32.toWords(deriveDigest('payment secret', seed))),
    ...buildTagField('d', bech32.toWords(Buffer.from(reference).subarray(0, DESCRIPTION_BYTES_MAX))),
    ...buildTagField('n', bech32.toWords(requireValue(node.publicKey, 'public key of a derived key'))),
    ...buildTagField('x', toWords(EXPIRY_SECONDS, 7)),
    ...buildTagField('9', FEATURES),
  ]
  const signed = createHash('sha256').update(PREFIX).update(packWords(words)).digest()
  // Readers verify the signature with the named key, so the recovery flag does not matter.
  const signature = Uint8Array.of(...node.sign(signed), 0)
  return bech32.encode(PREFIX, [...words, ...bech32.toWords(signature)], false)
}

function buildTagField(letter: string, words: readonly number[]): number[] {
  return [ALPHABET.indexOf(letter), ...toWords(words.length, LENGTH_WORDS), ...words]
}

/** Encodes a number as 5-bit words, big-endian. */
function toWords(value: number, words: number): number[] {
  return Array.from({ length: words }, (_, index) => Math.floor(value / 32 ** (words - 1 - index)) % 32)
}

/** Packs words into bytes, the last one padded with zero bits. This is the message to sign. */
function packWords(words: readonly number[]): Uint8Array {
  const bits = words.map((word) => word.toString(2).padStart(5, '0')).join('')
  const bytes = bits.match(/.{1,8}/g) ?? []
  return Uint8Array.from(bytes, (byte) => Number.parseInt(byte.padEnd(8, '0'), 2))
}

function deriveDigest(purpose: string, seed: string): Buffer {
  return createHash('sha256').update(`${purpose} ${seed}`).digest()
}
