import { type Confirm, ConfirmationRequiredError } from '../signing/confirm.ts'
import type { Payment } from '../signing/statement.ts'

/** A payment waiting for the customer's decision. */
export interface Confirmation {
  /** Parsed from the exact text that will be signed. */
  readonly payment: Payment
  /** True signs the payment, false declines it. Only the first call counts. */
  readonly answer: (isConfirmed: boolean) => void
}

/**
 * Queue of payments waiting for confirmation, oldest first. Without a registered viewer, `ask` rejects, so
 * that a payment not shown on the screen is never signed.
 */
export class Confirmations {
  #waiting: readonly Confirmation[] = []
  readonly #viewers = new Set<{ readonly changed: () => void }>()

  /** The wallet's `confirm`. Rejects with ConfirmationRequiredError if no component shows payments. */
  readonly ask: Confirm = (payment) => {
    if (this.#viewers.size === 0) throw new ConfirmationRequiredError(payment)
    return new Promise((resolve) => {
      const confirmation: Confirmation = {
        payment,
        answer: (isConfirmed) => {
          this.#set(this.#waiting.filter((other) => other !== confirmation))
          resolve(isConfirmed)
        },
      }
      this.#set([...this.#waiting, confirmation])
    })
  }

  /** The payment to show now. */
  readonly current = (): Confirmation | undefined => this.#waiting[0]

  /** Registers a component that shows payments. When the last one unmounts, waiting payments are declined. */
  readonly view = (onChange: () => void): (() => void) => {
    // A new object for each call, so that two components with the same function count as two.
    const viewer = { changed: onChange }
    this.#viewers.add(viewer)
    return () => {
      this.#viewers.delete(viewer)
      if (this.#viewers.size === 0) for (const { answer } of this.#waiting) answer(false)
    }
  }

  #set(waiting: readonly Confirmation[]): void {
    this.#waiting = waiting
    for (const { changed } of this.#viewers) changed()
  }
}
