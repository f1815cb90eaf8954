import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  camtFile,
  type SampleEntry,
  type SampleStatement,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  type FileBank,
  openFileBank,
  referenceOf,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

const OTHER_IBAN = 'DE02120300000000202051'

let bank: FileBank
beforeAll(async () => {
  bank = await openFileBank('SEPA')
})
afterAll(() => bank.close())

let count = 0
let day = Date.parse('2026-03-02T00:00:00Z')
let balance = 0n

/** The next day of the account, so that tests do not share statements. */
function nextDay(): string {
  day += 86_400_000
  return new Date(day).toISOString().slice(0, 10)
}

const inEuros = (cents: bigint) =>
  `${cents < 0n ? '-' : ''}${absolute(cents) / 100n}.${String(absolute(cents) % 100n).padStart(2, '0')}`
const absolute = (cents: bigint) => (cents < 0n ? -cents : cents)
const cents = (amount: string) => BigInt(amount.replace('.', ''))
const sumOf = (entries: readonly SampleEntry[]) =>
  entries.reduce(
    (sum, { amount, direction }) => sum + (direction === 'CRDT' ? cents(amount) : -cents(amount)),
    0n,
  )

/** A file of one statement, of a new day if none is given. */
function file(
  statement: SampleStatement & { readonly date?: string; readonly iban?: string },
): readonly [string, string] {
  count += 1
  const { date = nextDay(), iban = SEPA_IBAN } = statement
  const text = camtFile({ id: `S-${count}`, ...statement })
  return [`evidence-${count}.xml`, text.replaceAll('2026-03-02', date).replaceAll(SEPA_IBAN, iban)]
}

/** A whole day: its statement continues from the balance of the day before. */
function wholeDay(
  entries: readonly SampleEntry[],
  more: Partial<SampleStatement> & { readonly date?: string } = {},
) {
  const opening = balance
  balance += sumOf(entries)
  return file({ balances: [inEuros(opening), inEuros(balance)], entries, ...more })
}

const credit = (reference: string, amount: string, more: Partial<SampleEntry> = {}): SampleEntry => ({
  amount,
  direction: 'CRDT',
  servicerReference: `SVC-${++count}`,
  transactions: [{ amount, debtor: 'Ada Lovelace', text: `for ${reference}` }],
  ...more,
})

async function payer() {
  const { customerId, account } = await bank.customer()
  return { customerId, account, reference: referenceOf(account) }
}

const waiting = async () => (await bank.world.client.get('/rail-events?status=WAITING&limit=100')).body.data
const depositsInSuspense = async () =>
  (await bank.world.client.get('/deposits?status=SUSPENSE&limit=100')).body.data
const balanceIs = (customerId: string, wanted: bigint) =>
  until(
    () => bank.balanceOf(customerId),
    (found) => found === wanted,
  )

describe('a statement', () => {
  test('of another account or currency has no effect, is recorded once, and does not close our day', async () => {
    const { customerId, reference } = await payer()
    const date = nextDay()
    const others = [1, 2].map(() =>
      file({ date, iban: OTHER_IBAN, balances: ['0.00', '30.00'], entries: [credit(reference, '30.00')] }),
    )
    for (const [name, text] of others) expect(await bank.put(name, text)).toBe('done')
    const [name, text] = file({ date, balances: ['0.00', '30.00'], entries: [credit(reference, '30.00')] })
    await bank.put(name, text.replaceAll('EUR', 'CHF'))
    const notes = (await waiting()).filter(({ reason }: { reason: string }) => reason === 'OTHER_ACCOUNT')
    expect(notes.map(({ body }: { body: { data: object } }) => body.data)).toEqual(
      expect.arrayContaining([
        { account: OTHER_IBAN, currency: 'EUR' },
        { account: SEPA_IBAN, currency: 'CHF' },
      ]),
    )
    expect(notes).toHaveLength(2)
    expect(await bank.balanceOf(customerId)).toBe(0n)
    await bank.put(...wholeDay([credit(reference, '45.00')], { date }))
    await balanceIs(customerId, 4_500n)
  })

  test('in one file with statements of other accounts is read, and they are skipped', async () => {
    const { customerId, reference } = await payer()
    const [, other] = file({ iban: OTHER_IBAN, entries: [credit(reference, '99.00')] })
    const [name, ours] = wholeDay([credit(reference, '12.00')])
    const statement = /<Stmt>.*<\/Stmt>/s.exec(other)?.[0] ?? ''
    await bank.put(name, ours.replace('<Stmt>', `${statement}<Stmt>`))
    await balanceIs(customerId, 1_200n)
  })

  test('that contradicts an earlier one of its day is set aside and has no effect', async () => {
    const { customerId, reference } = await payer()
    const date = nextDay()
    const before = balance
    const paid = credit(reference, '50.00')
    await bank.put(...wholeDay([paid], { date }))
    await balanceIs(customerId, 5_000n)
    const entries = [paid, credit(reference, '70.00')]
    const [name, text] = file({ date, balances: [inEuros(before), inEuros(before + 12_000n)], entries })
    expect(await bank.put(name, text)).toBe('done')
    expect(await bank.balanceOf(customerId)).toBe(5_000n)
    const found = (await waiting()).find(
      ({ reason, type }: { reason: string; type: string }) =>
        type === 'statement' && reason === 'CONTRADICTION',
    )
    expect(found).toBeDefined()
  })

  test('of a day that continues from the balance of the first one adds to it, and repeats add nothing', async () => {
    const { customerId, reference } = await payer()
    const date = nextDay()
    // The bank has no reference for them, and reports both alike.
    const same = credit(reference, '11.01', { servicerReference: 'NONREF' })
    const [first, second] = [wholeDay([same], { date }), wholeDay([same], { date })]
    for (const [name, text] of [first, second, first, second])
      await bank.put(`${++count}-${name}`, text.replace('<GrpHdr>', `<GrpHdr><!-- ${count} -->`))
    await balanceIs(customerId, 2_202n)
    expect(await bank.balanceOf(customerId)).toBe(2_202n)
  })

  test('under a reused id of the bank counts for its own day', async () => {
    const { customerId, reference } = await payer()
    const entry = credit(reference, '10.00', { servicerReference: '0000000000' })
    await bank.put(...wholeDay([entry], { id: 'SAME-ID' }))
    await bank.put(...wholeDay([entry], { id: 'SAME-ID' }))
    await balanceIs(customerId, 2_000n)
  })

  test('whose entries do not lead to its closing balance has no effect and waits, while others of its file are read', async () => {
    const [wrong, right] = [await payer(), await payer()]
    const before = (await waiting()).length
    const [, contradictory] = file({
      balances: ['0.00', '60.00'],
      entries: [credit(wrong.reference, '50.00')],
    })
    const [name, text] = wholeDay([credit(right.reference, '40.00')])
    const statement = /<Stmt>.*<\/Stmt>/s.exec(contradictory)?.[0] ?? ''
    expect(await bank.put(name, text.replace('<Stmt>', `${statement}<Stmt>`))).toBe('done')
    await balanceIs(right.customerId, 4_000n)
    expect(await bank.balanceOf(wrong.customerId)).toBe(0n)
    const found = await waiting()
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

describe('an entry', () => {
  test('credits the booked amount, whatever its instructions and details', async () => {
    const { customerId, reference } = await payer()
    const less = credit(reference, '95.00')
    const [name, text] = wholeDay([less])
    const instructed = '<AmtDtls><InstdAmt><Amt Ccy="EUR">100.00</Amt></InstdAmt></AmtDtls>'
    await bank.put(name, text.replace('<RltdPties>', `${instructed}<RltdPties>`))
    await balanceIs(customerId, 9_500n)
    await bank.put(
      ...wholeDay([
        {
          ...credit(reference, '14.74'),
          transactions: [{ amount: '15.00', debtor: 'Ada', text: reference }],
        },
      ]),
    )
    await balanceIs(customerId, 10_974n)
  })

  test('whose details do not add up to it is one amount, in suspense if it may belong to several', async () => {
    const [one, two] = [await payer(), await payer()]
    const details = [one, two, one].map(({ reference }) => ({
      amount: '30.00',
      debtor: 'Ada',
      text: reference,
    }))
    await bank.put(...wholeDay([{ ...credit(one.reference, '30.00'), transactions: details }]))
    await until(depositsInSuspense, (found) =>
      found.some(({ amount }: { amount: { amount: bigint } }) => BigInt(amount.amount) === 3_000n),
    )
    expect(await bank.balanceOf(one.customerId)).toBe(0n)
    expect(await bank.balanceOf(two.customerId)).toBe(0n)
    // All of them are alike, so the amount is one payer's.
    const same = details.map((detail) => ({ ...detail, text: one.reference }))
    await bank.put(...wholeDay([{ ...credit(one.reference, '31.00'), transactions: same }]))
    await balanceIs(one.customerId, 3_100n)
  })

  test('of zero, of interest and of charges needs no person', async () => {
    const before = (await waiting()).length
    const entries: SampleEntry[] = [
      { amount: '0.00', direction: 'CRDT' },
      { amount: '10.09', direction: 'CRDT', transactions: [{ amount: '10.09', text: 'interest' }] },
    ]
    const [name, text] = wholeDay(entries)
    await bank.put(
      name,
      text.replaceAll(
        '<Cd>PMNT</Cd><Fmly><Cd>RCDT</Cd><SubFmlyCd>ESCT</SubFmlyCd>',
        '<Cd>ACMT</Cd><Fmly><Cd>MCOP</Cd><SubFmlyCd>INTR</SubFmlyCd>',
      ),
    )
    expect((await waiting()).length).toBe(before)
    const { data } = (await bank.world.client.get('/reconciliations?limit=1')).body
    await until(
      async () => (await bank.world.client.get(`/reconciliations/${data[0].id}`)).body,
      ({ status }) => status !== 'BOOKING',
    )
  })
})

const VECTORS = new URL('../../../../../shared/vectors/bank-made/', import.meta.url)

describe.skipIf(!existsSync(VECTORS))('files made for single points', () => {
  const vector = (name: string, replace: Readonly<Record<string, string>> = {}) =>
    Object.entries(replace).reduce(
      (text, [from, to]) => text.replaceAll(from, to),
      readFileSync(new URL(name, VECTORS), 'utf8'),
    )

  test.each([
    ['camt053-two-pages-one-id.xml', 2_203n],
    ['camt053-ustrd-3-lines.xml', undefined],
    ['camt053-strd-addtlrmtinf.xml', undefined],
    ['camt053-reference-in-addtltxinf.xml', undefined],
  ])('%s credits the customer of the reference', async (name, wanted) => {
    const { customerId, reference } = await payer()
    const text = vector(name, { CS67A5BB06F4: reference })
    const amounts = [...text.matchAll(/<(?:\w+:)?Ntry>\s*<(?:\w+:)?Amt Ccy="EUR">(.*?)</g)].map(
      ([, amount]) => cents(amount ?? ''),
    )
    expect(await bank.put(name, text)).toBe('done')
    await balanceIs(customerId, wanted ?? amounts.reduce((sum, one) => sum + one, 0n))
  })

  test.each(['camt053-interest-bare.xml', 'camt053-interest-with-details.xml'])(
    '%s is interest, and not a deposit',
    async (name) => {
      const deposits = async () => (await bank.world.client.get('/deposits?limit=100')).body.data.length
      const before = [await deposits(), (await waiting()).length]
      expect(await bank.put(name, vector(name))).toBe('done')
      expect([await deposits(), (await waiting()).length]).toEqual(before)
    },
  )

  test('camt053-fee-bank-code.xml waits, because no table of this rail has the code', async () => {
    const before = (await waiting()).length
    expect(await bank.put('fee.xml', vector('camt053-fee-bank-code.xml'))).toBe('done')
    expect((await waiting()).length).toBe(before + 1)
  })
})
