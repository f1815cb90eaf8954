import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  camtFile,
  formatCents,
  type SampleEntry,
} from '../../../src/outside/bank-files/formats/samples.testing.ts'
import { isFull } from '../../reliability/faults.testing.ts'
import {
  type FileBank,
  findDepositReference,
  openFileBank,
  SEPA_IBAN,
} from '../../worlds/production/file-bank.testing.ts'

/**
 * Random days of an account, reported by files that repeat, overlap, contradict and come in any order,
 * compared with the bank's bookings.
 */

const OTHER_IBAN = 'DE02120300000000202051'

interface Booking {
  readonly cents: number
  /** The customer whose reference the payer states, if any. */
  readonly payee: 0 | 1 | undefined
  /** The shape of the transaction details. */
  readonly details: 'one' | 'none' | 'two' | 'several-without-sum' | 'instructed-more' | 'advice-alone'
  readonly reference: 'own' | 'NONREF' | '0000000000'
  /** The time of the bank's advice, if it sends one. */
  readonly advice: 'before' | 'after' | 'never'
}

const anyBooking: fc.Arbitrary<Booking> = fc.record({
  cents: fc.constantFrom(1, 500, 500, 777, 3000),
  payee: fc.constantFrom(0, 1, undefined),
  details: fc.constantFrom(
    ...(['one', 'one', 'none', 'two', 'several-without-sum', 'instructed-more', 'advice-alone'] as const),
  ),
  reference: fc.constantFrom('own', 'own', 'NONREF', '0000000000'),
  advice: fc.constantFrom('before', 'after', 'never'),
})

const FILES = [
  'whole',
  'again',
  'again-renamed',
  'parts',
  'parts-reversed',
  'contradiction',
  'other-account',
  'old-version',
] as const

const anyAccount = fc.record({
  days: fc.array(
    fc.record({
      bookings: fc.array(anyBooking, { minLength: 1, maxLength: 4 }),
      files: fc.array(fc.constantFrom(...FILES), { minLength: 1, maxLength: 3 }),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  isLastFirst: fc.boolean(),
})

/** The bank and its account, which all runs share. */
class Bank {
  readonly files: FileBank
  #day = Date.parse('2026-04-01T00:00:00Z')
  #balance = 0n
  #count = 0

  constructor(files: FileBank) {
    this.files = files
  }

  startNextDay(sum: bigint): { readonly date: string; readonly opening: bigint; readonly closing: bigint } {
    this.#day += 86_400_000
    const opening = this.#balance
    this.#balance += sum
    return { date: new Date(this.#day).toISOString().slice(0, 10), opening, closing: this.#balance }
  }

  nextNumber(): number {
    this.#count += 1
    return this.#count
  }

  async put(text: string): Promise<void> {
    // Equal content is one file for the server, so each file gets a comment.
    const n = this.nextNumber()
    expect(await this.files.put(`model-${n}.xml`, text.replace('<GrpHdr>', `<GrpHdr><!-- ${n} -->`))).toBe(
      'done',
    )
  }
}

type Day = ReturnType<Bank['startNextDay']> & { readonly entries: readonly SampleEntry[] }

function buildStatement(
  { date, opening, closing, entries }: Day,
  more: { id?: string; version?: '02' | '08'; kind?: '053' | '054' } = {},
): string {
  const balances =
    more.kind === '054' ? {} : { balances: [formatCents(opening), formatCents(closing)] as const }
  return camtFile({ id: `S-${date}`, ...balances, entries, ...more }).replaceAll('2026-03-02', date)
}

function buildEntry(bank: Bank, references: readonly string[], booking: Booking): SampleEntry {
  const amount = formatCents(BigInt(booking.cents))
  const text = booking.payee === undefined ? 'rent' : (references[booking.payee] ?? '')
  const detail = { amount, debtor: 'Ada Lovelace', text }
  const others = references.map((reference) => ({ ...detail, text: reference }))
  const transactions = {
    one: [detail],
    none: [],
    two:
      booking.cents > 1
        ? [
            { ...detail, amount: '0.01' },
            { ...detail, amount: formatCents(BigInt(booking.cents - 1)) },
          ]
        : [detail],
    'several-without-sum': [...others, detail],
    'instructed-more': [{ ...detail, amount: formatCents(BigInt(booking.cents + 26)) }],
    'advice-alone': [],
  }[booking.details]
  // An advice with different text is recognized by the bank's reference.
  const isNamed = booking.reference === 'own' || booking.details === 'advice-alone'
  const servicerReference = isNamed ? `SVC-${bank.nextNumber()}` : booking.reference
  return { amount, direction: 'CRDT', servicerReference, transactions }
}

/** Builds the entry of an advice, with the details that the statement leaves out. */
function buildDetailedEntry(
  entry: SampleEntry,
  references: readonly string[],
  { payee }: Booking,
): SampleEntry {
  const text = payee === undefined ? 'rent' : (references[payee] ?? '')
  return { ...entry, transactions: [{ amount: entry.amount, debtor: 'Ada Lovelace', text }] }
}

const sumEntries = (entries: readonly SampleEntry[]) =>
  entries.reduce((sum, { amount }) => sum + BigInt(amount.replace('.', '')), 0n)

/** Splits a day into parts, each with its own balances. */
function splitDay(day: Day): Day[] {
  const middle = Math.ceil(day.entries.length / 2)
  const [first, second] = [day.entries.slice(0, middle), day.entries.slice(middle)]
  const between = day.opening + sumEntries(first)
  if (second.length === 0) return [day]
  return [
    { ...day, closing: between, entries: first },
    { ...day, opening: between, entries: second },
  ]
}

/** Reports a day completely and correctly, and then with repeats and faults. */
async function reportDay(
  bank: Bank,
  day: Day,
  files: readonly (typeof FILES)[number][],
  checkTotals: () => Promise<void>,
): Promise<void> {
  const isWhole = !files[0]?.startsWith('parts')
  const parts = files[0] === 'parts-reversed' ? splitDay(day).reverse() : splitDay(day)
  for (const [index, part] of (isWhole ? [day] : parts).entries())
    await bank.put(buildStatement(part, { id: `S-${day.date}-${index}` }))
  await checkTotals()
  for (const file of files) {
    if (file === 'again') await bank.put(buildStatement(day, { id: `S-${day.date}-0` }))
    if (file === 'again-renamed') await bank.put(buildStatement(day, { id: `R-${bank.nextNumber()}` }))
    if (file === 'old-version') await bank.put(buildStatement(day, { id: `S-${day.date}-0`, version: '02' }))
    if (file === 'contradiction') {
      const more = [...day.entries, { ...day.entries[0], amount: '99.00', transactions: [] } as SampleEntry]
      await bank.put(
        buildStatement(
          { ...day, entries: more, closing: day.closing + 9_900n },
          { id: `C-${bank.nextNumber()}` },
        ),
      )
    }
    if (file === 'other-account') await bank.put(buildStatement(day).replaceAll(SEPA_IBAN, OTHER_IBAN))
    await checkTotals()
  }
}

const readFigures = async (bank: Bank, customers: readonly string[]) => {
  const { client } = bank.files.world
  const credited = await Promise.all(customers.map((customerId) => bank.files.balanceOf(customerId)))
  const deposits: { status: string; amount: { amount: bigint } }[] = []
  for (let cursor: string | undefined, more = true; more; ) {
    const { body } = await client.get(`/deposits?limit=100${cursor ? `&cursor=${cursor}` : ''}`)
    deposits.push(...body.data)
    cursor = body.nextCursor
    more = body.hasMore
  }
  const counted = deposits.reduce((sum, { amount }) => sum + BigInt(amount.amount), 0n)
  return { credited, counted }
}

describe.each(['STATEMENTS', 'ADVICES'] as const)('a bank account with deposits from %s', (depositsFrom) => {
  let bank: Bank
  let booked = 0n
  beforeAll(async () => {
    bank = new Bank(await openFileBank('SEPA', { depositsFrom }))
  })
  afterAll(() => bank.files.close())

  test('never more than the bank booked is credited, and finally all of it is credited, in suspense or waiting for a person', async () => {
    await fc.assert(
      fc.asyncProperty(anyAccount, async ({ days, isLastFirst }) => {
        const customers = [await bank.files.customer(), await bank.files.customer()]
        const ids = customers.map(({ customerId }) => customerId)
        const references = customers.map((customer) => findDepositReference(customer.account))
        const payable = [0n, 0n]
        const reportedDays = days.map(({ bookings, files }) => {
          const entries = bookings.map((booking) => buildEntry(bank, references, booking))
          for (const { payee, cents } of bookings)
            if (payee !== undefined) payable[payee] = (payable[payee] ?? 0n) + BigInt(cents)
          return { day: { ...bank.startNextDay(sumEntries(entries)), entries }, bookings, files }
        })
        const before = booked
        booked += reportedDays.reduce((sum, { day }) => sum + sumEntries(day.entries), 0n)
        const checkTotals = async () => {
          const { credited, counted } = await readFigures(bank, ids)
          for (const [index, amount] of credited.entries())
            expect(amount <= (payable[index] ?? 0n)).toBe(true)
          expect(counted <= booked).toBe(true)
          expect(counted >= before || depositsFrom === 'ADVICES').toBe(true)
        }
        for (const { day, bookings, files } of isLastFirst ? reportedDays.toReversed() : reportedDays) {
          const listAdvisedEntries = (when: Booking['advice']) =>
            day.entries.flatMap((entry, index) => {
              const booking = bookings[index]
              if (booking?.advice !== when) return []
              return [
                booking.details === 'advice-alone' ? buildDetailedEntry(entry, references, booking) : entry,
              ]
            })
          const putAdvice = async (when: Booking['advice']) => {
            const entries = listAdvisedEntries(when)
            if (entries.length > 0)
              await bank.put(
                buildStatement({ ...day, entries }, { kind: '054', id: `A-${bank.nextNumber()}` }),
              )
          }
          await putAdvice('before')
          await checkTotals()
          await reportDay(bank, day, files, checkTotals)
          await putAdvice('after')
          await checkTotals()
        }
        const { counted } = await readFigures(bank, ids)
        const { body } = await bank.files.world.client.get('/rail-events?status=WAITING&limit=100')
        const waiting = body.data
          .filter(({ type }: { type: string }) => type === 'file.booking')
          .reduce(
            (sum: bigint, { body: held }: { body: { data: { amount: string } } }) =>
              sum + BigInt(held.data.amount),
            0n,
          )
        expect(counted + waiting).toBe(booked)
      }),
      { numRuns: isFull ? 5 : 3, endOnFailure: true },
    )
  })
})
