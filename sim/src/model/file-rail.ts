import { deriveRailPaymentId } from '../../../server/src/money/rails/rail-ids.ts'
import { instructionOf } from '../../../server/src/outside/bank-files/queue.ts'
import type { Machine } from '../machine/machine.ts'
import type { FileBank } from '../world/file-bank/file-bank.ts'
import { buildIban } from '../world/file-bank/messages.ts'
import { REJECTS, RETURNS } from '../world/file-bank/orders.ts'
import { RAIL } from '../world/file-bank/rail-entry.ts'
import type { Body } from '../world/servers.ts'
import { type Backend, expectStatus } from './clients.ts'
import { type Account, AWAITS_REVIEW, FAILS, type Model, type Payment, Violation } from './model.ts'
import type { Rail } from './rail.ts'
import { findOrderDifference, REFUNDED, REVERSED, ROUNDS_MAX, waitUntilNoDifference } from './rails.ts'

const OUTCOMES = { [REJECTS]: FAILS, [RETURNS]: FAILS }
const SIGNED_ON = '2025-12-01'
/** Collections are credited only on a later day. */
const DAY_SECONDS = 24 * 60 * 60
const TURN_MS = 1_000
/** Time for entries to be applied before the comparison is repeated. */
const COMPARED_SECONDS = 60
const NUMBER = '5320130'

/**
 * Creates the rail of a bank connected by files, in production. The bank's account is compared with the
 * ledger.
 */
export function createFileRail(backend: Backend, bank: FileBank): Rail {
  const { machine } = backend
  const rail: Rail = {
    currencies: ['EUR'],
    canPull: bank.canCollect,
    externalAccountInfo: (suffix) => ({
      accountType: 'EUR_ACCOUNT',
      iban: buildIban(`${NUMBER}${suffix}`),
      beneficiary: { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace', countryOfResidence: 'DE' },
    }),
    suffixes: [REJECTS, RETURNS],
    expectedOutcomes: {
      transferOut: OUTCOMES,
      transferIn: { ...OUTCOMES, [RETURNS]: REFUNDED },
      payout: OUTCOMES,
      pull: { ...OUTCOMES, [RETURNS]: REVERSED },
    },
    async allowPulls(externalAccountId) {
      if (bank.canCollect)
        expectStatus(await backend.post('/mandates', { externalAccountId, signedOn: SIGNED_ON }), 201)
    },
    async payIn(account, amount) {
      return bank.payIn(await findReference(backend, account), amount)
    },
    advanceTime: (seconds) =>
      advanceTime(machine, bank, bank.hasCollected ? Math.max(seconds, DAY_SECONDS) : seconds),
    async checkDeposits() {
      const counted = sumDeposits(await listDeposits(backend))
      if (counted > bank.books.received)
        throw new Violation(
          `The ledger has deposits of ${counted}, but the bank has booked ${bank.books.received}`,
        )
    },
    async findOpenWork({ payments }: Model) {
      const open =
        bank.findOpenWork() ??
        findOrderDifference(payments, mapOrdersByPayment(bank, payments), bank.deposits)
      const sums = findWaitingSums(bank, open === undefined ? await listWaitingReports(backend) : [])
      for (const payment of payments)
        if (sums.some((sum) => mentionsPayment(sum, payment))) payment.expectedOutcome = AWAITS_REVIEW
      return open
    },
    async checkFinalState() {
      await rail.checkDeposits()
      await waitUntilNoDifference(rail, COMPARED_SECONDS, () => findAccountDifference(backend, bank))
      bank.end()
    },
  }
  return rail
}

/** Advances time. The bank takes its steps, and the servers read the inbox. */
async function advanceTime(machine: Machine, bank: FileBank, seconds: number): Promise<void> {
  machine.clock.offsetMs += seconds * 1_000
  await machine.pause(TURN_MS)
  for (let round = 0; round < ROUNDS_MAX && bank.findOpenWork() !== undefined; round++)
    await machine.pause(TURN_MS)
}

const DIRECTIONS = ['OUT', 'PULL'] as const

/** The bank's orders by payment id. In files, a payment is named by the id of the server's record instead. */
function mapOrdersByPayment(bank: FileBank, payments: readonly Payment[]) {
  const ids = new Map(
    payments.flatMap(({ transactionId: id }) =>
      id
        ? DIRECTIONS.map((direction) => [instructionOf(deriveRailPaymentId(direction, id)), id] as const)
        : [],
    ),
  )
  return bank.orders.map((order) => ({ ...order, id: ids.get(order.id) ?? order.id }))
}

/**
 * Compares the bank account with the ledger to the cent. All money that has arrived is a deposit or is held
 * for manual review, and nothing is held without a cause at the bank. The last statement agrees with the
 * ledger except for the held amounts.
 */
async function findAccountDifference(backend: Backend, bank: FileBank): Promise<string | undefined> {
  const events = await listWaitingReports(backend)
  const wrong = findUnexpectedReports(bank, events)
  if (wrong !== undefined) return `Reports held for manual review: ${wrong}`
  const bookings: Body[] = events.filter(({ type }: Body) => type === 'file.booking')
  const waiting = [
    ...bank.expectedReports.unread,
    ...bookings.map(({ body }) => BigInt(body.data.amount)),
  ].reduce((sum, amount) => sum + amount, 0n)
  const counted = sumDeposits(await listDeposits(backend))
  const { balance, received } = bank.books
  if (counted + waiting !== received)
    return `The bank has booked ${received} in, ${counted} are deposits, and ${waiting} wait`
  const { data: days } = expectStatus(await backend.get(`/reconciliations?rail=${RAIL}&limit=100`), 200)
  const statements: Body[] = days.filter(({ statement }: Body) => statement)
  const last = statements.toSorted((a: Body, b: Body) => a.date.localeCompare(b.date)).at(-1)
  const { statement, ledger, status } = last ?? {}
  const isExpected =
    (status === 'BALANCED' || status === 'DIFFERENT') &&
    BigInt(statement.closingBalance) === balance &&
    BigInt(ledger.balance) + BigInt(ledger.later) + waiting === balance
  return isExpected
    ? undefined
    : `The bank has ${balance}, of which ${waiting} wait. The last day: ${JSON.stringify(last)}`
}

async function listWaitingReports(backend: Backend): Promise<Body[]> {
  return expectStatus(await backend.get('/rail-events?status=WAITING&limit=100'), 200).data
}

/**
 * Reports of bookings that wait because each may be the sum of several deposits, which advices have reported
 * individually.
 */
function findWaitingSums({ expectedReports }: FileBank, events: readonly Body[]): Body[] {
  const remaining = expectedReports.possibleSums
  return events.filter(({ type, reason, body }) => {
    if (type !== 'file.booking' || reason !== 'OTHER_AMOUNT') return false
    const at = remaining.indexOf(BigInt(body.data.amount))
    if (at >= 0) remaining.splice(at, 1)
    return at >= 0
  })
}

/** True if a report mentions a payment's id at the bank. */
function mentionsPayment({ body }: Body, { depositId }: Payment): boolean {
  const names: readonly string[] = JSON.stringify(body.data).match(/\bP-\d+/g) ?? []
  return depositId !== undefined && names.includes(depositId)
}

/**
 * Describes reports that wait without a cause, and missing reports. Undefined if the reports are exactly the
 * expected ones.
 */
function findUnexpectedReports(bank: FileBank, events: readonly Body[]): string | undefined {
  const { expectedReports } = bank
  const expected = [
    ...[...expectedReports.otherAccounts].map((account) => `file.other-account OTHER_ACCOUNT ${account}`),
    ...Array.from({ length: expectedReports.refused }, () => 'file.refused UNREADABLE'),
    ...expectedReports.unread.map((amount) => `file.unread UNREADABLE ${amount}`),
  ].sort()
  const sums = new Set(findWaitingSums(bank, events))
  const found = events
    .filter((event) => !sums.has(event))
    .map(summarizeReport)
    .sort()
  return JSON.stringify(found) === JSON.stringify(expected)
    ? undefined
    : `${JSON.stringify(events)}, not ${JSON.stringify(expected)}`
}

function summarizeReport({ type, reason, body }: Body): string {
  const { account, currency, amount } = body.data
  const facts = { 'file.other-account': `${account} ${currency}`, 'file.unread': String(amount) }[
    type as string
  ]
  return [type, reason, facts].filter(Boolean).join(' ')
}

async function listDeposits(backend: Backend): Promise<Body[]> {
  const { data } = expectStatus(await backend.get('/deposits?limit=100'), 200)
  return data
}

function sumDeposits(deposits: readonly Body[]): bigint {
  return deposits.reduce((sum, { amount }) => sum + BigInt(amount.amount), 0n)
}

/** Returns the reference that payers into the account must state. Waits until the server has assigned it. */
async function findReference(backend: Backend, { id, customerId }: Account): Promise<string> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const own = expectStatus(
      await backend.get(`/customers/internal-accounts?customerId=${customerId}`),
      200,
    ).data
    const { fundingPaymentInstructions } = own.find((account: Body) => account.id === id)
    const [reference] = /CS[0-9A-F]{10}/.exec(JSON.stringify(fundingPaymentInstructions)) ?? []
    if (reference !== undefined) return reference
    await backend.machine.pause(TURN_MS)
  }
  throw new Violation(`${id} has no reference to pay in to`)
}
