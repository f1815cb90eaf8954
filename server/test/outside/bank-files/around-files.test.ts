import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { camtFile } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import type { Pgp } from '../../../src/outside/bank-files/pgp.ts'
import {
  bytesIn,
  type KeyPair,
  newKeyPair,
  sideOf,
  yieldPieces,
} from '../../../src/outside/bank-files/pgp-keys.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  openFileBank,
  referenceOf,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

type Own = Awaited<ReturnType<FileBank['customer']>>

/** A statement by which this customer is paid 100.00. */
function paidIn({ account }: Own, id: string): string {
  const transactions = [{ amount: '100.00', debtor: 'Ada', text: referenceOf(account) }]
  const entries = [{ amount: '100.00', direction: 'CRDT' as const, servicerReference: id, transactions }]
  return camtFile({ id, kind: '054', entries })
}

const inUsd = (text: string) => text.replaceAll('EUR', 'USD').replaceAll(SEPA_IBAN, ACH_FORMAT.accountNumber)
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

async function hasBalance(bank: FileBank, own: Own, amount: bigint): Promise<void> {
  await until(
    () => bank.balanceOf(own.customerId),
    (balance) => balance === amount,
  )
}

async function refusalOf(bank: FileBank, name: string): Promise<string> {
  const { body } = await bank.world.client.get('/rail-events?status=WAITING')
  const reports: { body: { type: string; data: { name: string; reason: string } } }[] = body.data
  const found = reports.find((one) => one.body.type === 'file.refused' && one.body.data.name.includes(name))
  return found?.body.data.reason ?? 'not refused'
}

/** Sends from a customer who was paid. Resolves to the id of the payment. */
async function send(bank: FileBank, own: Own, accountInfo: object, amount = 100): Promise<string> {
  const currency = 'iban' in accountInfo ? 'EUR' : 'USD'
  const { body: to } = await bank.world.client.post('/customers/external-accounts', {
    ...{ customerId: own.customerId, currency, accountInfo },
  })
  const { status, body } = await bank.world.client.post('/transfer-out', {
    ...{ source: { accountId: own.account.id }, destination: { accountId: to.id }, amount },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const ADA = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'FR' } as const
const IBANS = ['FR1420041010050500013M02606', 'DE02120300000000202051', 'NL91ABNA0417164300']
const sepaAccount = (index: number) => ({ accountType: 'EUR_ACCOUNT', iban: IBANS[index], beneficiary: ADA })
const usAccount = (accountNumber: string) => ({
  ...{ accountType: 'USD_ACCOUNT', accountNumber, routingNumber: '011401533' },
  beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
})

describe('files with the names and markers of a bank', () => {
  let bank: FileBank
  beforeAll(async () => {
    bank = await openFileBank('SEPA', {
      depositsFrom: 'ADVICES',
      fileNames: 'ACME_{account}_{date:YYMMDD}_{sequence:2}.xml',
      markers: {
        ours: { name: '{stem}.ok', content: 'SHA256' },
        theirs: { name: '{file}.done', content: 'SHA256' },
      },
    })
  })
  afterAll(() => bank.close())

  test('are read only once their marker is there, and refused if it states another checksum', async () => {
    const own = await bank.customer()
    const text = paidIn(own, 'MARKED')
    await bank.drop('a.xml', text)
    expect(await bank.look()).toEqual(['a.xml'])
    await bank.drop('a.xml.done', '')
    expect(await bank.look(), 'the marker is not complete itself').toEqual(['a.xml', 'a.xml.done'])
    expect(await bank.balanceOf(own.customerId)).toBe(0n)
    await bank.drop('a.xml.done', `${sha256(text)}  a.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    await hasBalance(bank, own, 10_000n)

    const other = paidIn(own, 'OTHER')
    await bank.drop('b.xml', other)
    await bank.drop('b.xml.done', `${sha256(text)}  b.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    expect(await refusalOf(bank, 'b.xml')).toBe(
      `has the checksum ${sha256(other)}, but its marker states ${sha256(text)}`,
    )
    expect(await bank.balanceOf(own.customerId)).toBe(10_000n)
  })

  test('leave no marker behind that could stand for a later file of the same name', async () => {
    await bank.drop('c.xml.done', `${'0'.repeat(64)}  c.xml\n`)
    await until(bank.look, (names) => names.length === 0)
  })

  test('are read again with their marker after a refusal', async () => {
    const own = await bank.customer()
    const text = paidIn(own, 'AGAIN').replace('<Amt Ccy="EUR">100.00', '<Amt Ccy="EUR">100.00.0')
    await bank.drop('d.xml', `${text}<`)
    await bank.drop('d.xml.done', `${sha256(`${text}<`)}  d.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    const { app } = bank.world.service
    const args = ['bank-files', 'retry', '--file', 'd.xml']
    const output = JSON.stringify(await runCommand(app, args, bank.world.client.baseUrl))
    expect(output).toContain('The file is back in the inbox')
    await until(bank.look, (names) => names.length === 0)
    expect(await refusalOf(bank, 'd.xml')).not.toBe('not refused')
  })

  test('have the name of the day by the scheme of the bank, and then their marker with the checksum', async () => {
    const own = await bank.customer()
    const text = paidIn(own, 'FOR-NAMES')
    await bank.drop('e.xml', text)
    await bank.drop('e.xml.done', `${sha256(text)}  e.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    await hasBalance(bank, own, 10_000n)
    const seen: string[] = []
    for (const index of [0, 1]) {
      await send(bank, own, sepaAccount(index))
      const taken = [await bank.takeFile(), await bank.takeFile()].sort((one, other) =>
        one.name < other.name ? -1 : 1,
      )
      const [marker, file] = taken
      expect(file?.name).toMatch(/^ACME_DE89370400440532013000_\d{6}_\d\d\.xml$/)
      expect(marker).toEqual({
        name: file?.name.replace('.xml', '.ok'),
        text: `${sha256(file?.text ?? '')}  ${file?.name}\n`,
      })
      seen.push(file?.name ?? '')
    }
    expect(seen.map((name) => name.slice(-6, -4))).toEqual(['01', '02'])
  })
})

describe('files with PGP', () => {
  let bank: FileBank
  let folder: string
  let theirs: Pgp
  let pairs: readonly [KeyPair, KeyPair]
  const now = () => new Date()
  const encrypted = async (pgp: Pgp, text: string) => bytesIn(pgp.encrypt(yieldPieces(text), now()))
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pgp-keys-'))
    pairs = [await newKeyPair('acme'), await newKeyPair('house')]
    const [own, house] = pairs
    theirs = await sideOf(house, own)
    await writeFile(join(folder, 'own.asc'), own.privateKey)
    await writeFile(join(folder, 'bank.asc'), house.publicKey)
    const pgp = { ownKeys: [join(folder, 'own.asc')], bankKeys: [join(folder, 'bank.asc')], isArmored: true }
    bank = await openFileBank('SEPA', { pgp, depositsFrom: 'ADVICES' })
  })
  afterAll(async () => {
    await bank.close()
    await rm(folder, { recursive: true })
  })

  test('are read only by the bank, and count once although the bank encrypts one twice', async () => {
    const own = await bank.customer()
    const text = paidIn(own, 'SECRET')
    expect(await bank.put('one.pgp', await encrypted(theirs, text))).toBe('done')
    await hasBalance(bank, own, 10_000n)
    expect(await bank.put('two.pgp', await encrypted(theirs, text))).toBe('done')
    expect(await bank.balanceOf(own.customerId)).toBe(10_000n)
    await send(bank, own, sepaAccount(2))
    const { name, text: written } = await bank.takeFile()
    expect(name).toMatch(/\.xml\.pgp$/)
    expect(written).toMatch(/^-----BEGIN PGP MESSAGE-----/)
    const read = await bytesIn(theirs.decrypt(yieldPieces(Buffer.from(written)), now()))
    expect(read.toString()).toContain(`<IBAN>${IBANS[2]}</IBAN>`)
  })

  test('that are not encrypted, not signed by the bank or changed have no effect, and say why', async () => {
    const own = await bank.customer()
    const text = paidIn(own, 'FORGED')
    expect(await bank.put('plain.xml', text)).toBe('refused')
    expect(await refusalOf(bank, 'plain.xml')).toMatch(/^is not encrypted/)
    const stranger = await sideOf(await newKeyPair('mallory'), pairs[0])
    expect(await bank.put('forged.pgp', await encrypted(stranger, text))).toBe('refused')
    expect(await refusalOf(bank, 'forged.pgp')).toMatch(
      /^is signed by the key [0-9A-F]{16}, but the bank's key is/,
    )
    const changed = await encrypted(theirs, text)
    changed.writeUInt8(changed.readUInt8(changed.length - 40) ^ 1, changed.length - 40)
    expect(await bank.put('changed.pgp', changed)).toBe('refused')
    expect(await refusalOf(bank, 'changed.pgp')).toMatch(/^was changed or truncated after it was encrypted/)
    expect(await bank.balanceOf(own.customerId)).toBe(0n)
  })

  test('show their keys in `rails check`', async () => {
    const { app } = bank.world.service
    const output = JSON.stringify(await runCommand(app, ['rails', 'check'], bank.world.client.baseUrl))
    expect(output).toContain('own ')
    expect(output).toContain('house')
    expect(output).not.toContain('PRIVATE')
  })
})

describe('files that a bank acknowledges', () => {
  let bank: FileBank
  let own: Own
  beforeAll(async () => {
    bank = await openFileBank('ACH', {
      acknowledgements: { accepted: '{file}.ack', rejected: '{file}.nak' },
      depositsFrom: 'ADVICES',
      format: { ...ACH_FORMAT, isBalanced: true },
    })
    own = await bank.customer()
    expect(await bank.put('in.xml', inUsd(paidIn(own, 'IN')))).toBe('done')
    await hasBalance(bank, own, 10_000n)
  })
  afterAll(() => bank.close())

  const stateOf = async (id: string) => (await bank.world.client.get(`/transactions/${id}`)).body.status
  const rowOf = async (name: string) => {
    const { rows } = await bank.world.service.app.db.query<{
      state: string
      accepted: boolean
      settles: boolean
    }>(
      `SELECT state, accepted_at IS NOT NULL AS accepted, settles_at IS NOT NULL AS settles
       FROM bank_files WHERE name = $1`,
      [name],
    )
    return rows[0]
  }

  test('are accepted when the bank says so, and not when they are written; later files do not wait', async () => {
    await send(bank, own, usAccount('1230001'))
    const first = await bank.takeFile()
    expect(await rowOf(first.name)).toEqual({ state: 'WRITTEN', accepted: false, settles: false })
    await send(bank, own, usAccount('1230002'))
    const second = await bank.takeFile()
    const tracesIn = (text: string) => text.match(/^6.*$/gm)?.map((line) => line.slice(79))
    expect(new Set([...(tracesIn(first.text) ?? []), ...(tracesIn(second.text) ?? [])]).size).toBe(4)
    for (const { name } of [second, first]) {
      expect(await bank.put(`${name}.ack`, 'OK')).toBe('done')
      const row = await until(
        () => rowOf(name),
        (found) => found?.accepted === true,
      )
      expect(row).toEqual({ state: 'ACKNOWLEDGED', accepted: true, settles: true })
    }
  })

  test('have an offset entry, so that debits equal credits', async () => {
    await send(bank, own, usAccount('1230003'), 250)
    const { name, text } = await bank.takeFile()
    const control = text.split('\n').find((line) => line.startsWith('9') && !line.startsWith('99'))
    expect(control?.slice(31, 43)).toBe('000000000250')
    expect(control?.slice(43, 55)).toBe('000000000250')
    expect(text).toMatch(/^627021000021987654321 {8}0000000250OFFSET/m)
    expect(await bank.put(`${name}.ack`, 'OK')).toBe('done')
  })

  test('give the money back when the bank rejects them, once, and a later acceptance waits for a person', async () => {
    const before = await bank.balanceOf(own.customerId)
    const id = await send(bank, own, usAccount('1230004'), 300)
    const { name } = await bank.takeFile()
    expect(await bank.put(`${name}.nak`, 'Batch 1 out of balance\n')).toBe('done')
    await hasBalance(bank, own, before)
    expect(await stateOf(id)).toBe('FAILED')
    expect(await bank.put(`${name}.ack`, 'OK')).toBe('done')
    const { body } = await bank.world.client.get('/rail-events?status=WAITING')
    const waiting = body.data.find((one: { type: string }) => one.type === 'file.acknowledged')
    expect(waiting).toMatchObject({
      reason: 'CONTRADICTION',
      body: { data: { file: name, says: 'acknowledge' } },
    })
    expect(await bank.balanceOf(own.customerId)).toBe(before)
    expect((await rowOf(name))?.state).toBe('REJECTED')
  })

  test('an acknowledgement of an unknown file is refused', async () => {
    expect(await bank.put('other.ach.ack', 'OK')).toBe('refused')
    expect(await refusalOf(bank, 'other.ach.ack')).toBe(
      'acknowledges "other.ach", but this server has not written a file with that name',
    )
  })
})
