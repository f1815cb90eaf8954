import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { runCommand } from '../../../src/edge/commands/admin.ts'
import { isFull } from '../../reliability/faults.testing.ts'
import { until } from '../../worlds/client.testing.ts'
import {
  dateBefore,
  ModelBank,
  openProduction,
  type Production,
} from '../../worlds/production/production.testing.ts'

const DAYS = 3
const dates = Array.from({ length: DAYS }, (_, day) => dateBefore(DAYS - 1 - day))

/** Faults of a payment at the bank. */
const FAULTS = ['NOT_IN_STATEMENT', 'NOT_IN_BOOKS', 'OTHER_AMOUNT', 'BOOKED_TWICE', 'REPEATED_ENTRY'] as const

interface Payment {
  readonly amount: number
  readonly day: number
  readonly fate: 'delivered' | 'failed' | 'comes-back' | 'returned'
  readonly fault: (typeof FAULTS)[number] | undefined
  /** The delivery of each of its events: the number of times, and the delay in days. */
  readonly told: readonly { readonly times: number; readonly late: number }[]
}

interface Deposit {
  readonly amount: number
  readonly day: number
  readonly isReversed: boolean
  /** Neither event nor entry has more than its name. */
  readonly isUntold: boolean
  readonly told: Payment['told']
}

const told = fc.array(
  fc.record({ times: fc.integer({ min: 0, max: 3 }), late: fc.integer({ min: 0, max: 2 }) }),
  { minLength: 2, maxLength: 2 },
)
const amount = fc.integer({ min: 2, max: 900 })
const day = fc.integer({ min: 0, max: DAYS - 1 })

const payment: fc.Arbitrary<Payment> = fc.record({
  amount,
  day,
  fate: fc.constantFrom('delivered', 'failed', 'comes-back', 'returned'),
  fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 3 }),
  told,
})

const deposit: fc.Arbitrary<Deposit> = fc.record({
  amount,
  day,
  isReversed: fc.boolean(),
  isUntold: fc.boolean().map((is) => is),
  told,
})

const story = fc.record({
  payments: fc.array(payment, { minLength: 1, maxLength: 6 }),
  deposits: fc.array(deposit, { maxLength: 3 }),
  /** The bank's own bookings: fees, interest, and unexplained ones. */
  own: fc.array(
    fc.record({
      kind: fc.constantFrom('FEE', 'INTEREST', 'OTHER'),
      amount: fc.integer({ min: -50, max: 50 }).filter((units) => units !== 0),
      day,
    }),
    { maxLength: 3 },
  ),
  strangers: fc.integer({ min: 0, max: 1 }),
  opening: fc.constantFrom(0n, 0n, 7n),
  gap: fc.constantFrom(0n, 0n, 3n),
  wrong: fc.constantFrom(0n, 0n, 5n),
  lostStatements: fc.array(fc.boolean(), { minLength: DAYS, maxLength: DAYS }),
  order: fc.integer(),
})
type Story = typeof story extends fc.Arbitrary<infer T> ? T : never

let world: Production
let source: string
let destination: string
beforeAll(async () => {
  world = await openProduction()
  const { client } = world
  const customerId = await world.newApproved()
  const account = await world.accountOf(customerId, 'EUR')
  await world.paidIn(account, '100000000')
  const path = `/customers/internal-accounts?customerId=${customerId}&currency=EUR`
  await until(
    () => client.get(path),
    ({ body }) => Number(body.data[0].balance.amount) > 0,
  )
  source = account.id
  const external = await client.post('/customers/external-accounts', {
    customerId,
    currency: 'EUR',
    accountInfo: {
      accountType: 'EUR_ACCOUNT',
      iban: 'DE89370400440532013000',
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    },
  })
  expect(external.status, JSON.stringify(external.body)).toBe(201)
  destination = external.body.id
})
afterAll(() => world.close())

/** Events by the day of their delivery. */
type Diary = object[][]

/** Schedules an event with its repetitions and delay; one that is later than the last day is lost. */
function tell(
  diary: Diary,
  event: object,
  onDay: number,
  how: { times: number; late: number } | undefined,
): void {
  const { times, late } = how ?? { times: 1, late: 0 }
  for (let time = 0; time < times; time++) diary[Math.min(onDay + late, DAYS)]!.push(event)
}

const MESSAGE = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Sent back' } as const

/** Books a payment at the bank and schedules its events. Returns the expected difference. */
function live(bank: ModelBank, diary: Diary, one: Payment, id: string): string | undefined {
  const { fate, fault, amount: units, day: on } = one
  const [first, second] = one.told
  const data = { id }
  const out = { kind: 'PAYMENT', id, amount: String(-units) } as const
  const date = dates[on]!
  switch (fault) {
    case 'NOT_IN_STATEMENT':
      tell(diary, bank.event('payment.delivered', data), 0, undefined)
      return `NOT_IN_STATEMENT ${units} ${id}`
    case 'NOT_IN_BOOKS':
      tell(diary, bank.event('payment.failed', { ...data, failure: MESSAGE }), 0, undefined)
      bank.book(date, out)
      return `NOT_IN_BOOKS ${-units} ${id}`
    case 'OTHER_AMOUNT':
      tell(diary, bank.event('payment.delivered', data), on, first)
      bank.book(date, { ...out, amount: String(-units - 1) })
      // The entry alone ends nothing: its amount is not the payment's.
      return first && first.times === 0 ? `NOT_IN_BOOKS ${-units - 1} ${id}` : `OTHER_AMOUNT -1 ${id}`
    case 'BOOKED_TWICE':
      tell(diary, bank.event('payment.delivered', data), on, first)
      bank.book(date, out)
      bank.book(dates.at(-1)!, out)
      return `BOOKED_TWICE ${-units} ${id}`
    case 'REPEATED_ENTRY': {
      const entryId = bank.book(date, out)
      bank.book(dates.at(-1)!, { ...out, entryId })
      return `REPEATED_ENTRY ${-units}`
    }
  }
  const back = { kind: 'PAYMENT_RETURN', id, amount: String(units), text: 'Account closed' } as const
  const returnDay = Math.min(on + 1, DAYS - 1)
  if (fate === 'failed') tell(diary, bank.event('payment.failed', { ...data, failure: MESSAGE }), on, first)
  else if (fate === 'comes-back') {
    // It never arrived, and the bank books it out and in again.
    tell(diary, bank.event('payment.returned', { ...data, failure: MESSAGE }), on, first)
    bank.book(date, out)
    bank.book(date, back)
  } else {
    tell(diary, bank.event('payment.delivered', data), on, first)
    bank.book(date, out)
    if (fate === 'returned') {
      tell(diary, bank.event('payment.returned', { ...data, failure: MESSAGE }), returnDay, second)
      bank.book(dates[returnDay]!, back)
    }
  }
  return undefined
}

function arrive(bank: ModelBank, diary: Diary, one: Deposit, index: number): string | undefined {
  const { amount: units, day: on, isReversed, isUntold } = one
  const [first, second] = one.told
  const depositId = `${bank.name}-deposit-${index}`
  const said = {
    depositId,
    depositAccountId: 'of-nobody',
    amount: { value: String(units), currency: 'EUR' },
    receivedAt: `${dates[on]}T11:00:00Z`,
  }
  const entry = { kind: 'DEPOSIT', depositId, amount: String(units) } as const
  if (isUntold && index === 0) {
    bank.book(dates[on]!, entry)
    return `UNKNOWN ${units}`
  }
  tell(diary, bank.event('deposit.received', said), on, first)
  bank.book(dates[on]!, { ...entry, deposit: said })
  if (isReversed) {
    const later = Math.min(on + 1, DAYS - 1)
    tell(diary, bank.event('deposit.reversed', { depositId, failure: MESSAGE }), later, second)
    bank.book(dates[later]!, { kind: 'DEPOSIT_REVERSAL', depositId, amount: String(-units) })
  }
  return undefined
}

/** The days of a bank, with the differences expected after the last of them. */
async function days(bank: ModelBank, one: Story): Promise<readonly string[]> {
  const diary: Diary = Array.from({ length: DAYS + 1 }, () => [])
  const sent = await Promise.all(
    one.payments.map(({ amount: units }) =>
      world.client.post('/transfer-out', {
        source: { accountId: source },
        destination: { accountId: destination },
        amount: units,
      }),
    ),
  )
  const ids = sent.map(({ status, body }) => {
    expect(status, JSON.stringify(body)).toBe(201)
    return body.id as string
  })
  await until(
    async () => bank.given.size,
    (size) => size === ids.length,
  )
  const found = [
    ...one.payments.map((each, index) => live(bank, diary, each, ids[index]!)),
    ...one.deposits.map((each, index) => arrive(bank, diary, each, index)),
    ...one.own.map(({ kind, amount: units, day: on }) => {
      bank.book(dates[on]!, { kind, amount: String(units) } as never)
      return kind === 'OTHER' ? `UNEXPLAINED ${units}` : undefined
    }),
    one.opening > 0n ? `OPENING_BALANCE ${one.opening}` : undefined,
    one.gap > 0n ? `BALANCE_GAP ${one.gap}` : undefined,
    one.wrong > 0n ? `WRONG_SUM ${one.wrong}` : undefined,
  ]
  if (one.strangers > 0) {
    const id = ids[0]!.replace(/.{6}(..)$/, 'abcdef$1')
    bank.book(dates[0]!, { kind: 'PAYMENT', id, amount: '-11' })
    found.push(`UNKNOWN -11 ${id}`)
  }
  for (const [index, date] of dates.entries()) {
    const events = shuffled(diary[index]!, one.order)
    await Promise.all(events.map((event) => bank.tell(event)))
    const faults = index === 1 ? { gap: one.gap } : index === 2 ? { wrong: one.wrong } : {}
    const statement = bank.event('statement', bank.close(date, faults))
    if (!one.lostStatements[index]) await Promise.all([bank.tell(statement), bank.tell(statement)])
    await reconcile(bank, date)
  }
  await Promise.all(diary[DAYS]!.map((event) => bank.tell(event)))
  return found.filter((name) => name !== undefined).sort()
}

function shuffled<T>(list: readonly T[], order: number): T[] {
  return list
    .map((item, index) => ({ item, key: Math.imul(index + 1, order | 1) }))
    .sort((a, b) => a.key - b.key)
    .map(({ item }) => item)
}

interface Day {
  readonly status: string
  readonly closingBalance: string
  readonly ledgerBalance: string
  readonly difference: string
  readonly differences: readonly { reason: string; amount: string; about?: string }[]
}

/** Reconciles a day; the listed differences always add up to the difference between both sides. */
async function reconcile(bank: ModelBank, date: string): Promise<Day> {
  const args = ['reconciliation', 'run', '--rail', bank.name, '--date', date]
  const { data } = (await runCommand(world.service.app, args, '')) as { data: Day[] }
  const [found] = data
  if (!found) throw new Error('The bank has moved no money')
  const sum = found.differences.reduce((total, { amount: units }) => total + BigInt(units), 0n)
  expect(BigInt(found.closingBalance) - BigInt(found.ledgerBalance)).toBe(sum)
  expect(found.difference).toBe(String(sum))
  return found
}

const namesOf = ({ differences }: Day) =>
  differences
    .map(({ reason, amount: units, about }) =>
      [reason, units, ...(about?.startsWith('Transaction:') ? [about] : [])].join(' '),
    )
    .sort()

test(
  'whatever is repeated, lost, late or out of order, exactly the injected faults differ after the last statement',
  async () => {
    await fc.assert(
      fc.asyncProperty(story, async (one) => {
        const bank = new ModelBank(world, one.opening)
        const expected = await days(bank, one)
        const last = await until(
          async () => {
            const found = await reconcile(bank, dates.at(-1)!)
            return { found: namesOf(found), expected, status: found.status }
          },
          ({ found }) => found.join('\n') === expected.join('\n'),
          5,
        )
        expect(last.status).toBe(expected.length === 0 ? 'BALANCED' : 'DIFFERENT')
      }),
      { numRuns: isFull ? 60 : 10, endOnFailure: !isFull },
    )
  },
  isFull ? 1_800_000 : 180_000,
)
