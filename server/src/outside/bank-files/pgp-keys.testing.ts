import { generateKey } from 'openpgp'
import { createPgp, type Pgp } from './pgp.ts'

/** An armored key pair. */
export interface KeyPair {
  readonly privateKey: Buffer
  readonly publicKey: Buffer
}

export async function newKeyPair(name: string, passphrase?: string): Promise<KeyPair> {
  const userIDs = [{ name, email: `${name}@bank.example` }]
  const { privateKey, publicKey } = await generateKey({ userIDs, ...(passphrase && { passphrase }) })
  return { privateKey: Buffer.from(privateKey), publicKey: Buffer.from(publicKey) }
}

/** Creates one side of an exchange, with its own keys and the counterparty's public key. */
export function sideOf(own: KeyPair, other: KeyPair, isArmored = false): Promise<Pgp> {
  const files = { ownKeys: [own.privateKey], bankKeys: [other.publicKey] }
  return createPgp({ ...files, passphrase: undefined, isArmored })
}

export async function bytesIn(pieces: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const found: Uint8Array[] = []
  for await (const piece of pieces) found.push(piece)
  return Buffer.concat(found)
}

export async function* yieldPieces<Piece>(...pieces: Piece[]): AsyncGenerator<Piece> {
  yield* pieces
}
