import { isUtf8 } from 'node:buffer'
import { createHash, ECDH } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'

/** Checks the computed parts of chain addresses, such as checksums. `checks.ts` has their forms. */

const SOLANA_KEY_BYTES = 32
const TRON_ADDRESS_BYTES = 21
const TRON_PREFIX = 0x41
/** Protocol Buffers: field 1, length-delimited, 33 bytes: the identity key with which every Spark address begins. */
const SPARK_IDENTITY_FIELD = [0x0a, 33] as const
const COMPRESSED_KEY_BYTES = 33
const INVOICE_TIMESTAMP_WORDS = 7
const INVOICE_SIGNATURE_WORDS = 104
const INVOICE_LENGTH_WORDS = 2
/** The length of a payment hash in words. Every invoice has one. */
const INVOICE_HASH = { tag: 1, words: 52 } as const
const OFFER_PREFIX = 'lno1'
const CHAIN_HASH_BYTES = 32
const INTEGER_BYTES_MAX = 8

const OFFER = { currency: 6n, amount: 8n, description: 10n, paths: 16n, issuerId: 22n } as const

/** The records of an offer (BOLT 12) and the types of their values. Features and paths are not parsed. */
const OFFER_RECORDS: ReadonlyMap<bigint, (value: Uint8Array) => boolean> = new Map([
  [2n, ({ length }) => length > 0 && length % CHAIN_HASH_BYTES === 0],
  [4n, () => true],
  [OFFER.currency, isUtf8],
  [OFFER.amount, isInteger],
  [OFFER.description, isUtf8],
  [12n, () => true],
  [14n, isInteger],
  [OFFER.paths, ({ length }) => length > 0],
  [18n, isUtf8],
  [20n, isInteger],
  [OFFER.issuerId, isPublicKey],
])
/** The ranges of an offer's record types, both ends included. */
const OFFER_RANGES = [
  [1n, 79n],
  [1_000_000_000n, 1_999_999_999n],
] as const

/** The number of final characters that select a sandbox outcome: fewer than the checksum has. */
const GIVEN_END = 3
const BECH32_CHECKSUM_LETTERS = 6
const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/**
 * The EIP-55 spelling of 40 hexadecimal digits: `0x`, and upper-case letters where the digest requires them.
 */
export function toChecksumAddress(hex: string): string {
  const lower = hex.toLowerCase()
  const digest = Buffer.from(keccak_256(Buffer.from(lower))).toString('hex')
  const letters = [...lower].map((letter, at) =>
    Number.parseInt(digest.charAt(at), 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}

/** EIP-55: a mixed-case address carries a checksum; a single-case one has no checksum. */
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

/** True if the string has bech32's `1` between prefix and data. */
function hasSeparator(text: string): text is `${string}1${string}` {
  return text.includes('1')
}

/** Bech32m over a message that begins with a compressed public key; further fields may follow it. */
export function isSparkAddress(text: string): boolean {
  const decoded = hasSeparator(text) ? attempt(() => bech32m.decode(text, false)) : undefined
  const bytes = decoded && attempt(() => bech32m.fromWords(decoded.words))
  if (!bytes || bytes.length < SPARK_IDENTITY_FIELD.length + COMPRESSED_KEY_BYTES) return false
  return SPARK_IDENTITY_FIELD.every((byte, at) => bytes[at] === byte) && (bytes[2] === 2 || bytes[2] === 3)
}

/**
 * The canonical spelling of a Spark address: lower case, with the current prefix. An address with a magic
 * end, whose checksum is therefore wrong, keeps that end.
 */
export function sparkSpelling(text: string): string {
  const lower = text.toLowerCase()
  const [, network, data] = /^sp(rt)?1(.+)$/.exec(lower) ?? []
  if (data === undefined) return lower
  const words = [...data.slice(0, -BECH32_CHECKSUM_LETTERS)].map((letter) => BECH32_LETTERS.indexOf(letter))
  const spelling = bech32m.encode(`spark${network ?? ''}`, words, false)
  return isSparkAddress(lower) ? spelling : spelling.slice(0, -GIVEN_END) + lower.slice(-GIVEN_END)
}

/**
 * Validates a BOLT 11 invoice: its checksum, and complete fields between timestamp and signature, with a
 * payment hash.
 */
export function isLightningInvoice(text: string): boolean {
  const words = hasSeparator(text) ? attempt(() => bech32.decode(text, false))?.words : undefined
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

/** A BOLT 12 offer in one piece: its letters may be joined by `+` and white space. */
export function joinOffer(text: string): string {
  return text.replaceAll(/(?<=[0-9A-Za-z])\+\s*(?=[0-9A-Za-z])/g, '')
}

/**
 * Validates a BOLT 12 offer, which has no checksum: records in the order of their types, each complete and in
 * the form of its type, an amount with its description, and an issuer, by key or by path.
 */
export function isLightningOffer(text: string): boolean {
  const records = recordsOf(bytesOf(text.toLowerCase().slice(OFFER_PREFIX.length)))
  if (!records?.every(isOfferRecord)) return false
  const types = records.map(({ type }) => type)
  if (!types.every((type, at) => at === 0 || type > types[at - 1]!)) return false
  const has = (name: keyof typeof OFFER) => types.includes(OFFER[name])
  return (
    (has('issuerId') || has('paths')) &&
    (has('amount') || !has('currency')) &&
    (has('description') || !has('amount'))
  )
}

/** True if a record has a known type, or an odd one, which may be ignored. */
function isOfferRecord({ type, value }: TlvRecord): boolean {
  if (!OFFER_RANGES.some(([first, last]) => type >= first && type <= last)) return false
  const isForm = OFFER_RECORDS.get(type)
  return isForm ? isForm(value) : type % 2n === 1n
}

/** An integer without leading zeros. */
function isInteger(value: Uint8Array): boolean {
  return value.length <= INTEGER_BYTES_MAX && value[0] !== 0
}

/** A compressed point of secp256k1. */
function isPublicKey(value: Uint8Array): boolean {
  return (
    value.length === COMPRESSED_KEY_BYTES && attempt(() => ECDH.convertKey(value, 'secp256k1')) !== undefined
  )
}

/**
 * The bytes of bech32 letters without a checksum; undefined if the leftover bits are too many or not zero.
 */
function bytesOf(letters: string): Uint8Array | undefined {
  const bits = [...letters]
    .map((letter) => BECH32_LETTERS.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const length = Math.floor(bits.length / 8)
  const rest = bits.slice(length * 8)
  if (rest.length >= 5 || rest.includes('1')) return undefined
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2))
}

interface TlvRecord {
  readonly type: bigint
  readonly value: Uint8Array
}

/** The records of a TLV stream (BOLT 1); undefined if one is truncated. */
function recordsOf(bytes: Uint8Array | undefined): TlvRecord[] | undefined {
  if (!bytes) return undefined
  const records: TlvRecord[] = []
  let at = 0
  while (at < bytes.length) {
    const type = bigSize(bytes, at)
    const length = type && bigSize(bytes, type.next)
    if (!type || !length || length.value > BigInt(bytes.length - length.next)) return undefined
    const end = length.next + Number(length.value)
    records.push({ type: type.value, value: bytes.subarray(length.next, end) })
    at = end
  }
  return records
}

/** The prefix bytes of a BigSize: the number of bytes that follow, and the smallest value that needs them. */
const BIG_SIZES: Readonly<Record<number, { readonly bytes: number; readonly min: bigint }>> = {
  253: { bytes: 2, min: 253n },
  254: { bytes: 4, min: 0x1_0000n },
  255: { bytes: 8, min: 0x1_0000_0000n },
}

function bigSize(
  bytes: Uint8Array,
  at: number,
): { readonly value: bigint; readonly next: number } | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  const size = BIG_SIZES[first]
  if (size === undefined) return { value: BigInt(first), next: at + 1 }
  const next = at + 1 + size.bytes
  if (next > bytes.length) return undefined
  const value = BigInt(`0x${Buffer.from(bytes.subarray(at + 1, next)).toString('hex')}`)
  return value < size.min ? undefined : { value, next }
}

/** The result of a decoder, or undefined if it throws. */
function attempt<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
