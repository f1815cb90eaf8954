import { createHash } from 'node:crypto'
import { base58 } from '@scure/base'

/** The format of transaction hashes by chain. All other chains use 32 bytes in hex. */
const FORMATS: Readonly<Record<string, (digest: Buffer) => string>> = {
  ETHEREUM_WALLET: toPrefixedHex,
  BASE_WALLET: toPrefixedHex,
  POLYGON_WALLET: toPrefixedHex,
  // Solana identifies a transaction by a signature of 64 bytes.
  SOLANA_WALLET: (digest) => base58.encode(Buffer.concat([digest, sha256(digest)])),
}

/**
 * Generates the hash of a payment on a sandbox chain: always the same for one transaction, and not found on
 * any real chain.
 */
export function generateTransactionHash(chain: string, transactionId: string): string {
  const digest = sha256(Buffer.from(`${chain} ${transactionId}`))
  return FORMATS[chain]?.(digest) ?? digest.toString('hex')
}

function toPrefixedHex(digest: Buffer): string {
  return `0x${digest.toString('hex')}`
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest()
}
