import type { Connector, Deposit, Order } from '../world/connector.ts'
import { START_MS } from '../world/engine.ts'
import { type Backend, must } from './clients.ts'
import { type Account, COMPLETES, type Ending, FAILS, type Payment, Wrong } from './model.ts'
import type { Rail } from './rail.ts'

/** The bank later reverses the debit. The platform bears the loss, not the payee. */
export const TAKEN_BACK: Ending = { ...COMPLETES, mayFail: true, isTakenBack: true }
/** The bank reverses the debit, and the payee pays it back as far as possible. */
export const REFUNDED: Ending = { ...FAILS, status: 'REFUNDED', mayFail: true }
/** The refund fails too, so the money stays with the platform. */
const STAYS_AWAY: Ending = { ...FAILS, takes: true }

const BENEFICIARY = { beneficiaryType: 'INDIVIDUAL', fullName: 'Ada Lovelace' }
const US_ACCOUNTS: Pick<Rail, 'currencies' | 'canPull' | 'elsewhere'> = {
  currencies: ['USD', 'EUR'],
  canPull: true,
  elsewhere: (suffix) => ({
    accountType: 'USD_ACCOUNT',
    accountNumber: `123456${suffix}`,
    routingNumber: '021000021',
    beneficiary: BENEFICIARY,
  }),
}

const SANDBOX_TRANSFER = { '002': FAILS, '003': FAILS, '004': FAILS, '005': FAILS }

/** The sandbox's rail (specification 4.16). Its clock is moved through the API. */
export function sandboxRail(backend: Backend): Rail {
  return {
    ...US_ACCOUNTS,
    suffixes: ['002', '003', '004', '005', '006', '007'],
    endings: {
      transferOut: SANDBOX_TRANSFER,
      transferIn: SANDBOX_TRANSFER,
      payout: { '002': FAILS, '004': FAILS, '005': FAILS, '006': FAILS, '007': STAYS_AWAY },
      pull: { '002': FAILS, '003': FAILS, '004': FAILS, '005': FAILS, '006': TAKEN_BACK },
    },
    async payIn({ id }, amount) {
      must(await backend.post(`/sandbox/internal-accounts/${id}/fund`, { amount }), 200)
      return undefined
    },
    async advanceTime(seconds) {
      must(await backend.again('POST', '/sandbox/clock/advance', { seconds }), 200)
    },
    checkDeposits: async () => {},
    findOpenWork: async () => undefined,
    checkFinalState: async () => {},
  }
}

const CONNECTOR_OUT = { '101': FAILS, '103': FAILS, '104': FAILS }
/**
 * Everything at the bank happens within this time, except that a report which is refused repeatedly arrives
 * in a later turn.
 */
const REPORTED_MS = 10_000
export const TURNS_MAX = 10
/** The date on which the bank opens. */
const FIRST_DAY = new Date(START_MS).toISOString().slice(0, 10)

/** A connector in production. The example bank's guide lists how payments end. */
export function connectorRail(backend: Backend, connector: Connector): Rail {
  const { machine } = backend
  const deposits = { made: 0 }
  const rail: Rail = {
    ...US_ACCOUNTS,
    suffixes: ['101', '102', '103', '104', '106', '107'],
    endings: {
      transferOut: CONNECTOR_OUT,
      transferIn: { ...CONNECTOR_OUT, '104': REFUNDED },
      payout: CONNECTOR_OUT,
      pull: { ...CONNECTOR_OUT, '104': TAKEN_BACK },
    },
    async payIn(account, amount) {
      const depositId = `deposit ${++deposits.made}`
      const number = await findNumber(backend, account)
      await connector.control('POST', '/deposits', { depositId, account: number, amount: String(amount) })
      return depositId
    },
    async advanceTime(seconds) {
      machine.clock.offsetMs += seconds * 1_000
      await machine.pause(REPORTED_MS)
    },
    checkDeposits: async () => {},
    async findOpenWork({ payments }) {
      const orders: Order[] = [
        ...(await connector.control('GET', '/payments')).data,
        ...(await connector.control('GET', '/pulls')).data,
      ]
      const { data: unheard } = await connector.control('GET', '/events')
      if (unheard.length > 0) return `Reports that nobody has heard: ${JSON.stringify(unheard)}`
      const deposits: Deposit[] = (await connector.control('GET', '/deposits')).data
      return differenceOf(payments, orders, deposits)
    },
    async checkFinalState() {
      await connector.control('POST', '/days/close')
      await waitUntilNoDifference(rail, 0, async () => {
        const { data } = must(await backend.get(`/reconciliations?startDate=${FIRST_DAY}&limit=100`), 200)
        const wrong = data.filter(({ status }: { status: string }) => status !== 'BALANCED')
        return data.length > 0 && wrong.length === 0
          ? undefined
          : `The statements of the bank: ${JSON.stringify(data)}`
      })
      for (const path of ['/rail-events', '/deposits?status=SUSPENSE']) {
        const { data } = must(await backend.get(path), 200)
        if (data.length > 0) throw new Wrong(`Records in ${path} wait for a person: ${JSON.stringify(data)}`)
      }
    },
  }
  return rail
}

/**
 * Compares the bank's orders with the payments. Each order has moved its money once, or not at all. If the
 * platform decides about incoming money, that money has stayed or was returned to its sender.
 */
export function differenceOf(
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
    if (!payment?.needsDecision) return `${payment?.what} stays, and the bank has ${describeOrder(order)}`
    if (order.status !== 'DELIVERED' || order.bookings !== 1) return `The bank has ${describeOrder(order)}`
    payment.ending = FAILS
  }
  for (const { what, from, to, state, ending, transactionId } of payments) {
    if (transactionId === undefined) continue
    const order = byId.get(transactionId)
    byId.delete(transactionId)
    const isGiven = (from === undefined || to === undefined) && state === 'acknowledged'
    const completes = isGiven && ending.status === 'COMPLETED'
    const isRight = order
      ? isGiven &&
        order.bookings <= 1 &&
        (order.status === 'DELIVERED') === (completes && !ending.isTakenBack)
      : !completes
    if (!isRight)
      return `${what} is ${state}: ${JSON.stringify(ending)}. The bank has ${describeOrder(order)}`
  }
  const [unknown] = byId.values()
  return unknown && `The bank has an order that nobody asked for: ${describeOrder(unknown)}`
}

const describeOrder = (order: Order | undefined): string => (order ? JSON.stringify(order) : 'no order')

export async function waitUntilNoDifference(
  rail: Rail,
  seconds: number,
  findDifference: () => Promise<string | undefined>,
): Promise<void> {
  for (let turn = 0; ; turn++) {
    await rail.advanceTime(seconds)
    const wrong = await findDifference()
    if (wrong === undefined) return
    if (turn === TURNS_MAX) throw new Wrong(wrong)
  }
}

/** The account number to pay into, once the bank has opened the account. */
async function findNumber(backend: Backend, { id, customerId }: Account): Promise<string> {
  for (let turn = 0; turn < TURNS_MAX; turn++) {
    const own = must(await backend.get(`/customers/internal-accounts?customerId=${customerId}`), 200).data
    const [details] = own.find((account: { id: string }) => account.id === id).fundingPaymentInstructions
    const { iban, accountNumber } = details?.accountOrWalletInfo ?? {}
    if (iban ?? accountNumber) return iban ?? accountNumber
    await backend.machine.pause(1_000)
  }
  throw new Wrong(`${id} has no number to pay in to`)
}
