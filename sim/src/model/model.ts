/**
 * The expected state of the platform. It is derived only from the specification, requests and responses,
 * never from tables or server code. Amounts are in the smallest unit of their currency.
 */
export interface Account {
  readonly id: string
  readonly customerId: string
  readonly currency: string
  readonly funded: bigint
}

/** The end of a payment. It depends on the payer or payee. */
export interface Ending {
  readonly status: 'COMPLETED' | 'FAILED' | 'REFUNDED'
  /** True if the money that left the payer's account does not come back. */
  readonly takes: boolean
  /** True if the money that reached the payee's account stays there. */
  readonly gives: boolean
  /** True if the bank has reversed the payment. */
  readonly isTakenBack?: true
  /** True if it may also fail without any movement, because it was reversed before its arrival was seen. */
  readonly mayFail?: true
}

export const COMPLETES: Ending = { status: 'COMPLETED', takes: true, gives: true }
/** The money has arrived, and a person must decide who owns it. */
export const WAITS: Ending = { ...COMPLETES, gives: false }
export const FAILS: Ending = { status: 'FAILED', takes: false, gives: false }

/** A payment that was requested. */
export interface Payment {
  /** Describes the request, for failure reports. */
  readonly what: string
  /** An internal account. Undefined if the money comes from, or goes to, an external one. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** The suffix of the external account that is paid. */
  readonly payee?: string | undefined
  ending: Ending
  /** The amount that leaves `from`. The maximum until the actual amount is known. */
  sent: bigint
  received: bigint
  /** The part of a reversed amount that the payee no longer had. */
  shortfall: bigint
  state: 'asked' | 'acknowledged' | 'refused' | 'unused'
  transactionId?: string
  /** The bank's id of the deposit. */
  depositId?: string | undefined
  /**
   * True if the platform decides whether to accept the payment. Without a decision in time, the money is
   * returned.
   */
  needsDecision?: boolean
  /** The lowest balance that may have been available in `from` at any time since the request. */
  leastAvailable: bigint
}

/** A violation of the expected behavior. */
export class Wrong extends Error {
  override readonly name = 'Wrong'
}

export class Model {
  readonly accounts = new Map<string, Account>()
  readonly payments: Payment[] = []

  /** Records a requested payment that costs at most `sentMax`. */
  ask(payment: Pick<Payment, 'what' | 'from' | 'to' | 'payee' | 'ending'>, sentMax: bigint): Payment {
    const requested: Payment = {
      ...payment,
      sent: sentMax,
      received: 0n,
      shortfall: 0n,
      state: 'asked',
      leastAvailable: payment.from === undefined ? 0n : this.leastAvailable(payment.from),
    }
    this.payments.push(requested)
    // Other open requests may now find less money available.
    for (const other of this.payments)
      if (
        other !== requested &&
        other.state === 'asked' &&
        other.from === requested.from &&
        other.from !== undefined
      )
        other.leastAvailable -= sentMax
    return requested
  }

  /** Records that the request succeeded. */
  acknowledge(payment: Payment, transactionId: string, sent: bigint, received: bigint): void {
    if (payment.transactionId !== undefined && payment.transactionId !== transactionId)
      throw new Wrong(`${payment.what}: first ${payment.transactionId}, then ${transactionId}`)
    if (sent > payment.sent) throw new Wrong(`${payment.what}: takes ${sent}, not ${payment.sent} at most`)
    Object.assign(payment, { transactionId, sent, received, state: 'acknowledged' })
    const { from } = payment
    if (from !== undefined && this.mostAvailable(from) < 0n)
      throw new Wrong(`${payment.what}: ${from} cannot have had as much`)
  }

  /** Records a payment from outside. */
  payIn(payment: Payment, depositId: string | undefined, needsDecision: boolean): void {
    Object.assign(payment, {
      sent: 0n,
      received: payment.sent,
      state: 'acknowledged',
      depositId,
      needsDecision,
    })
  }

  /** Records that the payment was refused for lack of money. */
  refuse(payment: Payment): void {
    payment.state = 'refused'
    if (payment.from === undefined || payment.leastAvailable >= payment.sent)
      throw new Wrong(
        `${payment.what}: refused, although ${payment.leastAvailable} or more was there for ${payment.sent}`,
      )
  }

  /**
   * The least that an account may have available now: all requested payments have left it, and none has
   * arrived.
   */
  leastAvailable(id: string): bigint {
    let available = this.#account(id).funded
    for (const { from, sent, state } of this.payments)
      if (from === id && (state === 'asked' || state === 'acknowledged')) available -= sent
    return available
  }

  /**
   * The most that an account may have available: everything possible has arrived, and only final payments
   * have left.
   */
  mostAvailable(id: string): bigint {
    let available = this.#account(id).funded
    for (const { from, to, sent, received, state, ending } of this.payments) {
      if (to === id && state !== 'refused' && state !== 'unused')
        available += state === 'asked' ? sent * FOREIGN_RATE_MAX : received
      if (from === id && state === 'acknowledged' && ending.takes) available -= sent
    }
    return available
  }

  /** An account's balance once everything is finished. */
  finalBalance(id: string): bigint {
    let balance = this.#account(id).funded
    for (const { from, to, sent, received, shortfall, state, ending } of this.payments) {
      if (state !== 'acknowledged') continue
      if (from === id && ending.takes) balance -= sent
      if (to === id) balance += ending.gives ? received : shortfall
    }
    return balance
  }

  #account(id: string): Account {
    const account = this.accounts.get(id)
    if (!account) throw new Wrong(`The platform has no account ${id}`)
    return account
  }
}

/** The maximum amount of another currency that one unit buys in the sandbox. */
const FOREIGN_RATE_MAX = 10n
