import type {
  ConnectorEvent,
  ConnectorStatement,
  ReceivedDeposit,
  StatementEntry,
} from '@countersign/contract/connectors/events'
import type {
  ConnectorFailure,
  ConnectorPaymentStatus,
  DepositAccount,
  DepositAccountRequest,
  PaymentRequest,
  PullRequest,
} from '@countersign/contract/connectors/protocol'

/** The bank's state. All of it follows from the changes in the journal, in their order. */
export interface Books {
  /** Part of every id that the bank issues, so that ids of two banks never collide. */
  bankId: string
  /** The open day. Closing it opens the next one, regardless of the calendar. */
  date: string
  changes: number
  readonly orders: Readonly<Record<Direction, Map<string, Order>>>
  readonly details: Map<string, { readonly request: DepositAccountRequest; readonly answer: DepositAccount }>
  /** Keyed by the account number that payers use and by the bank's own id. */
  readonly detailsByNumber: Map<string, DepositAccount & { readonly currency: string }>
  readonly deposits: Map<string, StoredDeposit>
  readonly balances: Map<string, bigint>
  readonly openings: Map<string, bigint>
  readonly entries: Map<string, StatementEntry[]>
  readonly statements: Map<string, ConnectorStatement>
  /** Events that Countersign has not received. */
  readonly outbox: Map<string, ConnectorEvent>
}

export type Direction = 'payment' | 'pull'

export interface Order {
  readonly direction: Direction
  readonly request: PaymentRequest | PullRequest
  readonly connectorReference: string
  status: ConnectorPaymentStatus
  failure?: ConnectorFailure
  /** The number of times money has left or arrived for it. In a correct bank this is never 2. */
  bookings: number
  lastEvent?: string
}

export interface StoredDeposit {
  readonly deposit: ReceivedDeposit
  isReversed: boolean
  /** The id of the payment that returns it. */
  returnedBy?: string
}

export type Change = { readonly at: string } & (
  | { readonly type: 'opened'; readonly bankId: string; readonly date: string }
  | {
      readonly type: 'ordered'
      readonly direction: Direction
      readonly request: PaymentRequest | PullRequest
      readonly status: ConnectorPaymentStatus
      readonly failure?: ConnectorFailure
    }
  | {
      readonly type: 'moved'
      readonly direction: Direction
      readonly id: string
      readonly status: ConnectorPaymentStatus
      readonly failure?: ConnectorFailure
    }
  | { readonly type: 'details'; readonly request: DepositAccountRequest; readonly answer: DepositAccount }
  | { readonly type: 'deposited'; readonly deposit: ReceivedDeposit }
  | { readonly type: 'reversed'; readonly depositId: string; readonly failure: ConnectorFailure }
  | { readonly type: 'closed' }
  | { readonly type: 'told'; readonly eventId: string }
)

export const CURRENCIES = ['EUR', 'USD'] as const

export function createEmptyBooks(): Books {
  return {
    bankId: '',
    date: '',
    changes: 0,
    orders: { payment: new Map(), pull: new Map() },
    details: new Map(),
    detailsByNumber: new Map(),
    deposits: new Map(),
    balances: new Map(CURRENCIES.map((currency) => [currency, 0n])),
    openings: new Map(CURRENCIES.map((currency) => [currency, 0n])),
    entries: new Map(CURRENCIES.map((currency) => [currency, []])),
    statements: new Map(),
    outbox: new Map(),
  }
}

/**
 * Applies a change and returns the events that report it. The same changes produce the same event ids, so a
 * restart repeats nothing.
 */
export function applyChange(books: Books, change: Change): ConnectorEvent[] {
  books.changes += 1
  const events = updateBooks(books, change)
  for (const event of events) books.outbox.set(event.id, event)
  return events
}

function updateBooks(books: Books, change: Change): ConnectorEvent[] {
  const head = { id: `${books.bankId}:${books.changes}`, occurredAt: change.at }
  switch (change.type) {
    case 'opened':
      books.bankId = change.bankId
      books.date = change.date
      return []
    case 'ordered':
      return addOrder(books, change, head)
    case 'moved':
      return moveOrder(books, books.orders[change.direction].get(change.id)!, change, head)
    case 'details':
      return addDetails(books, change)
    case 'deposited':
      return [{ ...head, type: 'deposit.received', data: addDeposit(books, change) }]
    case 'reversed':
      reverseDeposit(books, change)
      return [
        {
          ...head,
          type: 'deposit.reversed',
          data: { depositId: change.depositId, failure: change.failure },
        },
      ]
    case 'closed':
      return closeDay(books).map((data) => ({
        ...head,
        id: `${head.id}:${data.currency}`,
        type: 'statement' as const,
        data,
      }))
    case 'told':
      books.outbox.delete(change.eventId)
      return []
  }
}

type EventHead = Pick<ConnectorEvent, 'id' | 'occurredAt'>
type ChangeOf<T extends Change['type']> = Extract<Change, { type: T }>

function addOrder(books: Books, change: ChangeOf<'ordered'>, head: EventHead): ConnectorEvent[] {
  const { direction, request, ...rest } = change
  const connectorReference = `${books.bankId}-${books.changes}`
  const order: Order = { direction, request, connectorReference, status: 'ACCEPTED', bookings: 0 }
  books.orders[direction].set(request.id, order)
  if ('returnOf' in request && request.returnOf && rest.status !== 'FAILED') {
    const storedDeposit = books.deposits.get(request.returnOf.depositId)
    if (storedDeposit) storedDeposit.returnedBy = request.id
  }
  if (rest.status === 'ACCEPTED') return []
  return moveOrder(books, order, rest, head)
}

function moveOrder(
  books: Books,
  order: Order,
  { at, status, failure }: Pick<ChangeOf<'moved'>, 'at' | 'status' | 'failure'>,
  head: EventHead,
): ConnectorEvent[] {
  order.status = status
  if (status === 'FAILED' || status === 'CANCELLED') releaseDeposit(books, order)
  if (failure) order.failure = failure
  bookOrder(books, order, at)
  if (status === 'UNKNOWN') return []
  order.lastEvent = head.id
  const { id } = order.request
  const { direction, connectorReference } = order
  if (status === 'FAILED' || status === 'RETURNED') {
    const type = `${direction}.${status === 'FAILED' ? 'failed' : 'returned'}` as const
    return [{ ...head, type, data: { id, connectorReference, failure: failure! } }]
  }
  if (status === 'CANCELLED')
    return direction === 'payment'
      ? [{ ...head, type: 'payment.cancelled', data: { id, connectorReference } }]
      : []
  const type = `${direction}.${status === 'DELIVERED' ? 'delivered' : 'accepted'}` as const
  return [{ ...head, type, data: { id, connectorReference } }]
}

/** A deposit whose return failed may be returned by another payment. */
function releaseDeposit(books: Books, { request }: Order): void {
  const depositId = 'returnOf' in request ? request.returnOf?.depositId : undefined
  const storedDeposit = depositId === undefined ? undefined : books.deposits.get(depositId)
  if (storedDeposit?.returnedBy === request.id) delete storedDeposit.returnedBy
}

/** Moves an order's money: out or in when it is delivered, and back when it is returned. */
function bookOrder(books: Books, order: Order, at: string): void {
  const { direction, request, status } = order
  if (status !== 'DELIVERED' && status !== 'RETURNED') return
  const isOut = (direction === 'payment') === (status === 'DELIVERED')
  const kind = `${direction === 'payment' ? ('PAYMENT' as const) : ('PULL' as const)}` as const
  const amount = BigInt(request.amount.value)
  order.bookings += status === 'DELIVERED' ? 1 : 0
  addEntry(books, request.amount.currency, {
    bookedAt: at,
    amount: isOut ? -amount : amount,
    kind: status === 'DELIVERED' ? kind : `${kind}_RETURN`,
    id: request.id,
    text: request.reference,
  })
}

function addDetails(books: Books, { request, answer }: ChangeOf<'details'>): [] {
  books.details.set(request.id, { request, answer })
  const { iban, accountNumber } = answer.account
  for (const name of [iban, accountNumber, answer.depositAccountId])
    if (typeof name === 'string') books.detailsByNumber.set(name, { ...answer, currency: request.currency })
  return []
}

function addDeposit(books: Books, { at, deposit }: ChangeOf<'deposited'>): ReceivedDeposit {
  books.deposits.set(deposit.depositId, { deposit, isReversed: false })
  addEntry(books, deposit.amount.currency, {
    bookedAt: at,
    amount: BigInt(deposit.amount.value),
    kind: 'DEPOSIT',
    depositId: deposit.depositId,
    ...(deposit.remittanceInformation ? { text: deposit.remittanceInformation } : {}),
    deposit,
  })
  return deposit
}

function reverseDeposit(books: Books, { at, depositId }: ChangeOf<'reversed'>): void {
  const storedDeposit = books.deposits.get(depositId)!
  storedDeposit.isReversed = true
  const { value, currency } = storedDeposit.deposit.amount
  addEntry(books, currency, { bookedAt: at, amount: -BigInt(value), kind: 'DEPOSIT_REVERSAL', depositId })
}

type NewEntry = Omit<StatementEntry, 'entryId' | 'amount'> & { readonly amount: bigint }

function addEntry(books: Books, currency: string, entry: NewEntry): void {
  books.balances.set(currency, (books.balances.get(currency) ?? 0n) + entry.amount)
  const entryId = `${books.bankId}-e${books.changes}`
  const entries = books.entries.get(currency)
  if (entries) entries.push({ entryId, ...entry, amount: String(entry.amount) })
  else books.entries.set(currency, [{ entryId, ...entry, amount: String(entry.amount) }])
}

/** Closes the day and opens the next one. Returns a statement for each currency. */
function closeDay(books: Books): ConnectorStatement[] {
  const { date } = books
  books.date = new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)
  return [...books.balances].map(([currency, balance]) => {
    const statement: ConnectorStatement = {
      statementId: `${books.bankId}-${date}-${currency}`,
      date,
      currency,
      openingBalance: String(books.openings.get(currency) ?? 0n),
      closingBalance: String(balance),
      entries: books.entries.get(currency) ?? [],
    }
    books.statements.set(`${date}/${currency}`, statement)
    books.openings.set(currency, balance)
    books.entries.set(currency, [])
    return statement
  })
}
