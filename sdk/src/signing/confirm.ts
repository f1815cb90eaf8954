import { isPayment, type Payment, type Statement } from './statement.ts'

/**
 * Shows the customer the payment and resolves to their decision. The fields come from the exact text that
 * will be signed: show the amounts and the payee from them, or `summary` if one sentence is enough. Do not
 * show data that arrived in another way.
 */
export type Confirm = (payment: Payment) => boolean | Promise<boolean>

/** A payment must be shown before it is signed, but there is no `confirm`: pass it to the wallet or the session. */
export class ConfirmationRequiredError extends Error {
  override readonly name = 'ConfirmationRequiredError'
  readonly payment: Payment

  constructor(payment: Payment) {
    super('Nothing was signed: a payment must be confirmed first, and no `confirm` was given.')
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
 * Resolves if nothing is paid or the customer agrees. Rejects with one of the errors above, or like
 * `confirm`.
 */
export async function askFor(statement: Statement, confirm: Confirm | undefined): Promise<void> {
  if (!isPayment(statement)) return
  if (!confirm) throw new ConfirmationRequiredError(statement)
  if ((await confirm(statement)) !== true) throw new NotConfirmedError(statement)
}
