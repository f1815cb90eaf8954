import { type Confirm, ConfirmationRequiredError } from '../signing/confirm.ts'
import type { Payment } from '../signing/statement.ts'

/** A payment that waits for the customer's decision. */
export interface Confirmation {
  /** From the exact text that will be signed. */
  readonly payment: Payment
  /** Signs with true, signs nothing with false. Only the first call counts. */
  readonly answer: (isConfirmed: boolean) => void
}

/**
 * The payments that wait to be shown, the oldest first. Without a viewer, `ask` refuses: a payment that was
 * not on the screen is never signed.
 */
export class Confirmations {
  #waiting: readonly Confirmation[] = []
  readonly #viewers = new Set<{ readonly changed: () => void }>()

  /** The `confirm` of the wallet. Rejects with ConfirmationRequiredError if no component shows payments. */
  readonly ask: Confirm = (payment) => {
    if (this.#viewers.size === 0) throw new ConfirmationRequiredError(payment)
    return new Promise((resolve) => {
      const confirmation: Confirmation = {
        payment,
        answer: (isConfirmed) => {
          this.#set(this.#waiting.filter((one) => one !== confirmation))
          resolve(isConfirmed)
        },
      }
      this.#set([...this.#waiting, confirmation])
    })
  }

  /** The payment to show. */
  readonly current = (): Confirmation | undefined => this.#waiting[0]

  /** Registers a component that shows payments. When the last one leaves, waiting payments are declined. */
  readonly view = (onChange: () => void): (() => void) => {
    // One object for each call, so that two callers with the same function count as two.
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
