import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { vectorPath } from '../../../src/base/crypto/vectors.testing.ts'
import { bai2File } from '../../../src/outside/bank-files/formats/bai2.testing.ts'
import {
  mt940File,
  type SampleMtEntry,
  type SampleMtLayout,
  type SampleMtMessage,
  signed,
} from '../../../src/outside/bank-files/formats/mt-940.testing.ts'
import { camtFile, type SampleEntry } from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  openFileBank,
  referenceOf,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA', { statementFormat: 'MT940', bankCodes: [{ code: '805', kind: 'FEE' }] })
})
afterAll(() => bank.close())

const PAYER = 'DE02120300000000202051'
let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')
let balance = 0n

/** The next day of the account, so that no test meets the statements of another. */
function nextDay(): string {
  day += 86_400_000
  return new Date(day).toISOString().slice(0, 10)
}

/** A statement of a whole day: it continues from the balance of the day before. */
function wholeDay(
  date: string,
  entries: readonly SampleMtEntry[],
  more: Partial<SampleMtMessage> = {},
): SampleMtMessage {
  const opening = balance
  balance += entries.reduce((sum, one) => sum + signed(one), 0n)
  const ofDay = entries.map((one) => ({ bookedOn: date, ...one }))
  count += 1
  return {
    ...{ account: SEPA_IBAN, number: `${count}/1`, openedOn: date, closedOn: date, opening, entries: ofDay },
    ...more,
  }
}

const put = (text: string) => bank.put(`mt940-${++count}.sta`, text)
const putDay = (entries: readonly SampleMtEntry[], layout: SampleMtLayout = {}) =>
  put(mt940File([wholeDay(nextDay(), entries)], layout))

const credit = (reference: string, amount: bigint): SampleMtEntry => ({
  ...{ amount, bank: `B-${++count}`, name: 'ADA LOVELACE', account: PAYER },
  text: `INVOICE 12 FOR ${reference}`,
})
async function payer() {
  const { customerId, account } = await bank.customer()
  return { customerId, account, reference: referenceOf(account) }
}
const balanceIs = (customerId: string, wanted: bigint) =>
  until(
    () => bank.balanceOf(customerId),
    (found) => found === wanted,
  )
const waiting = async () => (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data
const dayOf = async (date: string) =>
  (await bank.world.client.get(`/reconciliations?startDate=${date}&endDate=${date}`)).body.data[0]

/** A customer pays somebody from money that a statement has credited. */
async function paid(amount: number) {
  const { customerId, account, reference } = await payer()
  await putDay([credit(reference, 1_000n)])
  await balanceIs(customerId, 1_000n)
  const to = await bank.world.client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'EUR' },
    accountInfo: {
      ...{ accountType: 'EUR_ACCOUNT', iban: PAYER },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', countryOfResidence: 'DE' },
    },
  })
  expect(to.status, JSON.stringify(to.body)).toBe(201)
  const ends = { source: { accountId: account.id }, destination: { accountId: to.body.id } }
  const sent = await bank.world.client.post('/transfer-out', { ...ends, amount })
  expect(sent.status, JSON.stringify(sent.body)).toBe(201)
  const { text } = await bank.takeFile()
  const inside = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? ''
  const transactionIs = (status: string) =>
    until(
      async () => (await bank.world.client.get(`/transactions/${sent.body.id}`)).body,
      (found) => found.status === status,
    )
  return { customerId, transactionIs, endToEndId: inside('EndToEndId'), messageId: inside('MsgId') }
}

describe('a booking counts in one format of statements', () => {
  test('so a rail that does not name MT940 refuses its statements with the setting to change, and counts nothing', async () => {
    const undeclared = await openFileBank('SEPA')
    const { customerId, account } = await undeclared.customer()
    const entries = [{ ...credit(referenceOf(account), 700n), bookedOn: '2026-03-02' }]
    const ends = { openedOn: '2026-03-02', closedOn: '2026-03-02', opening: 0n }
    const text = mt940File([{ account: SEPA_IBAN, number: '1/1', ...ends, entries }])
    expect(await undeclared.put('day.sta', text)).toBe('refused')
    expect(await undeclared.balanceOf(customerId)).toBe(0n)
    const { client } = undeclared.world
    const [report] = (await client.get('/rail-events?status=WAITING')).body.data
    expect(report.body.data.reason).toMatch(/^has a statement in MT940; set statementFormat /)
    expect((await client.get('/deposits')).body.data).toEqual([])
    await undeclared.close()
  })

  test('so a rail of MT940 refuses camt.053, with or without balances, and reads advices in camt.054', async () => {
    const declared = await openFileBank('SEPA', { statementFormat: 'MT940' })
    const amount = '7.00'
    const entries: SampleEntry[] = [{ amount, direction: 'CRDT', servicerReference: 'SVC-1' }]
    expect(await declared.put('whole.xml', camtFile({ id: 'W', balances: ['0.00', amount], entries }))).toBe(
      'refused',
    )
    expect(await declared.put('lines.xml', camtFile({ id: 'L', entries }))).toBe('refused')
    expect(await declared.put('advice.xml', camtFile({ kind: '054', id: 'A', entries }))).toBe('done')
    expect((await declared.world.client.get('/deposits')).body.data).toEqual([])
    await declared.close()
  })

  test('so a rail with debits refuses BAI2, which could report a collection as a deposit, and counts nothing', async () => {
    const collecting = await openFileBank('SEPA_DEBIT')
    const { account } = await collecting.customer()
    const text = bai2File([
      {
        date: '260302',
        accounts: [
          {
            ...{ account: SEPA_IBAN, currency: 'EUR' },
            summaries: [
              ['010', 0n],
              ['015', 700n],
            ],
            transactions: [{ code: '165', amount: 700n, bank: 'B-1', texts: [referenceOf(account)] }],
          },
        ],
      },
    ])
    expect(await collecting.put('day.bai', text)).toBe('refused')
    const { client } = collecting.world
    const [report] = (await client.get('/rail-events?status=WAITING')).body.data
    expect(report.body.data.reason).toMatch(
      /^has a statement in BAI2; a rail with debits needs camt.053 or MT940/,
    )
    expect((await client.get('/deposits')).body.data).toEqual([])
    await collecting.close()
  })
})

describe('an MT940 file', () => {
  test('closes a day: a deposit is credited with its payer, a payout is confirmed, charges are named, and the day is compared', async () => {
    const { reference, customerId } = await payer()
    const { transactionIs, endToEndId } = await paid(300)
    const date = nextDay()
    const entries: SampleMtEntry[] = [
      credit(reference, 4_500n),
      { amount: 300n, mark: 'D', gvc: '116', endToEndId, text: 'PAYOUT', name: 'GRACE HOPPER' },
      { amount: 25n, mark: 'D', type: 'NCHG', gvc: '808', text: 'FEE BY ITS TYPE' },
      { amount: 5n, mark: 'D', type: 'NMSC', gvc: '805', text: 'BY THE TABLE OF THE RAIL' },
    ]
    expect(await put(mt940File([wholeDay(date, entries)]))).toBe('done')
    await balanceIs(customerId, 4_500n)
    await transactionIs('COMPLETED')
    expect(await dayOf(date)).toMatchObject({
      statement: { entryCount: 4, charged: 30, closingBalance: Number(balance) },
    })
    expect(await waiting()).toEqual([])
    const { body } = await bank.world.client.get('/deposits?limit=100')
    expect(JSON.stringify(body)).toContain('ADA LOVELACE')
    expect(JSON.stringify(body)).toContain(PAYER)
  })

  test.each(['GERMAN', 'CODE_WORDS', 'PLAIN'] as const)(
    'with %s information credits the customer whose reference is cut by the end of a line',
    async (information) => {
      const { reference, customerId } = await payer()
      expect(await putDay([credit(reference, 1_100n)], { information, lineCharactersMax: 23 })).toBe('done')
      await balanceIs(customerId, 1_100n)
    },
  )

  test('counts once: unchanged, under another name, and in another envelope', async () => {
    const { reference, customerId } = await payer()
    const message = wholeDay(nextDay(), [credit(reference, 1_200n)])
    const text = mt940File([message])
    for (const one of [text, `\r\n${text}`, mt940File([message], { envelope: 'BLOCKS', lineEnd: '\n' })])
      expect(await put(one)).toBe('done')
    await balanceIs(customerId, 1_200n)
    expect(await waiting()).toEqual([])
  })

  test('in two pages is one day, and so is a statement of the account under its German bank code', async () => {
    const { reference, customerId } = await payer()
    const date = nextDay()
    const account = '37040044/532013000'
    const first = wholeDay(date, [credit(reference, 700n)], { account, number: '9/1', isContinued: true })
    const last = wholeDay(date, [credit(reference, 800n)], { account, number: '9/2', continues: true })
    expect(await put(mt940File([first, last]))).toBe('done')
    await balanceIs(customerId, 1_500n)
    expect((await dayOf(date)).statement).toMatchObject({ entryCount: 2, closingBalance: Number(balance) })
    expect(await waiting()).toEqual([])
  })

  test('of another account or currency has no effect, and our account in the same file is read', async () => {
    const { reference, customerId } = await payer()
    const date = nextDay()
    const others = [
      { ...wholeDay(date, []), account: PAYER, opening: 0n, entries: [credit(reference, 9_000n)] },
      { ...wholeDay(date, []), currency: 'CHF', opening: 0n, entries: [credit(reference, 9_000n)] },
      {
        ...wholeDay(date, []),
        account: '12030000/0532013000',
        opening: 0n,
        entries: [credit(reference, 9_000n)],
      },
    ]
    expect(await put(mt940File([...others, wholeDay(date, [credit(reference, 600n)])]))).toBe('done')
    await balanceIs(customerId, 600n)
    const notes = (await waiting()).filter(({ reason }: { reason: string }) => reason === 'OTHER_ACCOUNT')
    expect(notes).toHaveLength(3)
  })

  test('that contradicts its balances waits and has no effect, and one without its end is refused', async () => {
    const { reference, customerId } = await payer()
    const date = nextDay()
    const before = balance
    const message = wholeDay(date, [credit(reference, 800n)])
    balance = before
    expect(await put(mt940File([{ ...message, closing: before }]))).toBe('done')
    const text = mt940File([message])
    expect(await put(text.slice(0, text.indexOf(':62F:')))).toBe('refused')
    expect(await bank.balanceOf(customerId)).toBe(0n)
    expect(await dayOf(date)).toBeUndefined()
    const reasons = (await waiting()).map(
      ({ body }: { body: { data: { reason?: string } } }) => body.data.reason,
    )
    expect(reasons).toContain('line 1: the message has no closing balance (62)')
    expect(reasons.join()).toMatch(/do not add up to the closing balance/)
    await put(text)
    await balanceIs(customerId, 800n)
    balance = before + 800n
  })

  test('MT942 is news only: it credits and completes nothing', async () => {
    const { customerId, transactionIs, endToEndId } = await paid(250)
    const { reference } = await payer()
    const date = nextDay()
    const entries: SampleMtEntry[] = [
      credit(reference, 650n),
      { amount: 250n, mark: 'D', endToEndId, text: 'PAYOUT' },
    ]
    const before = balance
    const report = mt940File([wholeDay(date, entries, { message: '942' })])
    balance = before
    expect(await put(report)).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(750n)
    expect(await dayOf(date)).toBeUndefined()
    await transactionIs('PENDING')
    await put(mt940File([wholeDay(date, entries)]))
    await transactionIs('COMPLETED')
  })

  test('with a returned payment refunds it with the reason, and a payer who states its id pays in', async () => {
    const { customerId, transactionIs, endToEndId } = await paid(400)
    await putDay([{ amount: 400n, mark: 'D', gvc: '116', endToEndId, text: 'PAYOUT' }])
    await transactionIs('COMPLETED')
    const stranger: SampleMtEntry = {
      amount: 400n,
      gvc: '166',
      endToEndId,
      owner: endToEndId,
      text: 'RETURN AC04',
    }
    await putDay([stranger])
    expect(await bank.balanceOf(customerId)).toBe(600n)
    const { data } = (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body
    expect(data.map(({ amount }: { amount: { amount: number } }) => amount.amount)).toContain(400)
    await putDay([{ ...stranger, gvc: '159' }])
    await balanceIs(customerId, 1_000n)
    const { rows } = await bank.world.service.app.db.query<{ details: string }>(
      `SELECT failure::text AS details FROM rail_payments WHERE failure IS NOT NULL`,
    )
    expect(JSON.stringify(rows)).toContain('AC04')
  })

  test('that books a file of ours as one sum completes its payments', async () => {
    const { transactionIs, messageId } = await paid(320)
    await putDay([{ amount: 320n, mark: 'D', gvc: '191', customerReference: messageId, text: 'COLLECTIVE' }])
    await transactionIs('COMPLETED')
  })

  test.each([320n, 321n])(
    'whose debit of %s names a payment of 320 completes it only if the amount is the same',
    async (amount) => {
      const { transactionIs, endToEndId } = await paid(320)
      await putDay([{ amount, mark: 'D', gvc: '116', endToEndId, text: 'PAYOUT' }])
      await transactionIs(amount === 320n ? 'COMPLETED' : 'PENDING')
      const reasons = (await waiting()).map(({ reason }: { reason: string }) => reason)
      expect(reasons.includes('OTHER_AMOUNT')).toBe(amount !== 320n)
    },
  )
})

const VECTOR = vectorPath('bank-made/mt940.sta')
if (!existsSync(VECTOR)) console.warn(`no file at ${VECTOR}: its test is skipped`)

test.skipIf(!existsSync(VECTOR))(
  'the sample file for MT940 credits the customer of its reference',
  async () => {
    const { customerId, reference } = await payer()
    expect(await put(readFileSync(VECTOR, 'utf8').replace('CSD59D3725E6', reference))).toBe('done')
    await balanceIs(customerId, 1_000n)
  },
)
