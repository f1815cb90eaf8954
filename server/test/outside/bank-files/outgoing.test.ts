import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runAllRails } from '../../../src/outside/bank-files/bank-file-worker.ts'
import { camtFile, readElement } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  ACH_FORMAT,
  type FileBank,
  findDepositReference,
  openFileBank,
  pauseWorkers,
  runTwoWorkers,
  SEPA_IBAN,
  waitUntilQueued,
} from '../../worlds/production/file-bank.testing.ts'

type Beneficiary = Readonly<Record<string, unknown>>
const ADA: Beneficiary = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'FR' }

async function addExternalAccount(bank: FileBank, customerId: string, accountInfo: object): Promise<string> {
  const currency = 'iban' in accountInfo ? 'EUR' : 'USD'
  const { status, body } = await bank.world.client.post('/customers/external-accounts', {
    ...{ customerId, currency, accountInfo },
  })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}

const buildSepaAccount = (more: object = {}) => ({
  accountType: 'EUR_ACCOUNT',
  iban: 'FR1420041010050500013M02606',
  beneficiary: ADA,
  ...more,
})
const buildUsAccount = (more: object = {}) => ({
  accountType: 'USD_ACCOUNT',
  accountNumber: '1234567890',
  routingNumber: '011401533',
  beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper' },
  ...more,
})

const send = (bank: FileBank, source: string, accountId: string, more: object = {}, payee: object = {}) =>
  bank.world.client.post('/transfer-out', {
    ...{ source: { accountId: source }, destination: { accountId, ...payee }, amount: 100, ...more },
  })

/** Lists every order in which two workers can make this many commits each. */
function listInterleavings(first: number, second: number): (1 | 2)[][] {
  if (first === 0 && second === 0) return [[]]
  const next1 = first > 0 ? listInterleavings(first - 1, second).map((order): (1 | 2)[] => [1, ...order]) : []
  const next2 =
    second > 0 ? listInterleavings(first, second - 1).map((order): (1 | 2)[] => [2, ...order]) : []
  return [...next1, ...next2]
}

describe('ACH files', () => {
  let bank: FileBank
  beforeAll(async () => {
    bank = await openFileBank('ACH', { format: { ...ACH_FORMAT, debitClass: 'WEB', deliveredAfterDays: 1 } })
  })
  afterAll(() => bank.close())

  async function pull(accountInfo: object) {
    const customer = await bank.customer()
    const payee = await addExternalAccount(bank, customer.customerId, accountInfo)
    const reply = await bank.world.client.post('/transfer-in', {
      ...{ source: { accountId: payee }, destination: { accountId: customer.account.id }, amount: 100 },
    })
    expect(reply.status, JSON.stringify(reply.body)).toBe(201)
    return { ...customer, id: reply.body.id as string }
  }

  test('ACH files never carry wires, real-time payments or truncated remittance information: such payments are refused when they are created', async () => {
    const customer = await bank.customer()
    const payee = await addExternalAccount(bank, customer.customerId, buildUsAccount())
    const transactions = [{ amount: '10.00', debtor: 'Ada', text: findDepositReference(customer.account) }]
    const entry = { amount: '10.00', direction: 'CRDT' as const, transactions }
    const statement = camtFile({ id: 'IN', balances: ['0.00', '10.00'], entries: [entry] })
    await bank.put(
      'in.xml',
      statement.replaceAll('EUR', 'USD').replaceAll(SEPA_IBAN, ACH_FORMAT.accountNumber),
    )
    await bank.waitForBalance(customer.customerId, 1_000n)
    for (const paymentRail of ['WIRE', 'RTP', 'FEDNOW']) {
      const { status, body } = await send(bank, customer.account.id, payee, {}, { paymentRail })
      expect([status, body.code]).toEqual([501, 'NOT_IMPLEMENTED'])
    }
    for (const [remittanceInformation, wanted] of [
      ['ß'.repeat(41), 400],
      ['ß'.repeat(40), 201],
    ] as const) {
      const { status, body } = await send(bank, customer.account.id, payee, { remittanceInformation })
      expect([status, body.details?.field]).toEqual([
        wanted,
        wanted === 400 ? 'remittanceInformation' : undefined,
      ])
    }
    const { text } = await bank.takeFile()
    expect(text).toMatch(new RegExp(`^705${'s'.repeat(80)}00010000001$`, 'm'))
  })

  test('an ACH file states the type of consent to a pull and the type of the account', async () => {
    await pull(buildUsAccount({ bankAccountType: 'SAVINGS' }))
    await pull(
      buildUsAccount({
        accountNumber: '1234567891',
        beneficiary: { beneficiaryType: 'BUSINESS', legalName: 'Hopper Inc' },
      }),
    )
    const lines = (await bank.takeFile()).text.split('\n')
    const batches = lines.filter((line) => line.startsWith('5')).map((line) => line.slice(50, 53))
    expect(batches.sort()).toEqual(['CCD', 'WEB'])
    const entries = lines
      .filter((line) => line.startsWith('6'))
      .map((line) => [line.slice(1, 3), line.slice(76, 78)])
    expect(entries.sort()).toEqual([
      ['27', '  '],
      ['37', 'S '],
    ])
  })

  test('an ACH pull is credited when it can no longer be returned, and not when the bank books it', async () => {
    const { customerId, id } = await pull(buildUsAccount({ accountNumber: '8880001' }))
    const { text } = await bank.takeFile()
    const { db } = bank.world.service.app
    const settlementRows = await until(
      async () => {
        const { rows } = await db.query<{ days: number }>(
          `SELECT (settles_at::date - executed_on::date) AS days FROM bank_files WHERE accepted_at IS NOT NULL
           ORDER BY number DESC LIMIT 1`,
        )
        return rows
      },
      (rows) => rows.length > 0,
    )
    // The rail is set to 1 banking day, but a file with pulls needs at least 2.
    expect(Number(settlementRows[0]?.days)).toBeGreaterThanOrEqual(2)
    const [reference = ''] = /CS[0-9A-F]{12}/.exec(text) ?? []
    const transactions = [{ amount: '1.00', endToEndId: reference, text: 'pull' }]
    const entry = { amount: '1.00', direction: 'CRDT' as const, transactions }
    const advice = camtFile({ id: 'PULLED', kind: '054', entries: [entry] })
    expect(
      await bank.put(
        'pulled.xml',
        advice.replaceAll('EUR', 'USD').replaceAll(SEPA_IBAN, ACH_FORMAT.accountNumber),
      ),
    ).toBe('done')
    const { rows } = await db.query<{ body: unknown }>(
      `SELECT body FROM rail_events WHERE type <> 'deposit.received'`,
    )
    expect(JSON.stringify(rows)).toContain(id)
    expect(await bank.balanceOf(customerId)).toBe(0n)
    await db.query(`UPDATE bank_files SET settles_at = 'epoch' WHERE settles_at IS NOT NULL`)
    bank.world.service.app.workers.wake()
    await bank.waitForBalance(customerId, 100n)
  })

  test('ACH files of one day have different modifiers', async () => {
    const modifiers: string[] = []
    for (let count = 0; count < 3; count++) {
      await pull(buildUsAccount({ accountNumber: `55${count}0001` }))
      const { text } = await bank.takeFile()
      modifiers.push(text.charAt(33))
    }
    expect(new Set(modifiers).size).toBe(3)
  })

  test('at most 36 ACH files are sent a day, and later payments wait for the next day', async () => {
    const { db } = bank.world.service.app
    await db.query(`UPDATE bank_files SET modifier = NULL, made_on = '2000-01-01T00:00'`)
    const columns = 'platform_id, rail, message_name, state, batches, payments, total, traces_before, format'
    const times = 'executed_on, accepted_at, settled_at, created_at, updated_at'
    const { rows } = await db.query<{ made_on: string }>(
      `SELECT to_char(now() AT TIME ZONE 'America/New_York', 'YYYY-MM-DD"T"HH24:MI') AS made_on`,
    )
    const madeOn = rows[0]?.made_on ?? ''
    for (const modifier of 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')
      await db.query(
        `INSERT INTO bank_files (id, number, name, made_on, modifier, ${columns}, ${times})
         SELECT gen_random_uuid(), 1000 + ascii($1), 'file ' || $1, $2, $1, ${columns}, ${times} FROM bank_files WHERE number = 1`,
        [modifier, madeOn],
      )
    await pull(buildUsAccount({ accountNumber: '7770001' }))
    await db.query(`UPDATE bank_file_workers SET collected_at = 'epoch'`)
    bank.world.service.app.workers.wake()
    await until(
      async () => (await db.query(`SELECT 1 FROM bank_file_workers WHERE collected_at = 'epoch'`)).rows,
      (found) => found.length === 0,
    )
    expect(await bank.outbox()).toEqual({})
    await db.query(`UPDATE bank_files SET modifier = NULL, made_on = '2000-01-01T00:00'`)
    expect((await bank.takeFile()).text).toContain('7770001')
  })
})

describe('SEPA files', () => {
  let bank: FileBank
  let customer: Awaited<ReturnType<FileBank['customer']>>
  beforeAll(async () => {
    bank = await openFileBank('SEPA', { filePaymentsMax: 2 })
    customer = await bank.customer()
    const transactions = [{ amount: '1000.00', debtor: 'Ada', text: findDepositReference(customer.account) }]
    const entries = [{ amount: '1000.00', direction: 'CRDT' as const, transactions }]
    expect(await bank.put('in.xml', camtFile({ id: 'IN', entries }))).toBe('done')
  })
  afterAll(() => bank.close())

  test('the name of a SEPA file contains its number and is unique across databases', async () => {
    const payee = await addExternalAccount(bank, customer.customerId, buildSepaAccount())
    const marks: string[] = []
    for (const number of ['00000001', '00000002']) {
      expect((await send(bank, customer.account.id, payee)).status).toBe(201)
      const { name, text } = await bank.takeFile()
      const [, mark = ''] = /^file-bank-\d{8}-([0-9a-f]{12})\.xml$/.exec(name) ?? []
      expect(name).toBe(`file-bank-${number}-${mark}.xml`)
      expect(text).toContain(`<MsgId>FILE-BANK-${mark.toUpperCase()}-${number}</MsgId>`)
      marks.push(mark)
    }
    expect(new Set(marks).size).toBe(2)
  })

  test('each payment is in exactly one SEPA file, however many files there are and however many processes write them', async () => {
    const { app } = bank.world.service
    const iban = 'NL91ABNA0417164300'
    const payee = await addExternalAccount(bank, customer.customerId, buildSepaAccount({ iban }))
    const amounts = [101, 102, 103, 104, 105]
    await app.db.query(`UPDATE bank_file_workers SET collected_at = '2999-01-01'`)
    for (const amount of amounts)
      expect((await send(bank, customer.account.id, payee, { amount })).status).toBe(201)
    await waitUntilQueued(bank.world, amounts.length)
    await app.db.query(`UPDATE bank_file_workers SET collected_at = 'epoch'`)
    await Promise.all(Array.from({ length: 5 }, () => runAllRails(app)))
    const files = await until(
      () => bank.outbox(),
      (found) => Object.keys(found).length === 3,
    )
    const writtenAmounts = Object.values(files).flatMap((text) =>
      [...text.matchAll(/<InstdAmt Ccy="EUR">(.*?)</g)].map(([, amount]) => amount),
    )
    expect(writtenAmounts.sort()).toEqual(['1.01', '1.02', '1.03', '1.04', '1.05'])
    for (const _ of Object.keys(files)) await bank.takeFile()
  })

  test('no SEPA file is empty, even if a worker that was presumed dead continues next to another one', async () => {
    const iban = 'DE02120300000000202051'
    const payee = await addExternalAccount(bank, customer.customerId, buildSepaAccount({ iban }))
    for (const order of listInterleavings(3, 3)) {
      await pauseWorkers(bank.world)
      expect((await send(bank, customer.account.id, payee)).status).toBe(201)
      await waitUntilQueued(bank.world, 1)
      await runTwoWorkers(bank.world, order)
      const files = await until(
        () => bank.outbox(),
        (found) => Object.keys(found).length > 0,
      )
      expect(Object.values(files).map((text) => readElement(text, 'NbOfTxs'))).toEqual(['1'])
      await bank.takeFile()
    }
  })

  test('SEPA files carry complete remittance information: a payment with a longer one is refused and the error names the field', async () => {
    const payee = await addExternalAccount(
      bank,
      customer.customerId,
      buildSepaAccount({ iban: 'FR7630006000011234567890189' }),
    )
    const longest = await send(bank, customer.account.id, payee, { remittanceInformation: 'ß'.repeat(70) })
    expect(longest.status, JSON.stringify(longest.body)).toBe(201)
    for (const remittanceInformation of ['ß'.repeat(71), '李小龍']) {
      const { status, body } = await send(bank, customer.account.id, payee, { remittanceInformation })
      expect([status, body.code, body.details?.field]).toEqual([
        400,
        'INVALID_INPUT',
        'remittanceInformation',
      ])
    }
    const { text } = await bank.takeFile()
    expect(text).toContain(`<Ustrd>${'s'.repeat(140)}</Ustrd>`)
  })

  test('a SEPA payment to a bank outside the EEA is refused if the rail has no address of the payer', async () => {
    const swiss = buildSepaAccount({
      iban: 'CH9300762011623852957',
      beneficiary: { ...ADA, fullName: 'Ada Swiss' },
    })
    const payee = await addExternalAccount(bank, customer.customerId, swiss)
    const { status, body } = await send(bank, customer.account.id, payee)
    expect([status, body.code, body.details?.field]).toEqual([400, 'INVALID_INPUT', 'destination.accountId'])
    expect(body.message).toContain('set format.address of the rail')
  })
})

describe('SEPA files with the address of the payer', () => {
  test('have structured addresses of both sides, and reach banks outside the EEA', async () => {
    const format = {
      ...{ type: 'SEPA', name: 'Acme GmbH', iban: 'DE89370400440532013000' },
      address: {
        street: 'Musterweg',
        buildingNumber: '7',
        postalCode: '10115',
        city: 'Berlin',
        country: 'DE',
      },
    }
    const bank = await openFileBank('SEPA', { format })
    try {
      const customer = await bank.customer()
      const transactions = [{ amount: '10.00', debtor: 'Ada', text: findDepositReference(customer.account) }]
      const entries = [{ amount: '10.00', direction: 'CRDT' as const, transactions }]
      await bank.put('in.xml', camtFile({ id: 'IN', entries }))
      const address = {
        line1: 'Bahnhofstrasse 1',
        line2: '2. OG',
        city: 'Zürich',
        postalCode: '8001',
        country: 'CH',
      }
      const swiss = buildSepaAccount({ iban: 'CH9300762011623852957', beneficiary: { ...ADA, address } })
      const payee = await addExternalAccount(bank, customer.customerId, swiss)
      expect((await send(bank, customer.account.id, payee)).status).toBe(201)
      const { text } = await bank.takeFile()
      expect(text).toContain(
        '<PstlAdr><StrtNm>Musterweg</StrtNm><BldgNb>7</BldgNb><PstCd>10115</PstCd><TwnNm>Berlin</TwnNm><Ctry>DE</Ctry></PstlAdr>',
      )
      expect(text).toContain(
        '<PstlAdr><StrtNm>Bahnhofstrasse 1, 2. OG</StrtNm><PstCd>8001</PstCd><TwnNm>Zurich</TwnNm><Ctry>CH</Ctry></PstlAdr>',
      )
    } finally {
      await bank.close()
    }
  })
})
