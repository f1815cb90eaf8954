import { createECDH, createHash } from 'node:crypto'
import { bech32m } from '@scure/base'
import type { Deposit } from '../../kernel/ports/deposit-details.ts'

/** The address prefix of Spark's regression test network. */
const PREFIX = 'sparkrt'
const CHARACTERS_MAX = 4096
const ID_BYTES = 16
const VERSION = 1

/** The address that encodes a Protocol Buffers message, which begins with an identity key. */
export function sparkAddress(message: Uint8Array): string {
  return bech32m.encode(PREFIX, bech32m.toWords(message), CHARACTERS_MAX)
}

/** The identity key derived from the seed. No payment can reach it, because the test network is not used. */
export function identityField(seed: string): Uint8Array {
  const keys = createECDH('secp256k1')
  keys.setPrivateKey(digest('spark', seed))
  return bytesField(1, keys.getPublicKey(null, 'compressed'))
}

/**
 * An unsigned Spark invoice for a fixed amount: an address that also contains the invoice fields version, id,
 * amount (in satoshi or token units), and the reference as the memo. Undefined without an amount.
 */
export function sparkInvoice({ seed, currency, reference, amount }: Deposit): string | undefined {
  if (amount === undefined) return undefined
  const payment =
    currency === 'BTC'
      ? bytesField(4, numberField(1, amount))
      : bytesField(3, bytesField(1, digest('token', currency)), bytesField(2, bigEndian(amount)))
  const fields = [
    numberField(1, BigInt(VERSION)),
    bytesField(2, digest('spark invoice', seed).subarray(0, ID_BYTES)),
    payment,
    bytesField(5, Buffer.from(reference)),
  ]
  return sparkAddress(Buffer.concat([identityField(seed), bytesField(2, ...fields)]))
}

function digest(purpose: string, seed: string): Buffer {
  return createHash('sha256').update(`${purpose} ${seed}`).digest()
}

/** Encodes a length-delimited Protocol Buffers field. */
function bytesField(number: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const bytes = Buffer.concat(parts)
  return Buffer.concat([varint(BigInt((number << 3) | 2)), varint(BigInt(bytes.length)), bytes])
}

function numberField(number: number, value: bigint): Uint8Array {
  return Buffer.concat([varint(BigInt(number << 3)), varint(value)])
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = []
  for (let rest = value; ; rest >>= 7n) {
    const low = Number(rest & 0x7fn)
    if (rest < 0x80n) return Uint8Array.from([...bytes, low])
    bytes.push(low | 0x80)
  }
}

/** Encodes a number as big-endian bytes without leading zeros. */
function bigEndian(amount: bigint): Uint8Array {
  const hex = amount.toString(16)
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex')
}
