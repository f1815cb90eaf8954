import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  BankBalance,
  camtFile,
  formatCents,
  parseCents,
  type SampleEntry,
  type SampleStatement,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import { type FileBank, openFileBank, SEPA_IBAN } from '../../worlds/production/file-bank.testing.ts'

const OTHER_IBAN = 'DE02120300000000202051'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA')
})
afterAll(() => bank.close())

let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')
const balance = new BankBalance()

/** Starts the next day of the account, so that tests do not share statements. */
function startNextDay(): string {
  day += 86_400_000
  return new Date(day).toISOString().slice(0, 10)
}

/** Builds a file of one statement, for a new day unless a date is given. */
function buildFile(
  statement: SampleStatement & { readonly date?: string; readonly iban?: string },
): readonly [string, string] {
  count += 1
  const { date = startNextDay(), iban = SEPA_IBAN } = statement
  const text = camtFile({ id: `S-${count}`, ...statement })
  return [`evidence-${count}.xml`, text.replaceAll('2026-03-02', date).replaceAll(SEPA_IBAN, iban)]
}

/** Builds the statement of a whole day, which continues from the previous balance. */
function buildDay(
  entries: readonly SampleEntry[],
  more: Partial<SampleStatement> & { readonly date?: string } = {},
) {
  return buildFile({ balances: balance.book(entries), entries, ...more })
}

const buildCredit = (reference: string, amount: string, more: Partial<SampleEntry> = {}): SampleEntry => ({
  amount,
  direction: 'CRDT',
  servicerReference: `SVC-${++count}`,
  transactions: [{ amount, debtor: 'Ada Lovelace', text: `for ${reference}` }],
  ...more,
})

describe('statements', () => {
  test('a statement of another account or currency has no effect, is recorded once and does not close our day', async () => {
    const { customerId, reference } = await bank.newPayer()
    const date = startNextDay()
    const otherFiles = [1, 2].map(() =>
      buildFile({
        date,
        iban: OTHER_IBAN,
        balances: ['0.00', '30.00'],
        entries: [buildCredit(reference, '30.00')],
      }),
    )
    for (const [name, text] of otherFiles) expect(await bank.put(name, text)).toBe('done')
    const [name, text] = buildFile({
      date,
      balances: ['0.00', '30.00'],
      entries: [buildCredit(reference, '30.00')],
    })
    await bank.put(name, text.replaceAll('EUR', 'CHF'))
    const reports = (await bank.world.listWaitingReports()).filter(
      ({ reason }: { reason: string }) => reason === 'OTHER_ACCOUNT',
    )
    expect(reports.map(({ body }: { body: { data: object } }) => body.data)).toEqual(
      expect.arrayContaining([
        { account: OTHER_IBAN, currency: 'EUR' },
        { account: SEPA_IBAN, currency: 'CHF' },
      ]),
    )
    expect(reports).toHaveLength(2)
    expect(await bank.balanceOf(customerId)).toBe(0n)
    await bank.put(...buildDay([buildCredit(reference, '45.00')], { date }))
    await bank.waitForBalance(customerId, 4_500n)
  })

  test('a statement of our account is read even if its file has statements of other accounts, which are skipped', async () => {
    const { customerId, reference } = await bank.newPayer()
    const [, otherText] = buildFile({ iban: OTHER_IBAN, entries: [buildCredit(reference, '99.00')] })
    const [name, ourText] = buildDay([buildCredit(reference, '12.00')])
    const statement = /<Stmt>.*<\/Stmt>/s.exec(otherText)?.[0] ?? ''
    await bank.put(name, ourText.replace('<Stmt>', `${statement}<Stmt>`))
    await bank.waitForBalance(customerId, 1_200n)
  })

  test('a statement that contradicts an earlier one of its day is set aside and has no effect', async () => {
    const { customerId, reference } = await bank.newPayer()
    const date = startNextDay()
    const before = balance.cents
    const payment = buildCredit(reference, '50.00')
    await bank.put(...buildDay([payment], { date }))
    await bank.waitForBalance(customerId, 5_000n)
    const entries = [payment, buildCredit(reference, '70.00')]
    const [name, text] = buildFile({
      date,
      balances: [formatCents(before), formatCents(before + 12_000n)],
      entries,
    })
    expect(await bank.put(name, text)).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(5_000n)
    const report = (await bank.world.listWaitingReports()).find(
      ({ reason, type }: { reason: string; type: string }) =>
        type === 'statement' && reason === 'CONTRADICTION',
    )
    expect(report).toBeDefined()
  })

  test('a statement that continues from an earlier one of its day adds to it, and repeats add nothing', async () => {
    const { customerId, reference } = await bank.newPayer()
    const date = startNextDay()
    // Without a reference of the bank, both entries look the same.
    const entry = buildCredit(reference, '11.01', { servicerReference: 'NONREF' })
    const [first, second] = [buildDay([entry], { date }), buildDay([entry], { date })]
    for (const [name, text] of [first, second, first, second])
      await bank.put(`${++count}-${name}`, text.replace('<GrpHdr>', `<GrpHdr><!-- ${count} -->`))
    await bank.waitForBalance(customerId, 2_202n)
    expect(await bank.balanceOf(customerId)).toBe(2_202n)
  })

  test('a statement counts for its own day even if the bank reuses the statement id', async () => {
    const { customerId, reference } = await bank.newPayer()
    const entry = buildCredit(reference, '10.00', { servicerReference: '0000000000' })
    await bank.put(...buildDay([entry], { id: 'SAME-ID' }))
    await bank.put(...buildDay([entry], { id: 'SAME-ID' }))
    await bank.waitForBalance(customerId, 2_000n)
  })

  test('a statement whose entries do not add up to its closing balance has no effect and waits, while the others in its file are read', async () => {
    const [wrongPayer, rightPayer] = [await bank.newPayer(), await bank.newPayer()]
    const before = (await bank.world.listWaitingReports()).length
    const [, contradictory] = buildFile({
      balances: ['0.00', '60.00'],
      entries: [buildCredit(wrongPayer.reference, '50.00')],
    })
    const [name, text] = buildDay([buildCredit(rightPayer.reference, '40.00')])
    const statement = /<Stmt>.*<\/Stmt>/s.exec(contradictory)?.[0] ?? ''
    expect(await bank.put(name, text.replace('<Stmt>', `${statement}<Stmt>`))).toBe('done')
    await bank.waitForBalance(rightPayer.customerId, 4_000n)
    expect(await bank.balanceOf(wrongPayer.customerId)).toBe(0n)
    const found = await bank.world.listWaitingReports()
    expect(found).toHaveLength(before + 1)
    expect(found[0]).toMatchObject({
      type: 'statement',
      reason: 'UNREADABLE',
      body: {
        data: {
          reason: 'the opening balance 0 and the entries 5000 do not add up to the closing balance 6000',
        },
      },
    })
  })
})

describe('statement entries', () => {
  test('an entry credits the booked amount, whatever amounts its instructions and details state', async () => {
    const { customerId, reference } = await bank.newPayer()
    const entry = buildCredit(reference, '95.00')
    const [name, text] = buildDay([entry])
    const instructed = '<AmtDtls><InstdAmt><Amt Ccy="EUR">100.00</Amt></InstdAmt></AmtDtls>'
    await bank.put(name, text.replace('<RltdPties>', `${instructed}<RltdPties>`))
    await bank.waitForBalance(customerId, 9_500n)
    await bank.put(
      ...buildDay([
        {
          ...buildCredit(reference, '14.74'),
          transactions: [{ amount: '15.00', debtor: 'Ada', text: reference }],
        },
      ]),
    )
    await bank.waitForBalance(customerId, 10_974n)
  })

  test('an entry whose details do not add up to it counts as one amount, in suspense if it may belong to several customers', async () => {
    const [firstPayer, secondPayer] = [await bank.newPayer(), await bank.newPayer()]
    const details = [firstPayer, secondPayer, firstPayer].map(({ reference }) => ({
      amount: '30.00',
      debtor: 'Ada',
      text: reference,
    }))
    await bank.put(...buildDay([{ ...buildCredit(firstPayer.reference, '30.00'), transactions: details }]))
    await until(bank.world.listSuspendedDeposits, (found) =>
      found.some(({ amount }: { amount: { amount: bigint } }) => BigInt(amount.amount) === 3_000n),
    )
    expect(await bank.balanceOf(firstPayer.customerId)).toBe(0n)
    expect(await bank.balanceOf(secondPayer.customerId)).toBe(0n)
    // All details name the same customer, so the amount belongs to one payer.
    const equalDetails = details.map((detail) => ({ ...detail, text: firstPayer.reference }))
    await bank.put(
      ...buildDay([{ ...buildCredit(firstPayer.reference, '31.00'), transactions: equalDetails }]),
    )
    await bank.waitForBalance(firstPayer.customerId, 3_100n)
  })

  test('an entry of zero or of interest needs no person', async () => {
    const before = (await bank.world.listWaitingReports()).length
    const entries: SampleEntry[] = [
      { amount: '0.00', direction: 'CRDT' },
      { amount: '10.09', direction: 'CRDT', transactions: [{ amount: '10.09', text: 'interest' }] },
    ]
    const [name, text] = buildDay(entries)
    await bank.put(
      name,
      text.replaceAll(
        '<Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd>',
        '<Cd>ACMT</Cd><Fmly><Cd>MCOP</Cd><SubFmlyCd>INTR</SubFmlyCd>',
      ),
    )
    expect((await bank.world.listWaitingReports()).length).toBe(before)
    const { data } = (await bank.world.client.get('/reconciliations?limit=1')).body
    await until(
      async () => (await bank.world.client.get(`/reconciliations/${data[0].id}`)).body,
      ({ status }) => status !== 'BOOKING',
    )
  })
})

const VECTORS = new URL('../../../../../shared/vectors/bank-made/', import.meta.url)

describe.skipIf(!existsSync(VECTORS))('a bank sample file', () => {
  const readVector = (name: string, replace: Readonly<Record<string, string>> = {}) =>
    Object.entries(replace).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      readFileSync(new URL(name, VECTORS), 'utf8'),
    )

  test.each([
    ['camt053-two-pages-one-id.xml', 2_203n],
    ['camt053-ustrd-3-lines.xml', undefined],
    ['camt053-strd-addtlrmtinf.xml', undefined],
    ['camt053-reference-in-addtltxinf.xml', undefined],
  ])('(%s) credits the customer whose reference it states', async (name, wanted) => {
    const { customerId, reference } = await bank.newPayer()
    const text = readVector(name, { CS67A5BB06F4: reference })
    const amounts = [...text.matchAll(/<(?:\w+:)?Ntry>\s*<(?:\w+:)?Amt Ccy="EUR">(.*?)</g)].map(
      ([, amount]) => parseCents(amount ?? ''),
    )
    expect(await bank.put(name, text)).toBe('done')
    await bank.waitForBalance(customerId, wanted ?? amounts.reduce((sum, one) => sum + one, 0n))
  })

  test.each(['camt053-interest-bare.xml', 'camt053-interest-with-details.xml'])(
    '(%s) counts as interest and not as a deposit',
    async (name) => {
      const countDeposits = async () => (await bank.world.client.get('/deposits?limit=100')).body.data.length
      const before = [await countDeposits(), (await bank.world.listWaitingReports()).length]
      expect(await bank.put(name, readVector(name))).toBe('done')
      expect([await countDeposits(), (await bank.world.listWaitingReports()).length]).toEqual(before)
    },
  )

  test('(camt053-fee-bank-code.xml) waits if the rail does not know its bank code', async () => {
    const before = (await bank.world.listWaitingReports()).length
    expect(await bank.put('fee.xml', readVector('camt053-fee-bank-code.xml'))).toBe('done')
    expect((await bank.world.listWaitingReports()).length).toBe(before + 1)
  })
})
