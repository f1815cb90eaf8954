import { isUtf8 } from 'node:buffer'
import { createHash, ECDH } from 'node:crypto'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { base58, bech32, bech32m, createBase58check } from '@scure/base'

/** Checks the computed parts of chain addresses, such as checksums. Their forms are in `checks.ts`. */

const SOLANA_KEY_BYTES = 32
const TRON_ADDRESS_BYTES = 21
const TRON_PREFIX = 0x41
/**
 * Protocol Buffers field 1, length-delimited, 33 bytes: the identity key, with which every Spark address
 * begins.
 */
const SPARK_IDENTITY_FIELD = [0x0a, 33] as const
const COMPRESSED_KEY_BYTES = 33
const INVOICE_TIMESTAMP_WORDS = 7
const INVOICE_SIGNATURE_WORDS = 104
const INVOICE_LENGTH_WORDS = 2
/** The tag and length (in words) of a payment hash, which every invoice must have. */
const INVOICE_HASH = { tag: 1, words: 52 } as const
const OFFER_PREFIX = 'lno1'
const CHAIN_HASH_BYTES = 32
const INTEGER_BYTES_MAX = 8

const OFFER = { currency: 6n, amount: 8n, description: 10n, paths: 16n, issuerId: 22n } as const

/**
 * The records of an offer (BOLT 12), with checks for their types of values. Features and paths are not
 * parsed.
 */
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
/** The ranges of record types in an offer, both ends inclusive. */
const OFFER_RANGES = [
  [1n, 79n],
  [1_000_000_000n, 1_999_999_999n],
] as const

/** The number of final characters that select a sandbox outcome. Fewer than the checksum has. */
const MAGIC_CHARACTERS = 3
const BECH32_CHECKSUM_LETTERS = 6
const BECH32_LETTERS = 'qpzry9x8gf2tvdw0s3jn54khce6mua7l'

const base58check = createBase58check((bytes: Uint8Array) => createHash('sha256').update(bytes).digest())

/** The EIP-55 spelling of 40 hexadecimal digits: `0x`, with upper-case letters as the digest determines. */
export function toChecksumAddress(hex: string): string {
  const lower = hex.toLowerCase()
  const digest = Buffer.from(keccak_256(Buffer.from(lower))).toString('hex')
  const letters = [...lower].map((letter, index) =>
    Number.parseInt(digest.charAt(index), 16) >= 8 ? letter.toUpperCase() : letter,
  )
  return `0x${letters.join('')}`
}

/** Validates an EIP-55 checksum. Mixed-case addresses have one; single-case addresses do not. */
export function hasEvmChecksum(text: string): boolean {
  const hex = text.slice(2)
  return hex === hex.toLowerCase() || hex === hex.toUpperCase() || text === toChecksumAddress(hex)
}

export function isSolanaKey(text: string): boolean {
  return tryDecode(() => base58.decode(text))?.length === SOLANA_KEY_BYTES
}

export function isTronAddress(text: string): boolean {
  const bytes = tryDecode(() => base58check.decode(text))
  return bytes?.length === TRON_ADDRESS_BYTES && bytes[0] === TRON_PREFIX
}

/** True if the string has a `1` between prefix and data, as bech32 requires. */
function hasSeparator(text: string): text is `${string}1${string}` {
  return text.includes('1')
}

/** Validates bech32m over a message that starts with a compressed public key and may have further fields. */
export function isSparkAddress(text: string): boolean {
  const decoded = hasSeparator(text) ? tryDecode(() => bech32m.decode(text, false)) : undefined
  const bytes = decoded && tryDecode(() => bech32m.fromWords(decoded.words))
  if (!bytes || bytes.length < SPARK_IDENTITY_FIELD.length + COMPRESSED_KEY_BYTES) return false
  return (
    SPARK_IDENTITY_FIELD.every((byte, index) => bytes[index] === byte) && (bytes[2] === 2 || bytes[2] === 3)
  )
}

/**
 * The canonical spelling of a Spark address: lower case, with the current prefix. If it ends with a magic
 * value, so that its checksum is wrong, it keeps that ending.
 */
export function toSparkSpelling(text: string): string {
  const lower = text.toLowerCase()
  const [, network, data] = /^sp(rt)?1(.+)$/.exec(lower) ?? []
  if (data === undefined) return lower
  const words = [...data.slice(0, -BECH32_CHECKSUM_LETTERS)].map((letter) => BECH32_LETTERS.indexOf(letter))
  const spelling = bech32m.encode(`spark${network ?? ''}`, words, false)
  return isSparkAddress(lower)
    ? spelling
    : spelling.slice(0, -MAGIC_CHARACTERS) + lower.slice(-MAGIC_CHARACTERS)
}

/**
 * Validates a BOLT 11 invoice: the checksum, and complete fields including a payment hash between timestamp
 * and signature.
 */
export function isLightningInvoice(text: string): boolean {
  const words = hasSeparator(text) ? tryDecode(() => bech32.decode(text, false))?.words : undefined
  if (!words) return false
  const end = words.length - INVOICE_SIGNATURE_WORDS
  let position = INVOICE_TIMESTAMP_WORDS
  let hasHash = false
  while (position < end) {
    const [tag, high, low] = words.slice(position, position + 1 + INVOICE_LENGTH_WORDS)
    const count = (high ?? 0) * 32 + (low ?? 0)
    if (tag === INVOICE_HASH.tag && count === INVOICE_HASH.words) hasHash = true
    position += 1 + INVOICE_LENGTH_WORDS + count
  }
  return position === end && hasHash
}

/** Joins a BOLT 12 offer, whose letters may be split by `+` and white space. */
export function joinOffer(text: string): string {
  return text.replaceAll(/(?<=[0-9A-Za-z])\+\s*(?=[0-9A-Za-z])/g, '')
}

/**
 * Validates a BOLT 12 offer, which has no checksum: complete records in the order of their types, each in the
 * form for its type, a description for an amount, and an issuer by key or path.
 */
export function isLightningOffer(text: string): boolean {
  const records = readRecords(decodeBytes(text.toLowerCase().slice(OFFER_PREFIX.length)))
  if (!records?.every(isOfferRecord)) return false
  const types = records.map(({ type }) => type)
  if (!types.every((type, index) => index === 0 || type > types[index - 1]!)) return false
  const hasRecord = (name: keyof typeof OFFER) => types.includes(OFFER[name])
  return (
    (hasRecord('issuerId') || hasRecord('paths')) &&
    (hasRecord('amount') || !hasRecord('currency')) &&
    (hasRecord('description') || !hasRecord('amount'))
  )
}

/** True if a record has a known type, or an odd one, which may be ignored. */
function isOfferRecord({ type, value }: TlvRecord): boolean {
  if (!OFFER_RANGES.some(([first, last]) => type >= first && type <= last)) return false
  const isForm = OFFER_RECORDS.get(type)
  return isForm ? isForm(value) : type % 2n === 1n
}

/** True for an integer without leading zeros. */
function isInteger(value: Uint8Array): boolean {
  return value.length <= INTEGER_BYTES_MAX && value[0] !== 0
}

/** True for a compressed point of secp256k1. */
function isPublicKey(value: Uint8Array): boolean {
  return (
    value.length === COMPRESSED_KEY_BYTES &&
    tryDecode(() => ECDH.convertKey(value, 'secp256k1')) !== undefined
  )
}

/**
 * Decodes bech32 letters without a checksum. Undefined if too many bits are left over, or if they are not
 * zero.
 */
function decodeBytes(letters: string): Uint8Array | undefined {
  const bits = [...letters]
    .map((letter) => BECH32_LETTERS.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  const length = Math.floor(bits.length / 8)
  const leftover = bits.slice(length * 8)
  if (leftover.length >= 5 || leftover.includes('1')) return undefined
  return Uint8Array.from({ length }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2))
}

interface TlvRecord {
  readonly type: bigint
  readonly value: Uint8Array
}

/** Parses the records of a TLV stream (BOLT 1). Undefined if one is truncated. */
function readRecords(bytes: Uint8Array | undefined): TlvRecord[] | undefined {
  if (!bytes) return undefined
  const records: TlvRecord[] = []
  let position = 0
  while (position < bytes.length) {
    const type = readBigSize(bytes, position)
    const length = type && readBigSize(bytes, type.next)
    if (!type || !length || length.value > BigInt(bytes.length - length.next)) return undefined
    const end = length.next + Number(length.value)
    records.push({ type: type.value, value: bytes.subarray(length.next, end) })
    position = end
  }
  return records
}

/**
 * The prefix bytes of a BigSize: how many bytes follow, and the smallest value for which that is canonical.
 */
const BIG_SIZES: Readonly<Record<number, { readonly bytes: number; readonly min: bigint }>> = {
  253: { bytes: 2, min: 253n },
  254: { bytes: 4, min: 0x1_0000n },
  255: { bytes: 8, min: 0x1_0000_0000n },
}

function readBigSize(
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

/** Returns the result of a decoder, or undefined if it throws. */
function tryDecode<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}
