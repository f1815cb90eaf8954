import { isPayment, type Payment, type Statement } from './statement.ts'

/**
 * Shows a payment to the customer and resolves to the decision. The fields come from the exact text that will
 * be signed. Show the amounts and the payee, or `summary` if a sentence is enough, and show no data from any
 * other source.
 */
export type Confirm = (payment: Payment) => boolean | Promise<boolean>

/** A payment must be shown before it is signed, but no `confirm` was given to the wallet or the session. */
export class ConfirmationRequiredError extends Error {
  override readonly name = 'ConfirmationRequiredError'
  readonly payment: Payment

  constructor(payment: Payment) {
    super('Nothing was signed: a payment must be confirmed first, but `confirm` is missing.')
    this.payment = payment
  }
}

/** The customer declined a payment, and nothing was signed. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError'
  readonly payment: Payment

  constructor(payment: Payment) {
    super('Nothing was signed: the payment was not confirmed.')
    this.payment = payment
  }
}

/**
 * Resolves if the statement is not a payment or the customer confirms it. Rejects with one of the errors
 * above, or with the error of `confirm`.
 */
export async function requireConfirmation(statement: Statement, confirm: Confirm | undefined): Promise<void> {
  if (!isPayment(statement)) return
  if (!confirm) throw new ConfirmationRequiredError(statement)
  if ((await confirm(statement)) !== true) throw new NotConfirmedError(statement)
}
