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
  readonly deliveries: readonly { readonly times: number; readonly late: number }[]
}

interface Deposit {
  readonly amount: number
  readonly day: number
  readonly isReversed: boolean
  /** No event reports the deposit, and its entry has only its id. */
  readonly isUnreported: boolean
  readonly deliveries: Payment['deliveries']
}

const anyDeliveries = fc.array(
  fc.record({ times: fc.integer({ min: 0, max: 3 }), late: fc.integer({ min: 0, max: 2 }) }),
  { minLength: 2, maxLength: 2 },
)
const anyAmount = fc.integer({ min: 2, max: 900 })
const anyDay = fc.integer({ min: 0, max: DAYS - 1 })

const anyPayment: fc.Arbitrary<Payment> = fc.record({
  amount: anyAmount,
  day: anyDay,
  fate: fc.constantFrom('delivered', 'failed', 'comes-back', 'returned'),
  fault: fc.option(fc.constantFrom(...FAULTS), { nil: undefined, freq: 3 }),
  deliveries: anyDeliveries,
})

const anyDeposit: fc.Arbitrary<Deposit> = fc.record({
  amount: anyAmount,
  day: anyDay,
  isReversed: fc.boolean(),
  isUnreported: fc.boolean().map((is) => is),
  deliveries: anyDeliveries,
})

const anyScenario = fc.record({
  payments: fc.array(anyPayment, { minLength: 1, maxLength: 6 }),
  deposits: fc.array(anyDeposit, { maxLength: 3 }),
  /** The bank's own bookings: fees, interest, and unexplained ones. */
  bankEntries: fc.array(
    fc.record({
      kind: fc.constantFrom('FEE', 'INTEREST', 'OTHER'),
      amount: fc.integer({ min: -50, max: 50 }).filter((units) => units !== 0),
      day: anyDay,
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
type Scenario = typeof anyScenario extends fc.Arbitrary<infer T> ? T : never

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

/** Schedules an event with its repetitions and delay. Events later than the last day arrive after all statements. */
function scheduleEvent(
  diary: Diary,
  event: object,
  onDay: number,
  delivery: { times: number; late: number } | undefined,
): void {
  const { times, late } = delivery ?? { times: 1, late: 0 }
  for (let time = 0; time < times; time++) diary[Math.min(onDay + late, DAYS)]!.push(event)
}

const MESSAGE = { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'Sent back' } as const

/** Books a payment at the bank and schedules its events. Returns the expected difference. */
function bookPayment(bank: ModelBank, diary: Diary, payment: Payment, id: string): string | undefined {
  const { fate, fault, amount: units, day: bookedOn } = payment
  const [first, second] = payment.deliveries
  const data = { id }
  const paymentEntry = { kind: 'PAYMENT', id, amount: String(-units) } as const
  const date = dates[bookedOn]!
  switch (fault) {
    case 'NOT_IN_STATEMENT':
      scheduleEvent(diary, bank.event('payment.delivered', data), 0, undefined)
      return `NOT_IN_STATEMENT ${units} ${id}`
    case 'NOT_IN_BOOKS':
      scheduleEvent(diary, bank.event('payment.failed', { ...data, failure: MESSAGE }), 0, undefined)
      bank.book(date, paymentEntry)
      return `NOT_IN_BOOKS ${-units} ${id}`
    case 'OTHER_AMOUNT':
      scheduleEvent(diary, bank.event('payment.delivered', data), bookedOn, first)
      bank.book(date, { ...paymentEntry, amount: String(-units - 1) })
      // The entry alone does not complete the payment, because its amount differs.
      return first && first.times === 0 ? `NOT_IN_BOOKS ${-units - 1} ${id}` : `OTHER_AMOUNT -1 ${id}`
    case 'BOOKED_TWICE':
      scheduleEvent(diary, bank.event('payment.delivered', data), bookedOn, first)
      bank.book(date, paymentEntry)
      bank.book(dates.at(-1)!, paymentEntry)
      return `BOOKED_TWICE ${-units} ${id}`
    case 'REPEATED_ENTRY': {
      const entryId = bank.book(date, paymentEntry)
      bank.book(dates.at(-1)!, { ...paymentEntry, entryId })
      return `REPEATED_ENTRY ${-units}`
    }
  }
  const returnEntry = { kind: 'PAYMENT_RETURN', id, amount: String(units), text: 'Account closed' } as const
  const returnDay = Math.min(bookedOn + 1, DAYS - 1)
  if (fate === 'failed')
    scheduleEvent(diary, bank.event('payment.failed', { ...data, failure: MESSAGE }), bookedOn, first)
  else if (fate === 'comes-back') {
    // The payment never arrived, so the bank books it out and in again.
    scheduleEvent(diary, bank.event('payment.returned', { ...data, failure: MESSAGE }), bookedOn, first)
    bank.book(date, paymentEntry)
    bank.book(date, returnEntry)
  } else {
    scheduleEvent(diary, bank.event('payment.delivered', data), bookedOn, first)
    bank.book(date, paymentEntry)
    if (fate === 'returned') {
      scheduleEvent(diary, bank.event('payment.returned', { ...data, failure: MESSAGE }), returnDay, second)
      bank.book(dates[returnDay]!, returnEntry)
    }
  }
  return undefined
}

function bookDeposit(bank: ModelBank, diary: Diary, deposit: Deposit, index: number): string | undefined {
  const { amount: units, day: bookedOn, isReversed, isUnreported } = deposit
  const [first, second] = deposit.deliveries
  const depositId = `${bank.name}-deposit-${index}`
  const details = {
    depositId,
    depositAccountId: 'of-nobody',
    amount: { value: String(units), currency: 'EUR' },
    receivedAt: `${dates[bookedOn]}T11:00:00Z`,
  }
  const entry = { kind: 'DEPOSIT', depositId, amount: String(units) } as const
  if (isUnreported && index === 0) {
    bank.book(dates[bookedOn]!, entry)
    return `UNKNOWN ${units}`
  }
  scheduleEvent(diary, bank.event('deposit.received', details), bookedOn, first)
  bank.book(dates[bookedOn]!, { ...entry, deposit: details })
  if (isReversed) {
    const reversalDay = Math.min(bookedOn + 1, DAYS - 1)
    scheduleEvent(diary, bank.event('deposit.reversed', { depositId, failure: MESSAGE }), reversalDay, second)
    bank.book(dates[reversalDay]!, { kind: 'DEPOSIT_REVERSAL', depositId, amount: String(-units) })
  }
  return undefined
}

/** Plays the days of a bank. Returns the differences expected after the last day. */
async function playDays(bank: ModelBank, scenario: Scenario): Promise<readonly string[]> {
  const diary: Diary = Array.from({ length: DAYS + 1 }, () => [])
  const replies = await Promise.all(
    scenario.payments.map(({ amount: units }) =>
      world.client.post('/transfer-out', {
        source: { accountId: source },
        destination: { accountId: destination },
        amount: units,
      }),
    ),
  )
  const ids = replies.map(({ status, body }) => {
    expect(status, JSON.stringify(body)).toBe(201)
    return body.id as string
  })
  await until(
    async () => bank.given.size,
    (size) => size === ids.length,
  )
  const differences = [
    ...scenario.payments.map((item, index) => bookPayment(bank, diary, item, ids[index]!)),
    ...scenario.deposits.map((item, index) => bookDeposit(bank, diary, item, index)),
    ...scenario.bankEntries.map(({ kind, amount: units, day: bookedOn }) => {
      bank.book(dates[bookedOn]!, { kind, amount: String(units) } as never)
      return kind === 'OTHER' ? `UNEXPLAINED ${units}` : undefined
    }),
    scenario.opening > 0n ? `OPENING_BALANCE ${scenario.opening}` : undefined,
    scenario.gap > 0n ? `BALANCE_GAP ${scenario.gap}` : undefined,
    scenario.wrong > 0n ? `WRONG_SUM ${scenario.wrong}` : undefined,
  ]
  if (scenario.strangers > 0) {
    const id = ids[0]!.replace(/.{6}(..)$/, 'abcdef$1')
    bank.book(dates[0]!, { kind: 'PAYMENT', id, amount: '-11' })
    differences.push(`UNKNOWN -11 ${id}`)
  }
  for (const [index, date] of dates.entries()) {
    const events = shuffle(diary[index]!, scenario.order)
    await Promise.all(events.map((event) => bank.tell(event)))
    const faults = index === 1 ? { gap: scenario.gap } : index === 2 ? { wrong: scenario.wrong } : {}
    const statement = bank.event('statement', bank.close(date, faults))
    if (!scenario.lostStatements[index]) await Promise.all([bank.tell(statement), bank.tell(statement)])
    await reconcileDay(bank, date)
  }
  await Promise.all(diary[DAYS]!.map((event) => bank.tell(event)))
  return differences.filter((name) => name !== undefined).sort()
}

function shuffle<T>(list: readonly T[], order: number): T[] {
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

/** Reconciles a day. The listed differences must sum to the difference between both sides. */
async function reconcileDay(bank: ModelBank, date: string): Promise<Day> {
  const args = ['reconciliation', 'run', '--rail', bank.name, '--date', date]
  const { data } = (await runCommand(world.service.app, args, '')) as { data: Day[] }
  const [reconciliation] = data
  if (!reconciliation) throw new Error('The bank has moved no money')
  const sum = reconciliation.differences.reduce((total, { amount: units }) => total + BigInt(units), 0n)
  expect(BigInt(reconciliation.closingBalance) - BigInt(reconciliation.ledgerBalance)).toBe(sum)
  expect(reconciliation.difference).toBe(String(sum))
  return reconciliation
}

const printDifferences = ({ differences }: Day) =>
  differences
    .map(({ reason, amount: units, about }) =>
      [reason, units, ...(about?.startsWith('Transaction:') ? [about] : [])].join(' '),
    )
    .sort()

test(
  'whatever is repeated, lost, late or out of order, exactly the injected faults differ after the last statement',
  async () => {
    await fc.assert(
      fc.asyncProperty(anyScenario, async (scenario) => {
        const bank = new ModelBank(world, scenario.opening)
        const expected = await playDays(bank, scenario)
        const result = await until(
          async () => {
            const reconciliation = await reconcileDay(bank, dates.at(-1)!)
            return { found: printDifferences(reconciliation), expected, status: reconciliation.status }
          },
          ({ found }) => found.join('\n') === expected.join('\n'),
          5,
        )
        expect(result.status).toBe(expected.length === 0 ? 'BALANCED' : 'DIFFERENT')
      }),
      { numRuns: isFull ? 60 : 10, endOnFailure: !isFull },
    )
  },
  isFull ? 1_800_000 : 180_000,
)
