import { isPayment, type Payment, type Statement } from './statement.ts'

/**
 * Shows the customer what is about to be paid to whom, and gives their word on it. The members are those of the very
 * text that will be signed: show the amounts and the payee out of them, `summary` where one sentence is enough. Nothing
 * that came over the network some other way is as good.
 */
export type Confirm = (payment: Payment) => boolean | Promise<boolean>

/** A payment was to be signed, and nobody was there to show it to: give `confirm` to the wallet or the session. */
export class ConfirmationRequiredError extends Error {
  override readonly name = 'ConfirmationRequiredError'
  readonly payment: Payment

  constructor(payment: Payment) {
    super('Nothing was signed: a payment is signed after it was confirmed, and there is no `confirm`.')
    this.payment = payment
  }
}

/** The customer said no to a payment, and nothing was signed. */
export class NotConfirmedError extends Error {
  override readonly name = 'NotConfirmedError'
  readonly payment: Payment

  constructor(payment: Payment) {
    super('Nothing was signed: the payment was not confirmed.')
    this.payment = payment
  }
}

/** Goes on where nothing is paid, or the customer agrees; rejects with one of the errors above, or with what `confirm` does. */
export async function askFor(statement: Statement, confirm: Confirm | undefined): Promise<void> {
  if (!isPayment(statement)) return
  if (!confirm) throw new ConfirmationRequiredError(statement)
  if ((await confirm(statement)) !== true) throw new NotConfirmedError(statement)
}
