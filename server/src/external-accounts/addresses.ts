import { createHash } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'

/** Addresses on chains: each function says whether what is computed in an address fits. Forms are in `checks.ts`. */

const SOLANA_KEY_BYTES = 32
const TRON_ADDRESS_BYTES = 21
const TRON_PREFIX = 0x41
/** Protocol Buffers: field 1, length-delimited, 33 bytes: the identity key with which every Spark address begins. */
const SPARK_IDENTITY_FIELD = [0x0a, 33] as const
const COMPRESSED_KEY_BYTES = 33
const INVOICE_TIMESTAMP_WORDS = 7
const INVOICE_SIGNATURE_WORDS = 104
const INVOICE_LENGTH_WORDS = 2
/** The words of a payment hash, which every invoice has. */
const INVOICE_HASH = { tag: 1, words: 52 } as const
const OFFER_PREFIX = 'lno1'
const OFFER_PATHS = 16n
const OFFER_ISSUER_ID = 22n

/** What the sandbox reads of an address: fewer letters than its checksum has. */
const GIVEN_END = 3
const BECH32_CHECKSUM_LETTERS = 6
const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** The EIP-55 spelling of 40 hexadecimal digits: `0x`, and a letter in upper case where the digest says so. */
export function toChecksumAddress(hex: string): string {
  const lower = hex.toLowerCase()
  const digest = Buffer.from(keccak_256(Buffer.from(lower))).toString('hex')
  const letters = [...lower].map((letter, at) =>
    Number.parseInt(digest[at]!, 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}

/** EIP-55: an address in one case says nothing, one in mixed case carries a checksum. */
export function hasEvmChecksum(text: string): boolean {
  const hex = text.slice(2)
  return hex === hex.toLowerCase() || hex === hex.toUpperCase() || text === toChecksumAddress(hex)
}

export function isSolanaKey(text: string): boolean {
  return attempt(() => base58.decode(text))?.length === SOLANA_KEY_BYTES
}

export function isTronAddress(text: string): boolean {
  const bytes = attempt(() => base58check.decode(text))
  return bytes?.length === TRON_ADDRESS_BYTES && bytes[0] === TRON_PREFIX
}

/** Bech32m over a message that begins with a compressed public key; further fields may follow it. */
export function isSparkAddress(text: string): boolean {
  const decoded = attempt(() => bech32m.decode(text as `${string}1${string}`, false))
  const bytes = decoded && attempt(() => bech32m.fromWords(decoded.words))
  if (!bytes || bytes.length < SPARK_IDENTITY_FIELD.length + COMPRESSED_KEY_BYTES) return false
  return SPARK_IDENTITY_FIELD.every((byte, at) => bytes[at] === byte) && (bytes[2] === 2 || bytes[2] === 3)
}

/**
 * The one spelling of a Spark address: in lower case, with the prefix of today. Where its end is given and its checksum
 * therefore does not fit, it keeps that end.
 */
export function sparkSpelling(text: string): string {
  const lower = text.toLowerCase()
  const [, network, data] = /^sp(rt)?1(.+)$/.exec(lower) ?? []
  if (data === undefined) return lower
  const words = [...data.slice(0, -BECH32_CHECKSUM_LETTERS)].map((letter) => BECH32_LETTERS.indexOf(letter))
  const spelling = bech32m.encode(`spark${network ?? ''}`, words, false)
  return isSparkAddress(lower) ? spelling : spelling.slice(0, -GIVEN_END) + lower.slice(-GIVEN_END)
}

/** A BOLT 11 invoice: its checksum, and between timestamp and signature fields that are whole, a payment hash too. */
export function isLightningInvoice(text: string): boolean {
  const words = attempt(() => bech32.decode(text as `${string}1${string}`, false))?.words
  if (!words) return false
  const end = words.length - INVOICE_SIGNATURE_WORDS
  let at = INVOICE_TIMESTAMP_WORDS
  let hasHash = false
  while (at < end) {
    const [tag, high, low] = words.slice(at, at + 1 + INVOICE_LENGTH_WORDS)
    const count = (high ?? 0) * 32 + (low ?? 0)
    if (tag === INVOICE_HASH.tag && count === INVOICE_HASH.words) hasHash = true
    at += 1 + INVOICE_LENGTH_WORDS + count
  }
  return at === end && hasHash
}

/**
 * A BOLT 12 offer, which has no checksum: records in the order of their types, each whole, and among them who is to be
 * asked for the invoice, by key or by a way to get there.
 */
export function isLightningOffer(text: string): boolean {
  const types = recordTypes(bytesOf(text.toLowerCase().slice(OFFER_PREFIX.length)))
  if (!types?.every((type, at) => at === 0 || type > types[at - 1]!)) return false
  return types.includes(OFFER_ISSUER_ID) || types.includes(OFFER_PATHS)
}

/** The bytes of bech32 letters without a checksum, or undefined where the bits left over are not few and zero. */
function bytesOf(letters: string): Uint8Array | undefined {
  const bits = [...letters]
    .map((letter) => BECH32_LETTERS.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const length = Math.floor(bits.length / 8)
  const rest = bits.slice(length * 8)
  if (rest.length >= 5 || rest.includes('1')) return undefined
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2))
}

/** The types of a TLV stream (BOLT 1), or undefined where a record is cut off. */
function recordTypes(bytes: Uint8Array | undefined): bigint[] | undefined {
  if (!bytes) return undefined
  const types: bigint[] = []
  let at = 0
  while (at < bytes.length) {
    const type = bigSize(bytes, at)
    const length = type && bigSize(bytes, type.next)
    if (!type || !length) return undefined
    const end = BigInt(length.next) + length.value
    if (end > BigInt(bytes.length)) return undefined
    types.push(type.value)
    at = Number(end)
  }
  return types
}

const BIG_SIZE_BYTES: Readonly<Record<number, number>> = { 253: 2, 254: 4, 255: 8 }

function bigSize(
  bytes: Uint8Array,
  at: number,
): { readonly value: bigint; readonly next: number } | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  const more = BIG_SIZE_BYTES[first]
  if (more === undefined) return { value: BigInt(first), next: at + 1 }
  const next = at + 1 + more
  if (next > bytes.length) return undefined
  return { value: BigInt(`0x${Buffer.from(bytes.subarray(at + 1, next)).toString('hex')}`), next }
}

/** What a decoder gives, or undefined where it throws. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
