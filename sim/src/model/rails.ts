import type { Connector, Deposit, Order } from '../world/connector.ts'
import { START_MS } from '../world/engine.ts'
import { type Backend, expectStatus } from './clients.ts'
import { type Account, COMPLETES, type ExpectedOutcome, FAILS, type Payment, Violation } from './model.ts'
import type { Rail } from './rail.ts'

/** The bank later reverses the debit. The platform bears the loss, not the payee. */
export const REVERSED: ExpectedOutcome = { ...COMPLETES, mayFail: true, isReversed: true }
/** The bank reverses the debit, and the payee pays it back as far as possible. */
export const REFUNDED: ExpectedOutcome = { ...FAILS, status: 'REFUNDED', mayFail: true }
/** The refund fails too, so the money stays with the platform. */
const REFUND_FAILS: ExpectedOutcome = { ...FAILS, debitsPayer: true }

const BENEFICIARY = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }
const US_ACCOUNTS: Pick<Rail, 'currencies' | 'canPull' | 'externalAccountInfo'> = {
  currencies: ['USD', 'EUR'],
  canPull: true,
  externalAccountInfo: (suffix) => ({
    accountType: 'USD_ACCOUNT',
    accountNumber: `123456${suffix}`,
    routingNumber: '021000021',
    beneficiary: BENEFICIARY,
  }),
}

const SANDBOX_TRANSFER_OUTCOMES = { '002': FAILS, '003': FAILS, '004': FAILS, '005': FAILS }

/** Creates the rail of the sandbox (specification 4.16), whose clock is moved through the API. */
export function createSandboxRail(backend: Backend): Rail {
  return {
    ...US_ACCOUNTS,
    suffixes: ['002', '003', '004', '005', '006', '007'],
    expectedOutcomes: {
      transferOut: SANDBOX_TRANSFER_OUTCOMES,
      transferIn: SANDBOX_TRANSFER_OUTCOMES,
      payout: { '002': FAILS, '004': FAILS, '005': FAILS, '006': FAILS, '007': REFUND_FAILS },
      pull: { '002': FAILS, '003': FAILS, '004': FAILS, '005': FAILS, '006': REVERSED },
    },
    async payIn({ id }, amount) {
      expectStatus(await backend.post(`/sandbox/internal-accounts/${id}/fund`, { amount }), 200)
      return undefined
    },
    async advanceTime(seconds) {
      expectStatus(await backend.callRepeatable('POST', '/sandbox/clock/advance', { seconds }), 200)
    },
    checkDeposits: async () => {},
    findOpenWork: async () => undefined,
    checkFinalState: async () => {},
  }
}

const CONNECTOR_TRANSFER_OUTCOMES = { '101': FAILS, '103': FAILS, '104': FAILS }
/**
 * Everything at the bank happens within this time, except that a report that is refused repeatedly arrives in
 * a later round.
 */
const REPORTING_MS = 10_000
export const ROUNDS_MAX = 10
/** The date on which the bank opens. */
const FIRST_DAY = new Date(START_MS).toISOString().slice(0, 10)

/** Creates the rail of a connector in production. The example bank's guide lists how payments end. */
export function createConnectorRail(backend: Backend, connector: Connector): Rail {
  const { machine } = backend
  const deposits = { made: 0 }
  const rail: Rail = {
    ...US_ACCOUNTS,
    suffixes: ['101', '102', '103', '104', '106', '107'],
    expectedOutcomes: {
      transferOut: CONNECTOR_TRANSFER_OUTCOMES,
      transferIn: { ...CONNECTOR_TRANSFER_OUTCOMES, '104': REFUNDED },
      payout: CONNECTOR_TRANSFER_OUTCOMES,
      pull: { ...CONNECTOR_TRANSFER_OUTCOMES, '104': REVERSED },
    },
    async payIn(account, amount) {
      const depositId = `deposit ${++deposits.made}`
      const number = await findNumber(backend, account)
      await connector.callControlApi('POST', '/deposits', {
        depositId,
        account: number,
        amount: String(amount),
      })
      return depositId
    },
    async advanceTime(seconds) {
      machine.clock.offsetMs += seconds * 1_000
      await machine.pause(REPORTING_MS)
    },
    checkDeposits: async () => {},
    async findOpenWork({ payments }) {
      const orders: Order[] = [
        ...(await connector.callControlApi('GET', '/payments')).data,
        ...(await connector.callControlApi('GET', '/pulls')).data,
      ]
      const { data: undelivered } = await connector.callControlApi('GET', '/events')
      if (undelivered.length > 0) return `Undelivered reports: ${JSON.stringify(undelivered)}`
      const deposits: Deposit[] = (await connector.callControlApi('GET', '/deposits')).data
      return findOrderDifference(payments, orders, deposits)
    },
    async checkFinalState() {
      await connector.callControlApi('POST', '/days/close')
      await waitUntilNoDifference(rail, 0, async () => {
        const { data } = expectStatus(
          await backend.get(`/reconciliations?startDate=${FIRST_DAY}&limit=100`),
          200,
        )
        const wrong = data.filter(({ status }: { status: string }) => status !== 'BALANCED')
        return data.length > 0 && wrong.length === 0
          ? undefined
          : `The statements of the bank: ${JSON.stringify(data)}`
      })
      for (const path of ['/rail-events', '/deposits?status=SUSPENSE']) {
        const { data } = expectStatus(await backend.get(path), 200)
        if (data.length > 0)
          throw new Violation(`Records in ${path} are held for manual review: ${JSON.stringify(data)}`)
      }
    },
  }
  return rail
}

/**
 * Compares the bank's orders with the payments. Each order has moved its money once or not at all. If the
 * platform decides about incoming money, the money has stayed or was returned to its sender.
 */
export function findOrderDifference(
  payments: readonly Payment[],
  orders: readonly Order[],
  deposits: readonly Deposit[],
): string | undefined {
  const byId = new Map(orders.map((order) => [order.id, order]))
  for (const { deposit, returnedBy } of deposits) {
    const payment = payments.find(({ depositId }) => depositId === deposit.depositId)
    const order = returnedBy === undefined ? undefined : byId.get(returnedBy)
    if (!order) continue
    byId.delete(order.id)
    if (!payment?.needsDecision)
      return `${payment?.description} was kept, but the bank has ${describeOrder(order)}`
    if (order.status !== 'DELIVERED' || order.bookings !== 1) return `The bank has ${describeOrder(order)}`
    payment.expectedOutcome = FAILS
  }
  for (const { description, from, to, state, expectedOutcome, transactionId } of payments) {
    if (transactionId === undefined) continue
    const order = byId.get(transactionId)
    byId.delete(transactionId)
    const isSubmitted = (from === undefined || to === undefined) && state === 'acknowledged'
    const completes = isSubmitted && expectedOutcome.status === 'COMPLETED'
    const isExpected = order
      ? isSubmitted &&
        order.bookings <= 1 &&
        (order.status === 'DELIVERED') === (completes && !expectedOutcome.isReversed)
      : !completes
    if (!isExpected)
      return `${description} is ${state}: ${JSON.stringify(expectedOutcome)}. The bank has ${describeOrder(order)}`
  }
  const [unknown] = byId.values()
  return unknown && `The bank has an order that nobody requested: ${describeOrder(unknown)}`
}

const describeOrder = (order: Order | undefined): string => (order ? JSON.stringify(order) : 'no order')

export async function waitUntilNoDifference(
  rail: Rail,
  seconds: number,
  findDifference: () => Promise<string | undefined>,
): Promise<void> {
  for (let round = 0; ; round++) {
    await rail.advanceTime(seconds)
    const wrong = await findDifference()
    if (wrong === undefined) return
    if (round === ROUNDS_MAX) throw new Violation(wrong)
  }
}

/** Returns the account number to pay into. Waits until the bank has opened the account. */
async function findNumber(backend: Backend, { id, customerId }: Account): Promise<string> {
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const own = expectStatus(
      await backend.get(`/customers/internal-accounts?customerId=${customerId}`),
      200,
    ).data
    const [details] = own.find((account: { id: string }) => account.id === id).fundingPaymentInstructions
    const { iban, accountNumber } = details?.accountOrWalletInfo ?? {}
    if (iban ?? accountNumber) return iban ?? accountNumber
    await backend.machine.pause(1_000)
  }
  throw new Violation(`${id} has no number to pay in to`)
}
