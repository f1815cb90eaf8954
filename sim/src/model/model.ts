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

/** The expected outcome of a payment, which depends on the payer or payee. */
export interface ExpectedOutcome {
  readonly status: 'COMPLETED' | 'FAILED' | 'REFUNDED'
  /** True if the money that left the payer's account is never returned. */
  readonly debitsPayer: boolean
  /** True if the money that reached the payee's account stays there. */
  readonly creditsPayee: boolean
  /** True if the bank has reversed the payment. */
  readonly isReversed?: true
  /**
   * True if the payment may also fail without any movement, because it was reversed before its arrival was
   * seen.
   */
  readonly mayFail?: true
}

export const COMPLETES: ExpectedOutcome = { status: 'COMPLETED', debitsPayer: true, creditsPayee: true }
/** The money has arrived, and manual review must decide who owns it. */
export const AWAITS_REVIEW: ExpectedOutcome = { ...COMPLETES, creditsPayee: false }
export const FAILS: ExpectedOutcome = { status: 'FAILED', debitsPayer: false, creditsPayee: false }

/** A requested payment. */
export interface Payment {
  /** Describes the request in failure reports. */
  readonly description: string
  /** An internal account. Undefined if the money comes from, or goes to, an external one. */
  readonly from: string | undefined
  readonly to: string | undefined
  /** The suffix of the external account that is paid. */
  readonly payee?: string | undefined
  expectedOutcome: ExpectedOutcome
  /** The amount that leaves `from`. The maximum until the actual amount is known. */
  sent: bigint
  received: bigint
  /** The part of a reversed amount that the payee no longer had. */
  shortfall: bigint
  state: 'requested' | 'acknowledged' | 'refused' | 'unused'
  transactionId?: string
  /** The bank's id of the deposit. */
  depositId?: string | undefined
  /**
   * True if the platform decides whether to accept the payment. Without a decision in time, the money is
   * returned.
   */
  needsDecision?: boolean
  /** The lowest balance that may have been available in `from` at any time since the request. */
  minAvailable: bigint
}

/** A violation of the expected behavior. */
export class Violation extends Error {
  override readonly name = 'Violation'
}

export class Model {
  readonly accounts = new Map<string, Account>()
  readonly payments: Payment[] = []

  /** Records a requested payment that costs at most `sentMax`. */
  recordRequest(
    payment: Pick<Payment, 'description' | 'from' | 'to' | 'payee' | 'expectedOutcome'>,
    sentMax: bigint,
  ): Payment {
    const requested: Payment = {
      ...payment,
      sent: sentMax,
      received: 0n,
      shortfall: 0n,
      state: 'requested',
      minAvailable: payment.from === undefined ? 0n : this.minAvailable(payment.from),
    }
    this.payments.push(requested)
    // Other open requests may now find less money available.
    for (const other of this.payments)
      if (
        other !== requested &&
        other.state === 'requested' &&
        other.from === requested.from &&
        other.from !== undefined
      )
        other.minAvailable -= sentMax
    return requested
  }

  /** Records that the request succeeded. */
  acknowledge(payment: Payment, transactionId: string, sent: bigint, received: bigint): void {
    if (payment.transactionId !== undefined && payment.transactionId !== transactionId)
      throw new Violation(`${payment.description}: first ${payment.transactionId}, then ${transactionId}`)
    if (sent > payment.sent)
      throw new Violation(`${payment.description}: takes ${sent}, not ${payment.sent} at most`)
    Object.assign(payment, { transactionId, sent, received, state: 'acknowledged' })
    const { from } = payment
    if (from !== undefined && this.maxAvailable(from) < 0n)
      throw new Violation(`${payment.description}: ${from} cannot have had that much`)
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
    if (payment.from === undefined || payment.minAvailable >= payment.sent)
      throw new Violation(
        `${payment.description}: refused, although ${payment.minAvailable} or more was available for ${payment.sent}`,
      )
  }

  /**
   * The lowest balance that an account may have available now, if all requested payments have left it and
   * none has arrived.
   */
  minAvailable(id: string): bigint {
    let available = this.#account(id).funded
    for (const { from, sent, state } of this.payments)
      if (from === id && (state === 'requested' || state === 'acknowledged')) available -= sent
    return available
  }

  /**
   * The highest balance that an account may have available, if everything possible has arrived and only final
   * payments have left.
   */
  maxAvailable(id: string): bigint {
    let available = this.#account(id).funded
    for (const { from, to, sent, received, state, expectedOutcome } of this.payments) {
      if (to === id && state !== 'refused' && state !== 'unused')
        available += state === 'requested' ? sent * FOREIGN_RATE_MAX : received
      if (from === id && state === 'acknowledged' && expectedOutcome.debitsPayer) available -= sent
    }
    return available
  }

  /** An account's balance once everything is finished. */
  finalBalance(id: string): bigint {
    let balance = this.#account(id).funded
    for (const { from, to, sent, received, shortfall, state, expectedOutcome } of this.payments) {
      if (state !== 'acknowledged') continue
      if (from === id && expectedOutcome.debitsPayer) balance -= sent
      if (to === id) balance += expectedOutcome.creditsPayee ? received : shortfall
    }
    return balance
  }

  #account(id: string): Account {
    const account = this.accounts.get(id)
    if (!account) throw new Violation(`The platform has no account ${id}`)
    return account
  }
}

/** The maximum amount of another currency that one unit buys in the sandbox. */
const FOREIGN_RATE_MAX = 10n
