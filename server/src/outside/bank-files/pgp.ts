import { Readable } from 'node:stream'
import type { Key, PrivateKey, PublicKey } from 'openpgp'
import { messageOf } from '../../base/formats/thrown-errors.ts'
import { plusSeconds } from '../../kernel/operation/app.ts'
import { UnreadableFile } from './formats/unreadable-file.ts'

/** Encrypts and signs a rail's files, and decrypts and verifies its bank's files. */
export interface Pgp {
  /** Describes the keys for a person, one line each. Throws if one cannot be used at this time. */
  describe(now: Date): Promise<readonly string[]>
  encrypt(pieces: AsyncIterable<string>, now: Date): AsyncIterable<Uint8Array>
  /**
   * Decrypts a bank's file. The content may be used only after all of it has been read, because the signature
   * is verified at the end. Throws UnreadableFile.
   */
  decrypt(pieces: AsyncIterable<Uint8Array>, now: Date): AsyncIterable<Uint8Array>
}

/** The contents of key files, armored or binary. The first keys are used to encrypt and sign. */
export interface PgpKeyFiles {
  readonly bankKeys: readonly Uint8Array[]
  readonly ownKeys: readonly Uint8Array[]
  readonly passphrase: string | undefined
  readonly isArmored: boolean
}

interface Keys {
  readonly bank: readonly PublicKey[]
  readonly own: readonly PrivateKey[]
  readonly isArmored: boolean
}

type Library = typeof import('openpgp')

/** The maximum time by which a bank's clock may be ahead of ours. */
const SKEW_SECONDS = 300
const ARMOR = /^\s*-----BEGIN PGP /
const HEAD_BYTES = 200
const HIDDEN_RECIPIENT = '0'.repeat(16)

/** Loads the library and the keys. Throws an Error that names the setting and contains no secret. */
export async function createPgp({ isArmored, ...files }: PgpKeyFiles): Promise<Pgp> {
  // Loaded lazily: the library is large, and most servers have no rail that needs it.
  const library = await import('openpgp')
  const bank = (await Promise.all(files.bankKeys.map((bytes) => publicKeysIn(library, bytes)))).flat()
  const own = (
    await Promise.all(files.ownKeys.map((bytes) => privateKeysIn(library, bytes, files.passphrase)))
  ).flat()
  const keys: Keys = { bank, own, isArmored }
  return {
    describe: (now) => describeKeys(keys, now),
    encrypt: (pieces, now) => encrypt(library, keys, pieces, now),
    decrypt: (pieces, now) => decrypt(library, keys, pieces, now),
  }
}

async function publicKeysIn(library: Library, bytes: Uint8Array): Promise<PublicKey[]> {
  const keys = await read('bankKeys', () =>
    isArmor(bytes)
      ? library.readKeys({ armoredKeys: textOf(bytes) })
      : library.readKeys({ binaryKeys: bytes }),
  )
  return keys.map((key) => key.toPublic())
}

async function privateKeysIn(
  library: Library,
  bytes: Uint8Array,
  passphrase: string | undefined,
): Promise<PrivateKey[]> {
  const keys = await read('ownKeys', () =>
    isArmor(bytes)
      ? library.readPrivateKeys({ armoredKeys: textOf(bytes) })
      : library.readPrivateKeys({ binaryKeys: bytes }),
  )
  return Promise.all(keys.map((key) => unlock(library, key, passphrase)))
}

async function read<Found>(setting: string, keysOf: () => Promise<Found>): Promise<Found> {
  try {
    return await keysOf()
  } catch {
    throw new Error(`${setting}: a file has no key of this kind`)
  }
}

async function unlock(
  library: Library,
  privateKey: PrivateKey,
  passphrase: string | undefined,
): Promise<PrivateKey> {
  if (privateKey.isDecrypted()) return privateKey
  const id = idOf(privateKey)
  if (passphrase === undefined) throw new Error(`ownKeys: the key ${id} needs a passphrase`)
  try {
    return await library.decryptKey({ privateKey, passphrase })
  } catch {
    throw new Error(`passphrase: does not unlock the key ${id}`)
  }
}

async function describeKeys({ bank, own }: Keys, now: Date): Promise<readonly string[]> {
  const [theirs, ours] = [bank[0], own[0]]
  await usable('bankKeys', theirs, () => theirs?.getEncryptionKey(undefined, now))
  await usable('ownKeys', ours, () => ours?.getSigningKey(undefined, now))
  return [...bank.map((key) => `bank ${nameOf(key)}`), ...own.map((key) => `own ${nameOf(key)}`)]
}

async function usable(setting: string, key: Key | undefined, use: () => unknown): Promise<void> {
  try {
    await use()
  } catch (error) {
    throw new Error(`${setting}: the key ${key ? idOf(key) : ''} cannot be used: ${messageOf(error)}`)
  }
}

async function* encrypt(
  { createMessage, encrypt: encryptMessage }: Library,
  { bank, own, isArmored }: Keys,
  pieces: AsyncIterable<string>,
  now: Date,
): AsyncGenerator<Uint8Array> {
  const message = await createMessage({ binary: streamOf(inBytes(pieces)), format: 'binary' })
  const options = { message, encryptionKeys: bank.slice(0, 1), signingKeys: own.slice(0, 1), date: now }
  if (!isArmored) yield* await encryptMessage({ ...options, format: 'binary' })
  else yield* inBytes(await encryptMessage({ ...options, format: 'armored' }))
}

async function* decrypt(
  library: Library,
  keys: Keys,
  pieces: AsyncIterable<Uint8Array>,
  now: Date,
): AsyncGenerator<Uint8Array> {
  const date = plusSeconds(now, SKEW_SECONDS)
  try {
    const message = await messageIn(library, pieces)
    const recipients = message.getEncryptionKeyIDs()
    if (recipients.length === 0) throw new UnreadableFile(notEncrypted(keys))
    const isOurs = recipients.some(
      (id) => id.toHex() === HIDDEN_RECIPIENT || keys.own.some((key) => key.getKeys(id).length > 0),
    )
    if (!isOurs) throw new UnreadableFile(wrongRecipient(recipients.map(hexOf), keys))
    const { data, signatures } = await library.decrypt({
      message,
      decryptionKeys: [...keys.own],
      verificationKeys: [...keys.bank],
      date,
      format: 'binary',
      // Allows constant memory. Nothing is used before the end has been verified.
      config: { allowUnauthenticatedStream: true },
    })
    yield* data
    await verify(signatures, keys)
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(`was changed or truncated after it was encrypted: ${messageOf(error)}`)
  }
}

async function messageIn({ readMessage }: Library, pieces: AsyncIterable<Uint8Array>) {
  const all = pieces[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  for (let next = await all.next(); !next.done; next = await all.next()) {
    head = Buffer.concat([head, next.value])
    if (head.length >= HEAD_BYTES) break
  }
  const whole = (async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => all }
  })()
  try {
    return isArmor(head)
      ? await readMessage({ armoredMessage: streamOf(inText(whole)) })
      : await readMessage({ binaryMessage: streamOf(whole) })
  } catch {
    throw new UnreadableFile('is not encrypted: it is not a PGP message')
  }
}

interface Signature {
  readonly keyID: { toHex(): string }
  readonly verified: Promise<true>
}

/** A single valid signature by the bank is enough. */
async function verify(signatures: readonly Signature[], { bank }: Keys): Promise<void> {
  if (signatures.length === 0) throw new UnreadableFile('has no signature: the bank has to sign its files')
  const faults: string[] = []
  for (const { keyID, verified } of signatures)
    try {
      await verified
      return
    } catch (error) {
      const isKnown = bank.some((key) => key.getKeyIDs().some((id) => id.toHex() === keyID.toHex()))
      faults.push(
        isKnown
          ? `has a signature of the bank's key ${hexOf(keyID)} that is not valid: ${messageOf(error)}`
          : `is signed by the key ${hexOf(keyID)}, and the bank's is ${idsOf(bank)}: add it to pgp.bankKeys if the bank confirms it`,
      )
    }
  throw new UnreadableFile(faults.join('; '))
}

function notEncrypted({ own }: Keys): string {
  return `is not encrypted: the bank has to encrypt its files to our key ${idsOf(own)}`
}

function wrongRecipient(recipients: readonly string[], { own }: Keys): string {
  return `is encrypted to the key ${recipients.join(', ')}, and ours is ${idsOf(own)}: send the bank our public key`
}

function idsOf(keys: readonly Key[]): string {
  return keys.flatMap((key) => key.getKeyIDs().map(hexOf)).join(', ')
}

function idOf(key: Key): string {
  return hexOf(key.getKeyID())
}

function hexOf(id: { toHex(): string }): string {
  return id.toHex().toUpperCase()
}

function nameOf(key: Key): string {
  return `${key.getFingerprint().toUpperCase()} ${key.getUserIDs()[0] ?? ''}`.trim()
}

function isArmor(bytes: Uint8Array): boolean {
  return ARMOR.test(textOf(bytes.subarray(0, HEAD_BYTES)))
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function streamOf<Piece>(pieces: AsyncIterable<Piece>) {
  return Readable.toWeb(Readable.from(pieces))
}

async function* inBytes(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

async function* inText(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const piece of pieces) yield textOf(piece)
}
