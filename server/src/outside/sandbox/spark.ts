import { createECDH, createHash } from 'node:crypto'
import { bech32m } from '@scure/base'
import type { Deposit } from '../../kernel/ports/deposit-details.ts'

/** The address prefix of Spark's regression test network. */
const PREFIX = 'sparkrt'
const CHARACTERS_MAX = 4096
const ID_BYTES = 16
const VERSION = 1

/** Encodes a Protocol Buffers message that begins with an identity key as an address. */
export function encodeSparkAddress(message: Uint8Array): string {
  return bech32m.encode(PREFIX, bech32m.toWords(message), CHARACTERS_MAX)
}

/** Encodes an identity key derived from the seed. No payment can reach it: the test network is not in use. */
export function encodeIdentityField(seed: string): Uint8Array {
  const keys = createECDH('secp256k1')
  keys.setPrivateKey(deriveDigest('spark', seed))
  return encodeBytesField(1, keys.getPublicKey(null, 'compressed'))
}

/**
 * An unsigned Spark invoice for a fixed amount: an address that also contains the invoice fields version, id,
 * amount (in satoshi or token units), and the reference as the memo. Undefined without an amount.
 */
export function generateSparkInvoice({ seed, currency, reference, amount }: Deposit): string | undefined {
  if (amount === undefined) return undefined
  const payment =
    currency === 'BTC'
      ? encodeBytesField(4, encodeNumberField(1, amount))
      : encodeBytesField(
          3,
          encodeBytesField(1, deriveDigest('token', currency)),
          encodeBytesField(2, toBigEndian(amount)),
        )
  const fields = [
    encodeNumberField(1, BigInt(VERSION)),
    encodeBytesField(2, deriveDigest('spark invoice', seed).subarray(0, ID_BYTES)),
    payment,
    encodeBytesField(5, Buffer.from(reference)),
  ]
  return encodeSparkAddress(Buffer.concat([encodeIdentityField(seed), encodeBytesField(2, ...fields)]))
}

function deriveDigest(purpose: string, seed: string): Buffer {
  return createHash('sha256').update(`${purpose} ${seed}`).digest()
}

/** Encodes a length-delimited Protocol Buffers field. */
function encodeBytesField(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(parts)
  return Buffer.concat([encodeVarint(BigInt((number << 3) | 2)), encodeVarint(BigInt(bytes.length)), bytes])
}

function encodeNumberField(number: number, value: bigint): Uint8Array {
  return Buffer.concat([encodeVarint(BigInt(number << 3)), encodeVarint(value)])
}

function encodeVarint(value: bigint): Uint8Array {
  const bytes: number[] = []
  for (let remaining = value; ; remaining >>= 7n) {
    const low = Number(remaining & 0x7fn)
    if (remaining < 0x80n) return Uint8Array.from([...bytes, low])
    bytes.push(low | 0x80)
  }
}

/** Encodes a number as big-endian bytes without leading zeros. */
function toBigEndian(amount: bigint): Uint8Array {
  const hex = amount.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}
