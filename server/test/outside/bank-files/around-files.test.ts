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
  findDepositReference,
  openFileBank,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

type Customer = Awaited<ReturnType<FileBank['customer']>>

/** Builds an advice that pays this customer 100.00. */
function buildAdvice({ account }: Customer, id: string): string {
  const transactions = [{ amount: '100.00', debtor: 'Ada', text: findDepositReference(account) }]
  const entries = [{ amount: '100.00', direction: 'CRDT' as const, servicerReference: id, transactions }]
  return camtFile({ id, kind: '054', entries })
}

const toUsd = (text: string) => text.replaceAll('EUR', 'USD').replaceAll(SEPA_IBAN, ACH_FORMAT.accountNumber)
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

async function readRefusal(bank: FileBank, name: string): Promise<string> {
  const { body } = await bank.world.client.get('/rail-events?status=WAITING')
  const reports: { body: { type: string; data: { name: string; reason: string } } }[] = body.data
  const refusal = reports.find(
    (report) => report.body.type === 'file.refused' && report.body.data.name.includes(name),
  )
  return refusal?.body.data.reason ?? 'not refused'
}

/** Sends a payment of a customer with money, and resolves to its id. */
async function send(bank: FileBank, customer: Customer, accountInfo: object, amount = 100): Promise<string> {
  const currency = 'iban' in accountInfo ? 'EUR' : 'USD'
  const { body: payee } = await bank.world.client.post('/customers/external-accounts', {
    ...{ customerId: customer.customerId, currency, accountInfo },
  })
  const { status, body } = await bank.world.client.post('/transfer-out', {
    ...{ source: { accountId: customer.account.id }, destination: { accountId: payee.id }, amount },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const ADA = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'FR' } as const
const IBANS = ['FR1420041010050500013M02606', 'DE02120300000000202051', 'NL91ABNA0417164300']
const buildSepaAccount = (index: number) => ({
  accountType: 'EUR_ACCOUNT',
  iban: IBANS[index],
  beneficiary: ADA,
})
const buildUsAccount = (accountNumber: string) => ({
  ...{ accountType: 'USD_ACCOUNT', accountNumber, routingNumber: '011401533' },
  beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
})

describe('bank files with markers', () => {
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

  test('a file is read only once its marker exists, and refused if the marker states another checksum', async () => {
    const customer = await bank.customer()
    const text = buildAdvice(customer, 'MARKED')
    await bank.drop('a.xml', text)
    expect(await bank.look()).toEqual(['a.xml'])
    await bank.drop('a.xml.done', '')
    expect(await bank.look(), 'the marker is not complete itself').toEqual(['a.xml', 'a.xml.done'])
    expect(await bank.balanceOf(customer.customerId)).toBe(0n)
    await bank.drop('a.xml.done', `${sha256(text)}  a.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    await bank.waitForBalance(customer.customerId, 10_000n)

    const otherText = buildAdvice(customer, 'OTHER')
    await bank.drop('b.xml', otherText)
    await bank.drop('b.xml.done', `${sha256(text)}  b.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    expect(await readRefusal(bank, 'b.xml')).toBe(
      `has the checksum ${sha256(otherText)}, but its marker states ${sha256(text)}`,
    )
    expect(await bank.balanceOf(customer.customerId)).toBe(10_000n)
  })

  test('a marker without a file is removed, so that it cannot stand for a later file of that name', async () => {
    await bank.drop('c.xml.done', `${'0'.repeat(64)}  c.xml\n`)
    await until(bank.look, (names) => names.length === 0)
  })

  test('a refused file can be read again together with its marker', async () => {
    const customer = await bank.customer()
    const text = buildAdvice(customer, 'AGAIN').replace('<Amt Ccy="EUR">100.00', '<Amt Ccy="EUR">100.00.0')
    await bank.drop('d.xml', `${text}<`)
    await bank.drop('d.xml.done', `${sha256(`${text}<`)}  d.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    const { app } = bank.world.service
    const args = ['bank-files', 'retry', '--file', 'd.xml']
    const output = JSON.stringify(await runCommand(app, args, bank.world.client.baseUrl))
    expect(output).toContain('The file is back in the inbox')
    await until(bank.look, (names) => names.length === 0)
    expect(await readRefusal(bank, 'd.xml')).not.toBe('not refused')
  })

  test('an outgoing file follows the naming scheme of the bank, and a marker with its checksum follows it', async () => {
    const customer = await bank.customer()
    const text = buildAdvice(customer, 'FOR-NAMES')
    await bank.drop('e.xml', text)
    await bank.drop('e.xml.done', `${sha256(text)}  e.xml\n`)
    await until(bank.look, (names) => names.length === 0)
    await bank.waitForBalance(customer.customerId, 10_000n)
    const names: string[] = []
    for (const index of [0, 1]) {
      await send(bank, customer, buildSepaAccount(index))
      const files = [await bank.takeFile(), await bank.takeFile()].sort((a, b) => (a.name < b.name ? -1 : 1))
      const [marker, file] = files
      expect(file?.name).toMatch(/^ACME_DE89370400440532013000_\d{6}_\d\d\.xml$/)
      expect(marker).toEqual({
        name: file?.name.replace('.xml', '.ok'),
        text: `${sha256(file?.text ?? '')}  ${file?.name}\n`,
      })
      names.push(file?.name ?? '')
    }
    expect(names.map((name) => name.slice(-6, -4))).toEqual(['01', '02'])
  })
})

describe('bank files with PGP', () => {
  let bank: FileBank
  let folder: string
  let bankPgp: Pgp
  let pairs: readonly [KeyPair, KeyPair]
  const now = () => new Date()
  const encryptText = async (pgp: Pgp, text: string) => bytesIn(pgp.encrypt(yieldPieces(text), now()))
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'pgp-keys-'))
    pairs = [await newKeyPair('acme'), await newKeyPair('house')]
    const [ourKeys, bankKeys] = pairs
    bankPgp = await sideOf(bankKeys, ourKeys)
    await writeFile(join(folder, 'own.asc'), ourKeys.privateKey)
    await writeFile(join(folder, 'bank.asc'), bankKeys.publicKey)
    const pgp = { ownKeys: [join(folder, 'own.asc')], bankKeys: [join(folder, 'bank.asc')], isArmored: true }
    bank = await openFileBank('SEPA', { pgp, depositsFrom: 'ADVICES' })
  })
  afterAll(async () => {
    await bank.close()
    await rm(folder, { recursive: true })
  })

  test('only the bank can read an outgoing file, and an incoming file counts once even if the bank encrypts it twice', async () => {
    const customer = await bank.customer()
    const text = buildAdvice(customer, 'SECRET')
    expect(await bank.put('one.pgp', await encryptText(bankPgp, text))).toBe('done')
    await bank.waitForBalance(customer.customerId, 10_000n)
    expect(await bank.put('two.pgp', await encryptText(bankPgp, text))).toBe('done')
    expect(await bank.balanceOf(customer.customerId)).toBe(10_000n)
    await send(bank, customer, buildSepaAccount(2))
    const { name, text: written } = await bank.takeFile()
    expect(name).toMatch(/\.xml\.pgp$/)
    expect(written).toMatch(/^-----BEGIN PGP MESSAGE-----/)
    const read = await bytesIn(bankPgp.decrypt(yieldPieces(Buffer.from(written)), now()))
    expect(read.toString()).toContain(`<IBAN>${IBANS[2]}</IBAN>`)
  })

  test('a file that is unencrypted, changed or not signed by the bank has no effect, and its refusal says why', async () => {
    const customer = await bank.customer()
    const text = buildAdvice(customer, 'FORGED')
    expect(await bank.put('plain.xml', text)).toBe('refused')
    expect(await readRefusal(bank, 'plain.xml')).toMatch(/^is not encrypted/)
    const strangerPgp = await sideOf(await newKeyPair('mallory'), pairs[0])
    expect(await bank.put('forged.pgp', await encryptText(strangerPgp, text))).toBe('refused')
    expect(await readRefusal(bank, 'forged.pgp')).toMatch(
      /^is signed by the key [0-9A-F]{16}, but the bank's key is/,
    )
    const changed = await encryptText(bankPgp, text)
    changed.writeUInt8(changed.readUInt8(changed.length - 40) ^ 1, changed.length - 40)
    expect(await bank.put('changed.pgp', changed)).toBe('refused')
    expect(await readRefusal(bank, 'changed.pgp')).toMatch(/^was changed or truncated after it was encrypted/)
    expect(await bank.balanceOf(customer.customerId)).toBe(0n)
  })

  test('`rails check` shows the PGP keys of both sides', async () => {
    const { app } = bank.world.service
    const output = JSON.stringify(await runCommand(app, ['rails', 'check'], bank.world.client.baseUrl))
    expect(output).toContain('own ')
    expect(output).toContain('house')
    expect(output).not.toContain('PRIVATE')
  })
})

describe('bank files with acknowledgements', () => {
  let bank: FileBank
  let customer: Customer
  beforeAll(async () => {
    bank = await openFileBank('ACH', {
      acknowledgements: { accepted: '{file}.ack', rejected: '{file}.nak' },
      depositsFrom: 'ADVICES',
      format: { ...ACH_FORMAT, isBalanced: true },
    })
    customer = await bank.customer()
    expect(await bank.put('in.xml', toUsd(buildAdvice(customer, 'IN')))).toBe('done')
    await bank.waitForBalance(customer.customerId, 10_000n)
  })
  afterAll(() => bank.close())

  const readStatus = async (id: string) => (await bank.world.client.get(`/transactions/${id}`)).body.status
  const findFileRow = async (name: string) => {
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

  test('a file is accepted when the bank says so, not when it is written, and later files do not wait for it', async () => {
    await send(bank, customer, buildUsAccount('1230001'))
    const first = await bank.takeFile()
    expect(await findFileRow(first.name)).toEqual({ state: 'WRITTEN', accepted: false, settles: false })
    await send(bank, customer, buildUsAccount('1230002'))
    const second = await bank.takeFile()
    const listTraces = (text: string) => text.match(/^6.*$/gm)?.map((line) => line.slice(79))
    expect(new Set([...(listTraces(first.text) ?? []), ...(listTraces(second.text) ?? [])]).size).toBe(4)
    for (const { name } of [second, first]) {
      expect(await bank.put(`${name}.ack`, 'OK')).toBe('done')
      const row = await until(
        () => findFileRow(name),
        (found) => found?.accepted === true,
      )
      expect(row).toEqual({ state: 'ACKNOWLEDGED', accepted: true, settles: true })
    }
  })

  test('a balanced file has an offset entry, so that debits equal credits', async () => {
    await send(bank, customer, buildUsAccount('1230003'), 250)
    const { name, text } = await bank.takeFile()
    const control = text.split('\n').find((line) => line.startsWith('9') && !line.startsWith('99'))
    expect(control?.slice(31, 43)).toBe('000000000250')
    expect(control?.slice(43, 55)).toBe('000000000250')
    expect(text).toMatch(/^627021000021987654321 {8}0000000250OFFSET/m)
    expect(await bank.put(`${name}.ack`, 'OK')).toBe('done')
  })

  test('a rejected file refunds its payments once, and a later acceptance of it waits for a person', async () => {
    const before = await bank.balanceOf(customer.customerId)
    const id = await send(bank, customer, buildUsAccount('1230004'), 300)
    const { name } = await bank.takeFile()
    expect(await bank.put(`${name}.nak`, 'Batch 1 out of balance\n')).toBe('done')
    await bank.waitForBalance(customer.customerId, before)
    expect(await readStatus(id)).toBe('FAILED')
    expect(await bank.put(`${name}.ack`, 'OK')).toBe('done')
    const { body } = await bank.world.client.get('/rail-events?status=WAITING')
    const waitingReport = body.data.find((report: { type: string }) => report.type === 'file.acknowledged')
    expect(waitingReport).toMatchObject({
      reason: 'CONTRADICTION',
      body: { data: { file: name, says: 'acknowledge' } },
    })
    expect(await bank.balanceOf(customer.customerId)).toBe(before)
    expect((await findFileRow(name))?.state).toBe('REJECTED')
  })

  test('an acknowledgement of an unknown file is refused', async () => {
    expect(await bank.put('other.ach.ack', 'OK')).toBe('refused')
    expect(await readRefusal(bank, 'other.ach.ack')).toBe(
      'acknowledges "other.ach", but this server has not written a file with that name',
    )
  })
})
