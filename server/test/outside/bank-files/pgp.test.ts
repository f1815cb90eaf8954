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

let [own, bank, stranger]: readonly KeyPair[] = []
let [ours, theirs]: readonly Pgp[] = []
let now: Date
beforeAll(async () => {
  ;[own, bank, stranger] = await Promise.all(['acme', 'house', 'mallory'].map((name) => newKeyPair(name)))
  now = new Date()
  ;[ours, theirs] = await Promise.all([side(own, bank), side(bank, own)])
})

function given<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('The keys are made before the tests')
  return value
}

const side = (one: KeyPair | undefined, other: KeyPair | undefined, isArmored = false) =>
  sideOf(given(one), given(other), isArmored)
const written = async (pgp: Pgp | undefined) =>
  bytesIn(given(pgp).encrypt(yieldPieces(TEXT.slice(0, 1_000), TEXT.slice(1_000)), now))
const readBy = async (pgp: Pgp | undefined, ...pieces: Uint8Array[]) =>
  (await bytesIn(given(pgp).decrypt(yieldPieces(...pieces), now))).toString()

/** The reason for which a file is refused. */
async function refusalOf(bytes: Uint8Array): Promise<string> {
  const error: unknown = await readBy(ours, bytes).catch((thrown: unknown) => thrown)
  if (!(error instanceof UnreadableFile)) throw new Error('The file was not refused', { cause: error })
  return error.message
}

test.each([false, true])(
  'the bank reads what we write, and we read what it writes (as text: %s)',
  async (isArmored) => {
    const [we, they] = [await side(own, bank, isArmored), await side(bank, own, isArmored)]
    for (const [from, to] of [
      [we, they],
      [they, we],
    ]) {
      const bytes = await written(from)
      expect(bytes.includes('<Document>')).toBe(false)
      expect(bytes.toString('latin1').startsWith('-----BEGIN PGP MESSAGE-----')).toBe(isArmored)
      expect(await readBy(to, bytes.subarray(0, 1), bytes.subarray(1, 70_000), bytes.subarray(70_000))).toBe(
        TEXT,
      )
    }
  },
)

test('a file with a changed, missing or additional byte is refused', async () => {
  const bytes = await written(theirs)
  for (const at of [200, Math.floor(bytes.length / 2), bytes.length - 30]) {
    const changed = Buffer.from(bytes)
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at)
    expect(await refusalOf(changed)).toMatch(/^was changed or truncated after it was encrypted/)
  }
  for (const length of [300, bytes.length - 1])
    expect(await refusalOf(bytes.subarray(0, length))).toMatch(/^was changed or truncated/)
})

test('a file that is not encrypted, or only signed, is refused with the key to encrypt it to', async () => {
  expect(await refusalOf(Buffer.from('<?xml version="1.0"?><Document/>'))).toBe(
    'is not encrypted: it is not a PGP message',
  )
  const signingKeys = await readPrivateKey({ armoredKey: String(bank?.privateKey) })
  const message = await createMessage({ text: TEXT })
  const signed = await sign({ message, signingKeys, format: 'binary' })
  expect(await refusalOf(signed)).toMatch(
    /^is not encrypted: the bank must encrypt its files to our key [0-9A-F]{16}/,
  )
})

test('a file to another recipient is refused with both keys', async () => {
  const bytes = await written(await side(bank, stranger))
  expect(await refusalOf(bytes)).toMatch(
    /^is encrypted to the key [0-9A-F]{16}, but our key is [0-9A-F]{16}, [0-9A-F]{16}: send the bank our public key$/,
  )
})

test('a file without a signature, or signed by another key, is refused', async () => {
  const encryptionKeys = await readKey({ armoredKey: String(own?.publicKey) })
  const message = await createMessage({ text: TEXT })
  const unsigned = await encrypt({ message, encryptionKeys, format: 'binary' })
  expect(await refusalOf(unsigned)).toBe('has no signature: the bank must sign its files')
  expect(await refusalOf(await written(await side(stranger, own)))).toMatch(
    /^is signed by the key [0-9A-F]{16}, but the bank's key is .*: if the bank confirms the new key, add it to pgp\.bankKeys$/,
  )
})

test('our own file that comes back to us is not the bank’s', async () => {
  expect(await refusalOf(await written(ours))).toMatch(/^is encrypted to the key/)
  expect(await refusalOf(await written(await side(own, own)))).toMatch(/^is signed by the key/)
})

test('keys are replaced one after the other: a second key decrypts and verifies, the first one writes', async () => {
  const both = await createPgp({
    ownKeys: [given(stranger).privateKey, given(own).privateKey],
    bankKeys: [given(stranger).publicKey, given(bank).publicKey],
    ...{ passphrase: undefined, isArmored: false },
  })
  expect(await readBy(both, await written(theirs))).toBe(TEXT)
  const newOnly = await side(stranger, stranger)
  expect(await readBy(newOnly, await written(both))).toBe(TEXT)
  expect(await both.describe(now)).toHaveLength(4)
})

test('a locked key needs its passphrase, which no error repeats', async () => {
  const locked = await newKeyPair('locked', 'correct horse')
  const open = (passphrase: string | undefined) =>
    createPgp({
      ownKeys: [locked.privateKey],
      bankKeys: [given(bank).publicKey],
      passphrase,
      isArmored: false,
    })
  expect(await readBy(theirs, await written(ours))).toBe(TEXT)
  await expect(open('wrong battery')).rejects.toThrow(/^passphrase: it does not unlock the key [0-9A-F]{16}$/)
  await expect(open(undefined)).rejects.toThrow(/^ownKeys: the key [0-9A-F]{16} requires a passphrase$/)
  await expect(open('correct horse')).resolves.toBeDefined()
})

test('a file of the wrong kind of key is refused', async () => {
  const swapped = { ownKeys: [given(own).publicKey], bankKeys: [given(bank).publicKey] }
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
  const gpg = (args: readonly string[], input?: Uint8Array) =>
    execFileSync(
      'gpg',
      ['--homedir', home, '--batch', '--yes', '--quiet', '--trust-model', 'always', ...args],
      {
        input,
        stdio: ['pipe', 'pipe', 'pipe'],
      },
    )
  let we: Pgp
  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'gpg-'))
    gpg([
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
    gpg(['--import'], own?.publicKey)
    we = await createPgp({
      ...{ ownKeys: [given(own).privateKey], bankKeys: [gpg(['--export', 'house@gpg.example'])] },
      ...{ passphrase: undefined, isArmored: false },
    })
  })
  afterAll(() => {
    execFileSync('gpgconf', ['--homedir', home, '--kill', 'all'])
    rmSync(home, { recursive: true, force: true })
  })

  test('reads what we write, and finds our signature valid', async () => {
    const path = join(home, 'file.pgp')
    writeFileSync(path, await bytesIn(we.encrypt(yieldPieces(TEXT), new Date())))
    const out = join(home, 'file.xml')
    const status = gpg(['--status-fd', '1', '--output', out, '--decrypt', path]).toString()
    expect(status).toMatch(/GOODSIG [0-9A-F]{16} acme/)
    expect(execFileSync('cat', [out]).toString()).toBe(TEXT)
  })

  test.each([
    ['compressed', []],
    ['armored', ['--armor']],
    ['for a hidden recipient', ['--throw-keyids']],
    ['not compressed', ['--compress-algo', 'none']],
  ])('writes files that we read: %s', async (_, more) => {
    const bytes = gpg([...more, '--sign', '--encrypt', '--recipient', 'acme@bank.example'], Buffer.from(TEXT))
    expect((await bytesIn(we.decrypt(yieldPieces(bytes), new Date()))).toString()).toBe(TEXT)
  })

  test('writes files without a signature, which are refused', async () => {
    const bytes = gpg(['--encrypt', '--recipient', 'acme@bank.example'], Buffer.from(TEXT))
    await expect(bytesIn(we.decrypt(yieldPieces(bytes), new Date()))).rejects.toThrow('has no signature')
  })
})
