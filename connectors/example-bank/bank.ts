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
  apply,
  type Books,
  type Change,
  CURRENCIES,
  type Direction,
  emptyBooks,
  type KeptDeposit,
  type Order,
} from './books.ts'
import { Journal } from './journal.ts'
import { BANK_NAME, BIC, ibanOf, ROUTING_NUMBER, usAccountOf } from './numbers.ts'
import { type Behaviour, nameResultOf, wayOf } from './outcomes.ts'

/** The next states that each state allows. States without an entry are final. */
const NEXT: Readonly<Partial<Record<ConnectorPaymentStatus, readonly ConnectorPaymentStatus[]>>> = {
  ACCEPTED: ['DELIVERED', 'FAILED', 'CANCELLED'],
  UNKNOWN: ['ACCEPTED', 'DELIVERED', 'FAILED', 'CANCELLED'],
  DELIVERED: ['RETURNED'],
}

const FAILURES: Readonly<Partial<Record<ConnectorPaymentStatus, ConnectorFailure>>> = {
  FAILED: { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'The account is closed' },
  RETURNED: { code: 'COUNTERPARTY_POST_TX_FAILED', message: 'The other bank has sent it back' },
}

/** The account types of this bank. */
const SERVED: Readonly<Record<string, string>> = { EUR_ACCOUNT: 'EUR', USD_ACCOUNT: 'USD' }

/** The part of a bank that the calls of the protocol need. */
export type CalledBank = Pick<
  Bank,
  'books' | 'behaviour' | 'order' | 'move' | 'detailsFor' | 'checkName' | 'lastEventTold'
>

/** The part of a bank that the delivery of its events needs. */
export type ReportingBank = Pick<Bank, 'books' | 'behaviour' | 'told'>

/** The bank: it decides, stores its decisions, and advances time. */
export class Bank {
  readonly books: Books = emptyBooks()
  readonly journal: Journal
  readonly behaviour: Behaviour
  readonly #timers = new Set<NodeJS.Timeout>()
  /** Called with events once they are on disk. */
  onEvents: (events: readonly ConnectorEvent[]) => void = () => {}
  /** Called after someone changes the behavior. */
  onBehaviour: () => void = () => {}
  readonly #whenTold = new Map<string, () => void>()

  private constructor(journal: Journal, behaviour: Behaviour) {
    this.journal = journal
    this.behaviour = behaviour
  }

  static async open(path: string, behaviour: Behaviour): Promise<Bank> {
    const { journal, changes } = await Journal.open<Change>(path)
    const bank = new Bank(journal, behaviour)
    for (const change of changes) apply(bank.books, change)
    if (changes.length === 0)
      bank.#keep({
        type: 'opened',
        bankId: randomUUID().slice(0, 8),
        date: new Date().toISOString().slice(0, 10),
      })
    for (const orders of Object.values(bank.books.orders))
      for (const order of orders.values()) bank.#planNext(order)
    return bank
  }

  /** The order with this id, new or existing; undefined if the id was used with another body. */
  order(direction: Direction, request: PaymentRequest | PullRequest): Order | undefined {
    const known = this.books.orders[direction].get(request.id)
    if (known) return isSameOrder(known.request, request) ? known : undefined
    const refusal = this.#refusalOf(request)
    const status = refusal ? 'FAILED' : wayOf(request)[0]
    const failure = refusal ?? FAILURES[status]
    this.#keep({ type: 'ordered', direction, request, status, ...(failure ? { failure } : {}) })
    const order = this.books.orders[direction].get(request.id)!
    this.#planNext(order)
    return order
  }

  /** Moves an order to a state if the order's state allows it. */
  move(order: Order, status: ConnectorPaymentStatus): boolean {
    if (!NEXT[order.status]?.includes(status)) return false
    const failure = FAILURES[status]
    const { direction, request } = order
    this.#keep({ type: 'moved', direction, id: request.id, status, ...(failure ? { failure } : {}) })
    this.#planNext(order)
    return true
  }

  /** The details of an internal account or a pool; undefined if the id was used with another body. */
  detailsFor(request: DepositAccountRequest): DepositAccount | undefined {
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
        ? { iban: ibanOf(account), swiftCode: BIC }
        : { accountNumber: usAccountOf(account), routingNumber: ROUTING_NUMBER, bankName: BANK_NAME },
    }
    this.#keep({ type: 'details', request, answer })
    return answer
  }

  /** Compares a name with the holder of an account at another bank. */
  checkName({ account, holderName }: AccountCheckRequest): AccountCheck {
    const result = nameResultOf(account)
    return { result, ...(result === 'CLOSE_MATCH' ? { name: `${holderName} Jr` } : {}) }
  }

  /** Money arrives from an outside payer. The same id arrives once. */
  deposit(deposit: ReceivedDeposit): KeptDeposit {
    const known = this.books.deposits.get(deposit.depositId)
    if (known) return known
    this.#keep({ type: 'deposited', deposit })
    return this.books.deposits.get(deposit.depositId)!
  }

  /** The payer's bank takes a deposit back. False if that happened already, or we have given it back. */
  reverse(kept: KeptDeposit): boolean {
    if (kept.isReversed || kept.returnedBy) return false
    const failure = FAILURES.RETURNED!
    this.#keep({ type: 'reversed', depositId: kept.deposit.depositId, failure })
    return true
  }

  /** Closes the open day. Returns its date. */
  closeDay(): string {
    const { date } = this.books
    this.#keep({ type: 'closed' })
    return date
  }

  /** An event was received by Countersign. */
  told(eventId: string): void {
    this.#keep({ type: 'told', eventId })
    this.#whenTold.get(eventId)?.()
    this.#whenTold.delete(eventId)
  }

  /** Resolves when the last event about an order has been received, or after five seconds. */
  async lastEventTold({ lastEvent }: Order): Promise<void> {
    if (!lastEvent || !this.books.outbox.has(lastEvent)) return
    const told = new Promise<void>((resolve) => this.#whenTold.set(lastEvent, resolve))
    await Promise.race([told, sleep(5000)])
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearTimeout(timer)
    this.onEvents = () => {}
    await this.journal.close()
  }

  /**
   * An impossible payment is a failed order: a refused call would leave the outcome of the payment unknown.
   */
  #refusalOf(request: PaymentRequest | PullRequest): ConnectorFailure | undefined {
    const toFailure = (message: string): ConnectorFailure => ({ code: 'QUOTE_EXECUTION_FAILED', message })
    if ('returnOf' in request && request.returnOf) {
      const storedDeposit = this.books.deposits.get(request.returnOf.depositId)
      if (!storedDeposit) return toFailure('Deposit not found.')
      if (storedDeposit.isReversed || storedDeposit.returnedBy)
        return toFailure('The deposit has already been returned.')
      const { value, currency } = storedDeposit.deposit.amount
      const isWhole = value === request.amount.value && currency === request.amount.currency
      return isWhole ? undefined : toFailure('The amount is not the amount of the deposit.')
    }
    const party = 'payer' in request ? request.payer : request.beneficiary
    const { currency } = request.amount
    if (SERVED[party?.accountType ?? ''] !== currency || !CURRENCIES.some((one) => one === currency))
      return toFailure(`This bank moves EUR and USD, not ${currency} with ${party?.accountType}`)
    return undefined
  }

  #planNext(order: Order): void {
    const way = wayOf(order.request)
    const at = way.indexOf(order.status)
    const next = at < 0 ? undefined : way[at + 1]
    if (!next) return
    const { settleDelayMs, returnDelayMs } = this.behaviour
    const timer = setTimeout(
      () => {
        this.#timers.delete(timer)
        this.move(order, next)
      },
      next === 'RETURNED' ? returnDelayMs : settleDelayMs,
    )
    this.#timers.add(timer)
  }

  #keep(change: DistributiveOmit<Change, 'at'>): void {
    const whole = { ...change, at: new Date().toISOString() } as Change
    this.journal.append(whole)
    // Events are sent only after their changes are on disk, so that a crash cannot make them untrue.
    const events = apply(this.books, whole)
    if (events.length > 0) void this.journal.waitUntilWritten().then(() => this.onEvents(events))
  }
}

export type DistributiveOmit<T, K extends PropertyKey> = T extends unknown ? Omit<T, K> : never

/** Properties that this bank does not know are not compared: a newer Countersign may add one to a retry. */
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

/** An order as the protocol shows it. */
export function paymentOf({ request, status, connectorReference, failure }: Order): ConnectorPayment {
  return { id: request.id, status, connectorReference, ...(failure ? { failure } : {}) }
}
