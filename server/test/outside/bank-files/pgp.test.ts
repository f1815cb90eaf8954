import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMessage, encrypt, readKey, readPrivateKey, sign } from 'openpgp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { UnreadableFile } from '../../../src/outside/bank-files/formats/unreadable-file.ts'
import { createPgp, type Pgp } from '../../../src/outside/bank-files/pgp.ts'
import {
  bytesIn,
  type KeyPair,
  newKeyPair,
  sideOf,
  yieldPieces,
} from '../../../src/outside/bank-files/pgp-keys.testing.ts'

const TEXT = '<Document>12.50 für Ada</Document>\n'.repeat(5_000)

let [ourKeys, bankKeys, strangerKeys]: readonly KeyPair[] = []
let [ourPgp, bankPgp]: readonly Pgp[] = []
let now: Date
beforeAll(async () => {
  ;[ourKeys, bankKeys, strangerKeys] = await Promise.all(
    ['acme', 'house', 'mallory'].map((name) => newKeyPair(name)),
  )
  now = new Date()
  ;[ourPgp, bankPgp] = await Promise.all([createSide(ourKeys, bankKeys), createSide(bankKeys, ourKeys)])
})

function requireKeys<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The keys are made before the tests')
  return value
}

const createSide = (owner: KeyPair | undefined, peer: KeyPair | undefined, isArmored = false) =>
  sideOf(requireKeys(owner), requireKeys(peer), isArmored)
const encryptText = async (pgp: Pgp | undefined) =>
  bytesIn(requireKeys(pgp).encrypt(yieldPieces(TEXT.slice(0, 1_000), TEXT.slice(1_000)), now))
const decryptText = async (pgp: Pgp | undefined, ...pieces: Uint8Array[]) =>
  (await bytesIn(requireKeys(pgp).decrypt(yieldPieces(...pieces), now))).toString()

/** Returns the reason why a file is refused. */
async function readRefusal(bytes: Uint8Array): Promise<string> {
  const error: unknown = await decryptText(ourPgp, bytes).catch((thrown: unknown) => thrown)
  if (!(error instanceof UnreadableFile)) throw new Error('The file was not refused', { cause: error })
  return error.message
}

test.each([false, true])(
  'the bank can read our files, and we can read its files (armored: %s)',
  async (isArmored) => {
    const [ourSide, bankSide] = [
      await createSide(ourKeys, bankKeys, isArmored),
      await createSide(bankKeys, ourKeys, isArmored),
    ]
    for (const [from, to] of [
      [ourSide, bankSide],
      [bankSide, ourSide],
    ]) {
      const bytes = await encryptText(from)
      expect(bytes.includes('<Document>')).toBe(false)
      expect(bytes.toString('latin1').startsWith('-----BEGIN PGP MESSAGE-----')).toBe(isArmored)
      expect(
        await decryptText(to, bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000)),
      ).toBe(TEXT)
    }
  },
)

test('a file with a changed, missing or additional byte is refused', async () => {
  const bytes = await encryptText(bankPgp)
  for (const at of [200, Math.floor(bytes.length / 2), bytes.length - 30]) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(await readRefusal(changed)).toMatch(/^was changed or truncated after it was encrypted/)
  }
  for (const length of [300, bytes.length - 1])
    expect(await readRefusal(bytes.subarray(0, length))).toMatch(/^was changed or truncated/)
})

test('a file that is not encrypted, or only signed, is refused with the key to encrypt it to', async () => {
  expect(await readRefusal(Buffer.from('<?xml version="1.0"?><Document/>'))).toBe(
    'is not encrypted: it is not a PGP message',
  )
  const signingKeys = await readPrivateKey({ armoredKey: String(bankKeys?.privateKey) })
  const message = await createMessage({ text: TEXT })
  const signed = await sign({ message, signingKeys, format: 'binary' })
  expect(await readRefusal(signed)).toMatch(
    /^is not encrypted: the bank must encrypt its files to our key [0-9A-F]{16}/,
  )
})

test('a file that is encrypted to another recipient is refused with both keys', async () => {
  const bytes = await encryptText(await createSide(bankKeys, strangerKeys))
  expect(await readRefusal(bytes)).toMatch(
    /^is encrypted to the key [0-9A-F]{16}, but our key is [0-9A-F]{16}, [0-9A-F]{16}: send the bank our public key$/,
  )
})

test('a file without a signature, or signed by another key, is refused', async () => {
  const encryptionKeys = await readKey({ armoredKey: String(ourKeys?.publicKey) })
  const message = await createMessage({ text: TEXT })
  const unsigned = await encrypt({ message, encryptionKeys, format: 'binary' })
  expect(await readRefusal(unsigned)).toBe('has no signature: the bank must sign its files')
  expect(await readRefusal(await encryptText(await createSide(strangerKeys, ourKeys)))).toMatch(
    /^is signed by the key [0-9A-F]{16}, but the bank's key is .*: if the bank confirms the new key, add it to pgp\.bankKeys$/,
  )
})

test('our own file is refused if it comes back to us', async () => {
  expect(await readRefusal(await encryptText(ourPgp))).toMatch(/^is encrypted to the key/)
  expect(await readRefusal(await encryptText(await createSide(ourKeys, ourKeys)))).toMatch(
    /^is signed by the key/,
  )
})

test('with two keys on each side the second also decrypts and verifies, while the first encrypts and signs', async () => {
  const combined = await createPgp({
    ownKeys: [requireKeys(strangerKeys).privateKey, requireKeys(ourKeys).privateKey],
    bankKeys: [requireKeys(strangerKeys).publicKey, requireKeys(bankKeys).publicKey],
    ...{ passphrase: undefined, isArmored: false },
  })
  expect(await decryptText(combined, await encryptText(bankPgp))).toBe(TEXT)
  const newOnly = await createSide(strangerKeys, strangerKeys)
  expect(await decryptText(newOnly, await encryptText(combined))).toBe(TEXT)
  expect(await combined.describe(now)).toHaveLength(4)
})

test('a locked key needs its passphrase, and no error repeats the passphrase', async () => {
  const locked = await newKeyPair('locked', 'correct horse')
  const openPgp = (passphrase: string | undefined) =>
    createPgp({
      ownKeys: [locked.privateKey],
      bankKeys: [requireKeys(bankKeys).publicKey],
      passphrase,
      isArmored: false,
    })
  expect(await decryptText(bankPgp, await encryptText(ourPgp))).toBe(TEXT)
  await expect(openPgp('wrong battery')).rejects.toThrow(
    /^passphrase: it does not unlock the key [0-9A-F]{16}$/,
  )
  await expect(openPgp(undefined)).rejects.toThrow(/^ownKeys: the key [0-9A-F]{16} requires a passphrase$/)
  await expect(openPgp('correct horse')).resolves.toBeDefined()
})

test('a key file with the wrong kind of key is refused', async () => {
  const swapped = { ownKeys: [requireKeys(ourKeys).publicKey], bankKeys: [requireKeys(bankKeys).publicKey] }
  await expect(createPgp({ ...swapped, passphrase: undefined, isArmored: false })).rejects.toThrow(
    'ownKeys: a file contains no readable key of this kind',
  )
})

function hasGpg(): boolean {
  try {
    execFileSync('gpg', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    process.stderr.write('gpg is not installed: the tests against it are skipped\n')
    return false
  }
}

describe.skipIf(!hasGpg())('gpg', () => {
  let home: string
  const runGpg = (args: readonly string[], input?: Uint8Array) =>
    execFileSync(
      'gpg',
      ['--homedir', home, '--batch', '--yes', '--quiet', '--trust-model', 'always', ...args],
      {
        input,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
  let ourSide: Pgp
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'gpg-'))
    runGpg([
      '--pinentry-mode',
      'loopback',
      '--passphrase',
      '',
      '--quick-generate-key',
      'house@gpg.example',
      'default',
      'default',
      'never',
    ])
    runGpg(['--import'], ourKeys?.publicKey)
    ourSide = await createPgp({
      ...{
        ownKeys: [requireKeys(ourKeys).privateKey],
        bankKeys: [runGpg(['--export', 'house@gpg.example'])],
      },
      ...{ passphrase: undefined, isArmored: false },
    })
  })
  afterAll(() => {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'])
    rmSync(home, { recursive: true, force: true })
  })

  test('can read our files, and finds our signature valid', async () => {
    const path = join(home, 'file.pgp')
    writeFileSync(path, await bytesIn(ourSide.encrypt(yieldPieces(TEXT), new Date())))
    const out = join(home, 'file.xml')
    const status = runGpg(['--status-fd', '1', '--output', out, '--decrypt', path]).toString()
    expect(status).toMatch(/GOODSIG [0-9A-F]{16} acme/)
    expect(execFileSync('cat', [out]).toString()).toBe(TEXT)
  })

  test.each([
    ['compressed', []],
    ['armored', ['--armor']],
    ['for a hidden recipient', ['--throw-keyids']],
    ['not compressed', ['--compress-algo', 'none']],
  ])('writes files that we can read (%s)', async (_, more) => {
    const bytes = runGpg(
      [...more, '--sign', '--encrypt', '--recipient', 'acme@bank.example'],
      Buffer.from(TEXT),
    )
    expect((await bytesIn(ourSide.decrypt(yieldPieces(bytes), new Date()))).toString()).toBe(TEXT)
  })

  test('writes files without a signature, which are refused', async () => {
    const bytes = runGpg(['--encrypt', '--recipient', 'acme@bank.example'], Buffer.from(TEXT))
    await expect(bytesIn(ourSide.decrypt(yieldPieces(bytes), new Date()))).rejects.toThrow('has no signature')
  })
})
