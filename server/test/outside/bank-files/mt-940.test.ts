import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { getVectorPath } from '../../../src/base/crypto/vectors.testing.ts'
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
  findDepositReference,
  openFileBank,
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

/** Starts the next day of the account, so that tests do not share statements. */
function startNextDay(): string {
  day += 86_400_000
  return new Date(day).toISOString().slice(0, 10)
}

/** Builds the statement of a whole day, which continues from the previous balance. */
function buildDay(
  date: string,
  entries: readonly SampleMtEntry[],
  more: Partial<SampleMtMessage> = {},
): SampleMtMessage {
  const opening = balance
  balance += entries.reduce((sum, entry) => sum + signed(entry), 0n)
  const datedEntries = entries.map((entry) => ({ bookedOn: date, ...entry }))
  count += 1
  return {
    ...{
      account: SEPA_IBAN,
      number: `${count}/1`,
      openedOn: date,
      closedOn: date,
      opening,
      entries: datedEntries,
    },
    ...more,
  }
}

const put = (text: string) => bank.put(`mt940-${++count}.sta`, text)
const putDay = (entries: readonly SampleMtEntry[], layout: SampleMtLayout = {}) =>
  put(mt940File([buildDay(startNextDay(), entries)], layout))

const buildCredit = (reference: string, amount: bigint): SampleMtEntry => ({
  ...{ amount, bank: `B-${++count}`, name: 'ADA LOVELACE', account: PAYER },
  text: `INVOICE 12 FOR ${reference}`,
})

/** Sends a payment of a new customer whose money a statement has credited. */
async function sendPayment(amount: number) {
  const { customerId, account, reference } = await bank.newPayer()
  await putDay([buildCredit(reference, 1_000n)])
  await bank.waitForBalance(customerId, 1_000n)
  const payee = await bank.world.client.post('/customers/external-accounts', {
    ...{ customerId, currency: 'EUR' },
    accountInfo: {
      ...{ accountType: 'EUR_ACCOUNT', iban: PAYER },
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Grace Hopper', countryOfResidence: 'DE' },
    },
  })
  expect(payee.status, JSON.stringify(payee.body)).toBe(201)
  const route = { source: { accountId: account.id }, destination: { accountId: payee.body.id } }
  const transfer = await bank.world.client.post('/transfer-out', { ...route, amount })
  expect(transfer.status, JSON.stringify(transfer.body)).toBe(201)
  const { text } = await bank.takeFile()
  const readElement = (name: string) => new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1] ?? ''
  const waitForStatus = (status: string) =>
    until(
      async () => (await bank.world.client.get(`/transactions/${transfer.body.id}`)).body,
      (found) => found.status === status,
    )
  return { customerId, waitForStatus, endToEndId: readElement('EndToEndId'), messageId: readElement('MsgId') }
}

describe('a rail with one statement format', () => {
  test('refuses MT940 unless it is configured, names the setting to change and counts nothing', async () => {
    const plainBank = await openFileBank('SEPA')
    const { customerId, account } = await plainBank.customer()
    const entries = [{ ...buildCredit(findDepositReference(account), 700n), bookedOn: '2026-03-02' }]
    const days = { openedOn: '2026-03-02', closedOn: '2026-03-02', opening: 0n }
    const text = mt940File([{ account: SEPA_IBAN, number: '1/1', ...days, entries }])
    expect(await plainBank.put('day.sta', text)).toBe('refused')
    expect(await plainBank.balanceOf(customerId)).toBe(0n)
    const { client } = plainBank.world
    const [report] = (await client.get('/rail-events?status=WAITING')).body.data
    expect(report.body.data.reason).toMatch(/^has a statement in MT940; set statementFormat /)
    expect((await client.get('/deposits')).body.data).toEqual([])
    await plainBank.close()
  })

  test('that is configured for MT940 refuses camt.053 with or without balances, and reads advices in camt.054', async () => {
    const mt940Bank = await openFileBank('SEPA', { statementFormat: 'MT940' })
    const amount = '7.00'
    const entries: SampleEntry[] = [{ amount, direction: 'CRDT', servicerReference: 'SVC-1' }]
    expect(await mt940Bank.put('whole.xml', camtFile({ id: 'W', balances: ['0.00', amount], entries }))).toBe(
      'refused',
    )
    expect(await mt940Bank.put('lines.xml', camtFile({ id: 'L', entries }))).toBe('refused')
    expect(await mt940Bank.put('advice.xml', camtFile({ kind: '054', id: 'A', entries }))).toBe('done')
    expect((await mt940Bank.world.client.get('/deposits')).body.data).toEqual([])
    await mt940Bank.close()
  })

  test('and debits refuses BAI2, which could report a collection as a deposit, and counts nothing', async () => {
    const debitBank = await openFileBank('SEPA_DEBIT')
    const { account } = await debitBank.customer()
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
            transactions: [
              { code: '165', amount: 700n, bank: 'B-1', texts: [findDepositReference(account)] },
            ],
          },
        ],
      },
    ])
    expect(await debitBank.put('day.bai', text)).toBe('refused')
    const { client } = debitBank.world
    const [report] = (await client.get('/rail-events?status=WAITING')).body.data
    expect(report.body.data.reason).toMatch(
      /^has a statement in BAI2; a rail with debits needs camt.053 or MT940/,
    )
    expect((await client.get('/deposits')).body.data).toEqual([])
    await debitBank.close()
  })
})

describe('MT940 files', () => {
  test('an MT940 file closes a day: it credits the deposit with its payer, confirms the payout, records the charges and reconciles the day', async () => {
    const { reference, customerId } = await bank.newPayer()
    const { waitForStatus, endToEndId } = await sendPayment(300)
    const date = startNextDay()
    const entries: SampleMtEntry[] = [
      buildCredit(reference, 4_500n),
      { amount: 300n, mark: 'D', gvc: '116', endToEndId, text: 'PAYOUT', name: 'GRACE HOPPER' },
      { amount: 25n, mark: 'D', type: 'NCHG', gvc: '808', text: 'FEE BY ITS TYPE' },
      { amount: 5n, mark: 'D', type: 'NMSC', gvc: '805', text: 'BY THE TABLE OF THE RAIL' },
    ]
    expect(await put(mt940File([buildDay(date, entries)]))).toBe('done')
    await bank.waitForBalance(customerId, 4_500n)
    await waitForStatus('COMPLETED')
    expect(await bank.findReconciliation(date)).toMatchObject({
      statement: { entryCount: 4, charged: 30, closingBalance: Number(balance) },
    })
    expect(await bank.world.listWaitingReports()).toEqual([])
    const { body } = await bank.world.client.get('/deposits?limit=100')
    expect(JSON.stringify(body)).toContain('ADA LOVELACE')
    expect(JSON.stringify(body)).toContain(PAYER)
  })

  test.each(['GERMAN', 'CODE_WORDS', 'PLAIN'] as const)(
    'an MT940 file with %s information credits the customer even if a line break splits the reference',
    async (information) => {
      const { reference, customerId } = await bank.newPayer()
      expect(await putDay([buildCredit(reference, 1_100n)], { information, lineCharactersMax: 23 })).toBe(
        'done',
      )
      await bank.waitForBalance(customerId, 1_100n)
    },
  )

  test('an MT940 file counts once, even if it is repeated, renamed or in another envelope', async () => {
    const { reference, customerId } = await bank.newPayer()
    const message = buildDay(startNextDay(), [buildCredit(reference, 1_200n)])
    const text = mt940File([message])
    for (const content of [text, `\r\n${text}`, mt940File([message], { envelope: 'BLOCKS', lineEnd: '\n' })])
      expect(await put(content)).toBe('done')
    await bank.waitForBalance(customerId, 1_200n)
    expect(await bank.world.listWaitingReports()).toEqual([])
  })

  test('an MT940 file with two pages is read as one day, also if it states the account with its German bank code', async () => {
    const { reference, customerId } = await bank.newPayer()
    const date = startNextDay()
    const account = '37040044/532013000'
    const first = buildDay(date, [buildCredit(reference, 700n)], {
      account,
      number: '9/1',
      isContinued: true,
    })
    const last = buildDay(date, [buildCredit(reference, 800n)], { account, number: '9/2', continues: true })
    expect(await put(mt940File([first, last]))).toBe('done')
    await bank.waitForBalance(customerId, 1_500n)
    expect((await bank.findReconciliation(date)).statement).toMatchObject({
      entryCount: 2,
      closingBalance: Number(balance),
    })
    expect(await bank.world.listWaitingReports()).toEqual([])
  })

  test('an MT940 file about another account or currency has no effect, and our account in the same file is read', async () => {
    const { reference, customerId } = await bank.newPayer()
    const date = startNextDay()
    const otherMessages = [
      { ...buildDay(date, []), account: PAYER, opening: 0n, entries: [buildCredit(reference, 9_000n)] },
      { ...buildDay(date, []), currency: 'CHF', opening: 0n, entries: [buildCredit(reference, 9_000n)] },
      {
        ...buildDay(date, []),
        account: '12030000/0532013000',
        opening: 0n,
        entries: [buildCredit(reference, 9_000n)],
      },
    ]
    expect(await put(mt940File([...otherMessages, buildDay(date, [buildCredit(reference, 600n)])]))).toBe(
      'done',
    )
    await bank.waitForBalance(customerId, 600n)
    const reports = (await bank.world.listWaitingReports()).filter(
      ({ reason }: { reason: string }) => reason === 'OTHER_ACCOUNT',
    )
    expect(reports).toHaveLength(3)
  })

  test('an MT940 file that contradicts its balances waits without effect, and a truncated one is refused', async () => {
    const { reference, customerId } = await bank.newPayer()
    const date = startNextDay()
    const before = balance
    const message = buildDay(date, [buildCredit(reference, 800n)])
    balance = before
    expect(await put(mt940File([{ ...message, closing: before }]))).toBe('done')
    const text = mt940File([message])
    expect(await put(text.slice(0, text.indexOf(':62F:')))).toBe('refused')
    expect(await bank.balanceOf(customerId)).toBe(0n)
    expect(await bank.findReconciliation(date)).toBeUndefined()
    const reasons = (await bank.world.listWaitingReports()).map(
      ({ body }: { body: { data: { reason?: string } } }) => body.data.reason,
    )
    expect(reasons).toContain('line 1: the message has no closing balance (62)')
    expect(reasons.join()).toMatch(/do not add up to the closing balance/)
    await put(text)
    await bank.waitForBalance(customerId, 800n)
    balance = before + 800n
  })

  test('an MT940 file with an MT942 message is only informative: it credits and completes nothing', async () => {
    const { customerId, waitForStatus, endToEndId } = await sendPayment(250)
    const { reference } = await bank.newPayer()
    const date = startNextDay()
    const entries: SampleMtEntry[] = [
      buildCredit(reference, 650n),
      { amount: 250n, mark: 'D', endToEndId, text: 'PAYOUT' },
    ]
    const before = balance
    const report = mt940File([buildDay(date, entries, { message: '942' })])
    balance = before
    expect(await put(report)).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(750n)
    expect(await bank.findReconciliation(date)).toBeUndefined()
    await waitForStatus('PENDING')
    await put(mt940File([buildDay(date, entries)]))
    await waitForStatus('COMPLETED')
  })

  test('an MT940 file with a returned payment refunds it with the reason, while a credit that only states its id is a deposit', async () => {
    const { customerId, waitForStatus, endToEndId } = await sendPayment(400)
    await putDay([{ amount: 400n, mark: 'D', gvc: '116', endToEndId, text: 'PAYOUT' }])
    await waitForStatus('COMPLETED')
    const entry: SampleMtEntry = {
      amount: 400n,
      gvc: '166',
      endToEndId,
      owner: endToEndId,
      text: 'RETURN AC04',
    }
    await putDay([entry])
    expect(await bank.balanceOf(customerId)).toBe(600n)
    const { data } = (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body
    expect(data.map(({ amount }: { amount: { amount: number } }) => amount.amount)).toContain(400)
    await putDay([{ ...entry, gvc: '159' }])
    await bank.waitForBalance(customerId, 1_000n)
    const { rows } = await bank.world.service.app.db.query<{ details: string }>(
      `SELECT failure::text AS details FROM rail_payments WHERE failure IS NOT NULL`,
    )
    expect(JSON.stringify(rows)).toContain('AC04')
  })

  test('an MT940 file that books one of our files as one sum completes its payments', async () => {
    const { waitForStatus, messageId } = await sendPayment(320)
    await putDay([{ amount: 320n, mark: 'D', gvc: '191', customerReference: messageId, text: 'COLLECTIVE' }])
    await waitForStatus('COMPLETED')
  })

  test.each([320n, 321n])(
    'an MT940 file with a debit of %s for a payment of 320 completes it only if the amounts are equal',
    async (amount) => {
      const { waitForStatus, endToEndId } = await sendPayment(320)
      await putDay([{ amount, mark: 'D', gvc: '116', endToEndId, text: 'PAYOUT' }])
      await waitForStatus(amount === 320n ? 'COMPLETED' : 'PENDING')
      const reasons = (await bank.world.listWaitingReports()).map(({ reason }: { reason: string }) => reason)
      expect(reasons.includes('OTHER_AMOUNT')).toBe(amount !== 320n)
    },
  )
})

const VECTOR = getVectorPath('bank-made/mt940.sta')
if (!existsSync(VECTOR)) console.warn(`no file at ${VECTOR}: its test is skipped`)

test.skipIf(!existsSync(VECTOR))(
  'the MT940 sample file credits the customer whose reference it names',
  async () => {
    const { customerId, reference } = await bank.newPayer()
    expect(await put(readFileSync(VECTOR, 'utf8').replace('CSD59D3725E6', reference))).toBe('done')
    await bank.waitForBalance(customerId, 1_000n)
  },
)
