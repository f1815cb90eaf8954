import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'

/**
 * Ids that follow from what a record is of, so that the primary key keeps a second one out, and a record is found without
 * another index.
 */

/** Of the record of a payment, by its direction and its name at the rail. */
export function railPaymentId(direction: 'OUT' | 'PULL', paymentId: string): string {
  return idOfKind('RailPayment', uuidOfText(`RailPayment ${direction} ${paymentId}`))
}

/** Of a deposit, by the rail's own name for it. */
export function depositId(rail: string, railReference: string): string {
  return idOfKind('Deposit', uuidOfText(`Deposit ${rail} ${railReference}`))
}

/** Of a report, by the rail's own id of the event. */
export function railEventId(rail: string, eventId: string): string {
  return idOfKind('RailEvent', uuidOfText(`RailEvent ${rail} ${eventId}`))
}

/** Of the details that others pay in to, by whom they are for: an internal account, or a pool. */
export function depositAccountId(rail: string, of: string): string {
  return idOfKind('DepositAccount', uuidOfText(`DepositAccount ${rail} ${of}`))
}

/** The name of what all payers of a currency pay in to: `Pool:EUR`. */
export function poolOf(currency: string): string {
  return `Pool:${currency}`
}
