import { isDeepStrictEqual } from 'node:util'
import type { ConnectorEvent, ReceivedDeposit } from '@countersign/contract/connectors/events'
import type {
  AccountCheck,
  ConnectorFailure,
  DepositAccount,
  DepositAccountRequest,
  PaymentRequest,
  PullRequest,
} from '@countersign/contract/connectors/protocol'
import {
  type CalledBank,
  type DistributiveOmit,
  isSameOrder,
  type ReportingBank,
} from '../example-bank/bank.ts'
import {
  applyChange,
  type Books,
  type Change,
  createEmptyBooks,
  type Direction,
  type Order,
} from '../example-bank/books.ts'
import { Journal } from '../example-bank/journal.ts'
import { buildIban } from '../example-bank/numbers.ts'
import { DEFAULT_BEHAVIOUR } from '../example-bank/outcomes.ts'

export const CELLS = ['north', 'south'] as const
export type CellName = (typeof CELLS)[number]

/** A line of the journal: the changes to both cells' books that result from one decision. */
type Line = readonly (readonly [CellName, Change])[]
type NewChange = DistributiveOmit<Change, 'at'>

/** A bank code that belongs to no bank. It lets payers recognize the accounts at this bridge. */
export const BANK_CODE = '99999998'
export const BIC = 'NETTDEFF'
const CURRENCY = 'EUR'
const FIRST_ACCOUNT: Readonly<Record<CellName, number>> = { north: 1_000_000_000, south: 2_000_000_000 }

const RETURN_FAILURE: ConnectorFailure = {
  code: 'COUNTERPARTY_POST_TX_FAILED',
  message: 'The other cell returned the payment',
}

/**
 * Two cells and the netting account between them. A payment out of one cell and the deposit in the other are
 * a single line of the journal, so a crash keeps both or neither, and the two balances always add up to zero.
 */
export class Bridge {
  readonly banks: Readonly<Record<CellName, CellBank>> = {
    north: new CellBank(this, 'north'),
    south: new CellBank(this, 'south'),
  }
  readonly journal: Journal

  private constructor(journal: Journal) {
    this.journal = journal
  }

  static async open(path: string): Promise<Bridge> {
    const { journal, changes } = await Journal.open<Line>(path)
    const bridge = new Bridge(journal)
    for (const line of changes) bridge.#apply(line)
    const date = new Date().toISOString().slice(0, 10)
    if (changes.length === 0) bridge.commit(CELLS.map((bankId) => [bankId, { type: 'opened', bankId, date }]))
    return bridge
  }

  /** Stores changes together. Their events are sent once they are on disk. */
  commit(changes: readonly (readonly [CellName, NewChange])[]): void {
    const at = new Date().toISOString()
    const line = changes.map(([cell, change]) => [cell, { ...change, at }] as const)
    this.journal.append(line)
    const events = this.#apply(line)
    void this.journal.waitUntilWritten().then(() => {
      for (const [cell, reported] of events) if (reported.length > 0) this.banks[cell].onEvents(reported)
    })
  }

  #apply(line: Line): [CellName, ConnectorEvent[]][] {
    return line.map(([cell, change]) => [cell, applyChange(this.banks[cell].books, change)])
  }

  getOtherBank(cell: CellName): CellBank {
    return this.banks[cell === 'north' ? 'south' : 'north']
  }

  /** The books with the open day, which is the same for both cells. */
  get books(): Books {
    return this.banks.north.books
  }

  /**
   * Closes the open day of both cells, so that their statements contain the same payments. Returns its date.
   */
  closeDay(): string {
    const { date } = this.books
    this.commit(CELLS.map((cell) => [cell, { type: 'closed' }]))
    return date
  }

  /** The amount that the bridge owes each cell, in cents. Negative if the cell owes the bridge. */
  readPosition(): Record<CellName, string> {
    const readBalance = (cell: CellName) => String(this.banks[cell].books.balances.get(CURRENCY) ?? 0n)
    return { north: readBalance('north'), south: readBalance('south') }
  }
}

/** The bank that the bridge presents to one cell. */
export class CellBank implements CalledBank, ReportingBank {
  readonly cell: CellName
  readonly books: Books = createEmptyBooks()
  readonly behaviour = { ...DEFAULT_BEHAVIOUR }
  /** Called with events once they are on disk. */
  onEvents: (events: readonly ConnectorEvent[]) => void = () => {}
  readonly #bridge: Bridge

  constructor(bridge: Bridge, cell: CellName) {
    this.#bridge = bridge
    this.cell = cell
  }

  /** Returns the new or existing order with this id. Undefined if the id was used with a different body. */
  placeOrder(direction: Direction, request: PaymentRequest | PullRequest): Order | undefined {
    const { orders } = this.books
    const known = orders[direction].get(request.id)
    if (known) return isSameOrder(known.request, request) ? known : undefined
    if ('payer' in request) this.#refuse(direction, request, 'The bridge does not support pulls.')
    else if (request.returnOf) this.#sendBack(request, request.returnOf.depositId)
    else this.#pay(request)
    return orders[direction].get(request.id)
  }

  #refuse(direction: Direction, request: PaymentRequest | PullRequest, message: string): void {
    const failure: ConnectorFailure = { code: 'QUOTE_EXECUTION_FAILED', message }
    this.#bridge.commit([[this.cell, { type: 'ordered', direction, request, status: 'FAILED', failure }]])
  }

  /** Turns the payment into a deposit of the other cell, with the same id. */
  #pay(request: PaymentRequest): void {
    const { id, amount, beneficiary, originator, remittanceInformation, reference } = request
    const other = this.#bridge.getOtherBank(this.cell)
    const payee = other.books.detailsByNumber.get(String(beneficiary?.account.iban))
    if (payee?.currency !== amount.currency) {
      this.#refuse('payment', request, 'Account not found in the other cell.')
      return
    }
    const deposit: ReceivedDeposit = {
      depositId: id,
      depositAccountId: payee.depositAccountId,
      amount,
      remittanceInformation: remittanceInformation ?? reference,
      ...(originator?.name === undefined ? {} : { sender: { name: originator.name } }),
      ...(request.rail === undefined ? {} : { rail: request.rail }),
      endToEndId: id,
      receivedAt: new Date().toISOString(),
    }
    this.#bridge.commit([
      [this.cell, { type: 'ordered', direction: 'payment', request, status: 'DELIVERED' }],
      [other.cell, { type: 'deposited', deposit }],
    ])
  }

  /** Returns the other cell's payment, because this cell could not credit the deposit. */
  #sendBack(request: PaymentRequest, depositId: string): void {
    const storedDeposit = this.books.deposits.get(depositId)
    const { value, currency } = request.amount
    const isWhole =
      storedDeposit?.deposit.amount.value === value && storedDeposit.deposit.amount.currency === currency
    if (!storedDeposit || storedDeposit.returnedBy || !isWhole) {
      this.#refuse('payment', request, 'A deposit can be returned only once and in full.')
      return
    }
    const returned = {
      direction: 'payment',
      id: depositId,
      status: 'RETURNED',
      failure: RETURN_FAILURE,
    } as const
    this.#bridge.commit([
      [this.cell, { type: 'ordered', direction: 'payment', request, status: 'DELIVERED' }],
      [this.#bridge.getOtherBank(this.cell).cell, { type: 'moved', ...returned }],
    ])
  }

  /** Always false: a payment is final with its first response, so nothing can be canceled. */
  moveOrder(): boolean {
    return false
  }

  /** Returns the bank details for an internal account. Undefined if the id was used with a different body. */
  openAccount(request: DepositAccountRequest): DepositAccount | undefined {
    const known = this.books.details.get(request.id)
    if (known) return isDeepStrictEqual(known.request, request) ? known.answer : undefined
    const account = FIRST_ACCOUNT[this.cell] + this.books.details.size
    const details: DepositAccount = {
      id: request.id,
      depositAccountId: `${this.cell}-${account}`,
      matching: request.purpose === 'POOL' ? 'REFERENCE' : 'ACCOUNT',
      accountType: 'EUR_ACCOUNT',
      account: { iban: buildIban(account, BANK_CODE), swiftCode: BIC },
    }
    this.#bridge.commit([[this.cell, { type: 'details', request, answer: details }]])
    return details
  }

  checkName(): AccountCheck {
    return { result: 'UNAVAILABLE' }
  }

  /** Records that the cell has received an event. */
  markReceived(eventId: string): void {
    this.#bridge.commit([[this.cell, { type: 'told', eventId }]])
  }

  async waitForLastEvent(): Promise<void> {}
}
