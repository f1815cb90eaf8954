import { Readable } from 'node:stream'
import type { Key, PrivateKey, PublicKey } from 'openpgp'
import { getErrorMessage } from '../../base/formats/thrown-errors.ts'
import { addSeconds } from '../../kernel/operation/app.ts'
import { UnreadableFile } from './formats/unreadable-file.ts'

/** Encrypts and signs a rail's files, and decrypts and verifies its bank's files. */
export interface Pgp {
  /** Describes the keys for a person, one line each. Throws if a key cannot be used at this time. */
  describe(now: Date): Promise<readonly string[]>
  encrypt(pieces: AsyncIterable<string>, now: Date): AsyncIterable<Uint8Array>
  /**
   * Decrypts a bank's file. Do not use the content before all of it has been read, because the signature is
   * verified at the end. Throws UnreadableFile.
   */
  decrypt(pieces: AsyncIterable<Uint8Array>, now: Date): AsyncIterable<Uint8Array>
}

/** The contents of key files, armored or binary. The first key of each list encrypts or signs. */
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

/** Loads the library and the keys. Throws an Error that names the setting, without secrets. */
export async function createPgp({ isArmored, ...files }: PgpKeyFiles): Promise<Pgp> {
  // Loaded lazily: the library is large, and most servers have no rail that needs it.
  const library = await import('openpgp')
  const bank = (await Promise.all(files.bankKeys.map((bytes) => readPublicKeys(library, bytes)))).flat()
  const own = (
    await Promise.all(files.ownKeys.map((bytes) => readPrivateKeys(library, bytes, files.passphrase)))
  ).flat()
  const keys: Keys = { bank, own, isArmored }
  return {
    describe: (now) => describeKeys(keys, now),
    encrypt: (pieces, now) => encrypt(library, keys, pieces, now),
    decrypt: (pieces, now) => decrypt(library, keys, pieces, now),
  }
}

async function readPublicKeys(library: Library, bytes: Uint8Array): Promise<PublicKey[]> {
  const keys = await loadKeys('bankKeys', () =>
    isArmor(bytes)
      ? library.readKeys({ armoredKeys: toLatin1(bytes) })
      : library.readKeys({ binaryKeys: bytes }),
  )
  return keys.map((key) => key.toPublic())
}

async function readPrivateKeys(
  library: Library,
  bytes: Uint8Array,
  passphrase: string | undefined,
): Promise<PrivateKey[]> {
  const keys = await loadKeys('ownKeys', () =>
    isArmor(bytes)
      ? library.readPrivateKeys({ armoredKeys: toLatin1(bytes) })
      : library.readPrivateKeys({ binaryKeys: bytes }),
  )
  return Promise.all(keys.map((key) => unlockKey(library, key, passphrase)))
}

async function loadKeys<Keys>(setting: string, load: () => Promise<Keys>): Promise<Keys> {
  try {
    return await load()
  } catch {
    throw new Error(`${setting}: a file contains no readable key of this kind`)
  }
}

async function unlockKey(
  library: Library,
  privateKey: PrivateKey,
  passphrase: string | undefined,
): Promise<PrivateKey> {
  if (privateKey.isDecrypted()) return privateKey
  const id = formatKeyId(privateKey)
  if (passphrase === undefined) throw new Error(`ownKeys: the key ${id} requires a passphrase`)
  try {
    return await library.decryptKey({ privateKey, passphrase })
  } catch {
    throw new Error(`passphrase: it does not unlock the key ${id}`)
  }
}

async function describeKeys({ bank, own }: Keys, now: Date): Promise<readonly string[]> {
  const [theirs, ours] = [bank[0], own[0]]
  await assertUsable('bankKeys', theirs, () => theirs?.getEncryptionKey(undefined, now))
  await assertUsable('ownKeys', ours, () => ours?.getSigningKey(undefined, now))
  return [
    ...bank.map((key) => `bank ${formatKeyName(key)}`),
    ...own.map((key) => `own ${formatKeyName(key)}`),
  ]
}

async function assertUsable(setting: string, key: Key | undefined, use: () => unknown): Promise<void> {
  try {
    await use()
  } catch (error) {
    throw new Error(
      `${setting}: the key ${key ? formatKeyId(key) : ''} cannot be used: ${getErrorMessage(error)}`,
    )
  }
}

async function* encrypt(
  { createMessage, encrypt: encryptMessage }: Library,
  { bank, own, isArmored }: Keys,
  pieces: AsyncIterable<string>,
  now: Date,
): AsyncGenerator<Uint8Array> {
  const message = await createMessage({ binary: toStream(encodePieces(pieces)), format: 'binary' })
  const options = { message, encryptionKeys: bank.slice(0, 1), signingKeys: own.slice(0, 1), date: now }
  if (!isArmored) yield* await encryptMessage({ ...options, format: 'binary' })
  else yield* encodePieces(await encryptMessage({ ...options, format: 'armored' }))
}

async function* decrypt(
  library: Library,
  keys: Keys,
  pieces: AsyncIterable<Uint8Array>,
  now: Date,
): AsyncGenerator<Uint8Array> {
  const date = addSeconds(now, SKEW_SECONDS)
  try {
    const message = await readPgpMessage(library, pieces)
    const recipients = message.getEncryptionKeyIDs()
    if (recipients.length === 0) throw new UnreadableFile(explainUnencrypted(keys))
    const isOurs = recipients.some(
      (id) => id.toHex() === HIDDEN_RECIPIENT || keys.own.some((key) => key.getKeys(id).length > 0),
    )
    if (!isOurs) throw new UnreadableFile(explainRecipient(recipients.map(formatHex), keys))
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
    await verifySignatures(signatures, keys)
  } catch (error) {
    if (error instanceof UnreadableFile) throw error
    throw new UnreadableFile(`was changed or truncated after it was encrypted: ${getErrorMessage(error)}`)
  }
}

async function readPgpMessage({ readMessage }: Library, pieces: AsyncIterable<Uint8Array>) {
  const iterator = pieces[Symbol.asyncIterator]()
  let head: Uint8Array = new Uint8Array()
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    head = Buffer.concat([head, next.value])
    if (head.length >= HEAD_BYTES) break
  }
  const whole = (async function* () {
    yield head
    yield* { [Symbol.asyncIterator]: () => iterator }
  })()
  try {
    return isArmor(head)
      ? await readMessage({ armoredMessage: toStream(decodePieces(whole)) })
      : await readMessage({ binaryMessage: toStream(whole) })
  } catch {
    throw new UnreadableFile('is not encrypted: it is not a PGP message')
  }
}

interface Signature {
  readonly keyID: { toHex(): string }
  readonly verified: Promise<true>
}

/** A single valid signature by the bank is enough. */
async function verifySignatures(signatures: readonly Signature[], { bank }: Keys): Promise<void> {
  if (signatures.length === 0) throw new UnreadableFile('has no signature: the bank must sign its files')
  const faults: string[] = []
  for (const { keyID, verified } of signatures)
    try {
      await verified
      return
    } catch (error) {
      const isKnown = bank.some((key) => key.getKeyIDs().some((id) => id.toHex() === keyID.toHex()))
      faults.push(
        isKnown
          ? `has an invalid signature by the bank's key ${formatHex(keyID)}: ${getErrorMessage(error)}`
          : `is signed by the key ${formatHex(keyID)}, but the bank's key is ${formatKeyIds(bank)}: if the bank confirms the new key, add it to pgp.bankKeys`,
      )
    }
  throw new UnreadableFile(faults.join('; '))
}

function explainUnencrypted({ own }: Keys): string {
  return `is not encrypted: the bank must encrypt its files to our key ${formatKeyIds(own)}`
}

function explainRecipient(recipients: readonly string[], { own }: Keys): string {
  return `is encrypted to the key ${recipients.join(', ')}, but our key is ${formatKeyIds(own)}: send the bank our public key`
}

function formatKeyIds(keys: readonly Key[]): string {
  return keys.flatMap((key) => key.getKeyIDs().map(formatHex)).join(', ')
}

function formatKeyId(key: Key): string {
  return formatHex(key.getKeyID())
}

function formatHex(id: { toHex(): string }): string {
  return id.toHex().toUpperCase()
}

function formatKeyName(key: Key): string {
  return `${key.getFingerprint().toUpperCase()} ${key.getUserIDs()[0] ?? ''}`.trim()
}

function isArmor(bytes: Uint8Array): boolean {
  return ARMOR.test(toLatin1(bytes.subarray(0, HEAD_BYTES)))
}

function toLatin1(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

function toStream<Piece>(pieces: AsyncIterable<Piece>) {
  return Readable.toWeb(Readable.from(pieces))
}

async function* encodePieces(pieces: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

async function* decodePieces(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  for await (const piece of pieces) yield toLatin1(piece)
}
