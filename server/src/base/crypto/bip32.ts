import { createECDH, createHmac } from 'node:crypto'

const HARDENED = 2 ** 31
const KEY_BYTES = 32
/** The number of points of secp256k1. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

/**
 * The private key, 32 bytes, at a path such as `m/44'/60'/0'/0/0` of a seed (BIP-32). A library makes a public key at every
 * step, which takes most of the time of a new wallet. Only the steps that are not hardened need one.
 */
export function privateKeyAt(seed: Uint8Array, path: string): Uint8Array {
  if (!/^m(?:\/\d{1,10}'?)*$/.test(path)) throw new Error(`${path} is not a path of keys`)
  let { key, chainCode } = halvesOf('Bitcoin seed', seed)
  for (const step of path.split('/').slice(1)) {
    const isHardened = step.endsWith("'")
    const number = Number.parseInt(step, 10)
    if (number >= HARDENED) throw new Error(`${path} is not a path of keys`)
    const parent = isHardened ? [Uint8Array.of(0), key] : [secp256k1PublicKey(key, 'compressed')]
    const child = halvesOf(chainCode, ...parent, numberBytes(number + (isHardened ? HARDENED : 0)))
    key = sumOf(key, child.key)
    chainCode = child.chainCode
  }
  return key
}

/** The public key of a private key on secp256k1: 33 bytes compressed, else 65. */
export function secp256k1PublicKey(
  privateKey: Uint8Array,
  format: 'compressed' | 'uncompressed',
): Uint8Array {
  const pair = createECDH('secp256k1')
  pair.setPrivateKey(privateKey)
  return pair.getPublicKey(null, format)
}

function halvesOf(
  secret: string | Uint8Array,
  ...parts: readonly Uint8Array[]
): { readonly key: Uint8Array; readonly chainCode: Uint8Array } {
  const mac = createHmac('sha512', secret)
  for (const part of parts) mac.update(part)
  const digest = mac.digest()
  return { key: digest.subarray(0, KEY_BYTES), chainCode: digest.subarray(KEY_BYTES) }
}

/** Both keys, added modulo the order. One seed in 2^127 leads to a key that there is not. */
function sumOf(one: Uint8Array, other: Uint8Array): Uint8Array {
  const added = numberOf(other)
  const sum = (numberOf(one) + added) % ORDER
  if (added >= ORDER || sum === 0n) throw new Error('There is no key at this path')
  return Buffer.from(sum.toString(16).padStart(2 * KEY_BYTES, '0'), 'hex')
}

function numberOf(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
}

function numberBytes(number: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(number)
  return bytes
}
