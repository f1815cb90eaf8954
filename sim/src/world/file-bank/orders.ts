import type { Random } from '../../machine/random.ts'
import { Violation } from '../../model/model.ts'
import type { Order } from '../connector.ts'
import type { Payment, PaymentFile } from './messages.ts'

/** Suffixes of account numbers at other banks that reject or return money. */
export const REJECTS = '101'
export const RETURNS = '104'
const HOUR_MS = 3_600_000
/** The time by which the server has credited a collection, unless the bank booked the collection late. */
const LATE_MS = 96 * HOUR_MS

export interface FileOrder extends Payment {
  status: 'REJECTED' | 'DELIVERED' | 'RETURNED'
  bookings: number
  /** The earliest time at which the money is returned, if it is. */
  readonly returnsAtMs: number
}

/** The payments that the servers have submitted to the bank. */
export class Orders {
  readonly #random: Random
  readonly #byId = new Map<string, FileOrder>()
  readonly #messages = new Set<string>()

  constructor(random: Random) {
    this.#random = random
  }

  /**
   * Accepts a file. Throws Violation if the file or one of its payments was submitted before, or if a mandate
   * does not allow a payment.
   */
  take({ messageId, payments }: PaymentFile, nowMs: number): void {
    if (this.#messages.has(messageId)) throw new Violation(`The bank has received a second file ${messageId}`)
    this.#messages.add(messageId)
    for (const payment of payments) {
      const { instructionId, direction } = payment
      if (this.#byId.has(instructionId))
        throw new Violation(`The bank has received ${instructionId} in a second file`)
      this.#checkFirstCollection(payment)
      const isRejected = isRejectedBy(payment)
      const isLate = direction === 'PULL' && this.#random.chance(0.6)
      this.#byId.set(instructionId, {
        ...payment,
        status: isRejected ? 'REJECTED' : 'DELIVERED',
        bookings: isRejected ? 0 : 1,
        returnsAtMs: isLate ? nowMs + LATE_MS : nowMs,
      })
    }
  }

  /** A mandate allows only one first collection that reaches the debtor's bank. */
  #checkFirstCollection({ mandate, sequence, instructionId }: Payment): void {
    if (sequence !== 'FRST') return
    const previous = this.all.find(
      (order) => order.mandate === mandate && order.sequence === 'FRST' && order.status !== 'REJECTED',
    )
    if (previous)
      throw new Violation(
        `${instructionId} is a first collection of ${mandate}, like ${previous.instructionId}`,
      )
  }

  get all(): FileOrder[] {
    return [...this.#byId.values()]
  }

  /** The orders whose money has not been returned yet but will be. */
  get unreturned(): FileOrder[] {
    return this.all.filter(({ iban, status }) => iban.endsWith(RETURNS) && status === 'DELIVERED')
  }

  /** The orders with their instruction ids, which are the servers' names for them. */
  get named(): Order[] {
    return this.all.map(({ instructionId: id, status, bookings }) => ({ id, status, bookings }))
  }
}

export function isRejectedBy({ iban }: Pick<Payment, 'iban'>): boolean {
  return iban.endsWith(REJECTS)
}
