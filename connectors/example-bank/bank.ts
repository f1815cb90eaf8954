import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { ConnectorEvent, ReceivedDeposit } from '@countersign/contract/connectors/events'
import type {
  AccountCheck,
  AccountCheckRequest,
  ConnectorFailure,
  ConnectorPayment,
  ConnectorPaymentStatus,
  DepositAccount,
  DepositAccountRequest,
  PaymentRequest,
  PullRequest,
} from '@countersign/contract/connectors/protocol'
import {
  applyChange,
  type Books,
  type Change,
  CURRENCIES,
  createEmptyBooks,
  type Direction,
  type Order,
  type StoredDeposit,
} from './books.ts'
import { Journal } from './journal.ts'
import { BANK_NAME, BIC, buildIban, formatUsAccount, ROUTING_NUMBER } from './numbers.ts'
import { type Behaviour, findNameResult, findStatusPath } from './outcomes.ts'

/** The next states that each state allows. States without an entry are final. */
const NEXT_STATUSES: Readonly<Partial<Record<ConnectorPaymentStatus, readonly ConnectorPaymentStatus[]>>> = {
  ACCEPTED: ['DELIVERED', 'FAILED', 'CANCELLED'],
  UNKNOWN: ['ACCEPTED', 'DELIVERED', 'FAILED', 'CANCELLED'],
  DELIVERED: ['RETURNED'],
}

const FAILURES_BY_STATUS: Readonly<Partial<Record<ConnectorPaymentStatus, ConnectorFailure>>> = {
  FAILED: { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'The account is closed' },
  RETURNED: { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'The other bank returned the payment' },
}

/** The account types of this bank. */
const CURRENCIES_BY_ACCOUNT_TYPE: Readonly<Record<string, string>> = {
  EUR_ACCOUNT: 'EUR',
  USD_ACCOUNT: 'USD',
}

/** The part of a bank that the protocol's calls need. */
export type CalledBank = Pick<
  Bank,
  'books' | 'behaviour' | 'placeOrder' | 'moveOrder' | 'openAccount' | 'checkName' | 'waitForLastEvent'
>

/** The part of a bank that event delivery needs. */
export type ReportingBank = Pick<Bank, 'books' | 'behaviour' | 'markReceived'>

/** The bank: it decides, stores its decisions, and advances time. */
export class Bank {
  readonly books: Books = createEmptyBooks()
  readonly journal: Journal
  readonly behaviour: Behaviour
  readonly #timers = new Set<NodeJS.Timeout>()
  /** Called with events once they are on disk. */
  onEvents: (events: readonly ConnectorEvent[]) => void = () => {}
  /** Called after someone changes the behavior. */
  onBehaviour: () => void = () => {}
  readonly #onReceived = new Map<string, () => void>()

  private constructor(journal: Journal, behaviour: Behaviour) {
    this.journal = journal
    this.behaviour = behaviour
  }

  static async open(path: string, behaviour: Behaviour): Promise<Bank> {
    const { journal, changes } = await Journal.open<Change>(path)
    const bank = new Bank(journal, behaviour)
    for (const change of changes) applyChange(bank.books, change)
    if (changes.length === 0)
      bank.#store({
        type: 'opened',
        bankId: randomUUID().slice(0, 8),
        date: new Date().toISOString().slice(0, 10),
      })
    for (const orders of Object.values(bank.books.orders))
      for (const order of orders.values()) bank.#planNext(order)
    return bank
  }

  /** Returns the new or existing order with this id. Undefined if the id was used with a different body. */
  placeOrder(direction: Direction, request: PaymentRequest | PullRequest): Order | undefined {
    const known = this.books.orders[direction].get(request.id)
    if (known) return isSameOrder(known.request, request) ? known : undefined
    const refusal = this.#findRefusal(request)
    const status = refusal ? 'FAILED' : findStatusPath(request)[0]
    const failure = refusal ?? FAILURES_BY_STATUS[status]
    this.#store({ type: 'ordered', direction, request, status, ...(failure ? { failure } : {}) })
    const order = this.books.orders[direction].get(request.id)!
    this.#planNext(order)
    return order
  }

  /** Moves an order to a state if the order's state allows it. */
  moveOrder(order: Order, status: ConnectorPaymentStatus): boolean {
    if (!NEXT_STATUSES[order.status]?.includes(status)) return false
    const failure = FAILURES_BY_STATUS[status]
    const { direction, request } = order
    this.#store({ type: 'moved', direction, id: request.id, status, ...(failure ? { failure } : {}) })
    this.#planNext(order)
    return true
  }

  /**
   * Returns the bank details for an internal account or a pool. Undefined if the id was used with a different
   * body.
   */
  openAccount(request: DepositAccountRequest): DepositAccount | undefined {
    const known = this.books.details.get(request.id)
    if (known) return isDeepStrictEqual(known.request, request) ? known.answer : undefined
    const account = 1_000_000_000 + this.books.details.size
    const isEuro = request.currency === 'EUR'
    const answer: DepositAccount = {
      id: request.id,
      depositAccountId: `${this.books.bankId}-a${account}`,
      matching: request.purpose === 'POOL' ? 'REFERENCE' : 'ACCOUNT',
      accountType: isEuro ? 'EUR_ACCOUNT' : 'USD_ACCOUNT',
      account: isEuro
        ? { iban: buildIban(account), swiftCode: BIC }
        : { accountNumber: formatUsAccount(account), routingNumber: ROUTING_NUMBER, bankName: BANK_NAME },
    }
    this.#store({ type: 'details', request, answer })
    return answer
  }

  /** Compares a name with the holder of an account at another bank. */
  checkName({ account, holderName }: AccountCheckRequest): AccountCheck {
    const result = findNameResult(account)
    return { result, ...(result === 'CLOSE_MATCH' ? { name: `${holderName} Jr` } : {}) }
  }

  /** Records money from an outside payer. A repeated id changes nothing. */
  receiveDeposit(deposit: ReceivedDeposit): StoredDeposit {
    const known = this.books.deposits.get(deposit.depositId)
    if (known) return known
    this.#store({ type: 'deposited', deposit })
    return this.books.deposits.get(deposit.depositId)!
  }

  /** Reverses a deposit, as the payer's bank would. False if it was already reversed or returned. */
  reverseDeposit(storedDeposit: StoredDeposit): boolean {
    if (storedDeposit.isReversed || storedDeposit.returnedBy) return false
    const failure = FAILURES_BY_STATUS.RETURNED!
    this.#store({ type: 'reversed', depositId: storedDeposit.deposit.depositId, failure })
    return true
  }

  /** Closes the open day. Returns its date. */
  closeDay(): string {
    const { date } = this.books
    this.#store({ type: 'closed' })
    return date
  }

  /** Records that Countersign has received an event. */
  markReceived(eventId: string): void {
    this.#store({ type: 'told', eventId })
    this.#onReceived.get(eventId)?.()
    this.#onReceived.delete(eventId)
  }

  /** Resolves when the last event about an order has been received, or after five seconds. */
  async waitForLastEvent({ lastEvent }: Order): Promise<void> {
    if (!lastEvent || !this.books.outbox.has(lastEvent)) return
    const acknowledged = new Promise<void>((resolve) => this.#onReceived.set(lastEvent, resolve))
    await Promise.race([acknowledged, sleep(5000)])
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.onEvents = () => {}
    await this.journal.close()
  }

  /**
   * An impossible payment is a failed order: a refused call would leave the outcome of the payment unknown.
   */
  #findRefusal(request: PaymentRequest | PullRequest): ConnectorFailure | undefined {
    const toFailure = (message: string): ConnectorFailure => ({ code: 'QUOTE_EXECUTION_FAILED', message })
    if ('returnOf' in request && request.returnOf) {
      const storedDeposit = this.books.deposits.get(request.returnOf.depositId)
      if (!storedDeposit) return toFailure('Deposit not found.')
      if (storedDeposit.isReversed || storedDeposit.returnedBy)
        return toFailure('The deposit has already been returned.')
      const { value, currency } = storedDeposit.deposit.amount
      const isWhole = value === request.amount.value && currency === request.amount.currency
      return isWhole ? undefined : toFailure('The amount differs from the amount of the deposit.')
    }
    const party = 'payer' in request ? request.payer : request.beneficiary
    const { currency } = request.amount
    if (
      CURRENCIES_BY_ACCOUNT_TYPE[party?.accountType ?? ''] !== currency ||
      !CURRENCIES.some((supported) => supported === currency)
    )
      return toFailure(
        `This bank pays EUR to EUR_ACCOUNT and USD to USD_ACCOUNT, not ${currency} to ${party?.accountType}.`,
      )
    return undefined
  }

  #planNext(order: Order): void {
    const statusPath = findStatusPath(order.request)
    const at = statusPath.indexOf(order.status)
    const next = at < 0 ? undefined : statusPath[at + 1]
    if (!next) return
    const { settleDelayMs, returnDelayMs } = this.behaviour
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.moveOrder(order, next)
      },
      next === 'RETURNED' ? returnDelayMs : settleDelayMs,
    )
    this.#timers.add(timer)
  }

  #store(change: DistributiveOmit<Change, 'at'>): void {
    const stampedChange = { ...change, at: new Date().toISOString() } as Change
    this.journal.append(stampedChange)
    // Events are sent only after their changes are on disk, so that a crash cannot make them untrue.
    const events = applyChange(this.books, stampedChange)
    if (events.length > 0) void this.journal.waitUntilWritten().then(() => this.onEvents(events))
  }
}

export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** Ignores fields that this bank does not know, because a newer Countersign may add one to a retry. */
export function isSameOrder(a: PaymentRequest | PullRequest, b: PaymentRequest | PullRequest): boolean {
  return isDeepStrictEqual(pickKnownFields(a), pickKnownFields(b))
}

function pickKnownFields(request: PaymentRequest | PullRequest): unknown {
  const { id, amount, rail, reference, requestedAt } = request
  const rest =
    'payer' in request
      ? { payer: request.payer }
      : {
          beneficiary: request.beneficiary,
          originator: request.originator,
          remittanceInformation: request.remittanceInformation,
          returnOf: request.returnOf,
        }
  return { id, value: amount.value, currency: amount.currency, rail, reference, requestedAt, ...rest }
}

export function toConnectorPayment({
  request,
  status,
  connectorReference,
  failure,
}: Order): ConnectorPayment {
  return { id: request.id, status, connectorReference, ...(failure ? { failure } : {}) }
}
