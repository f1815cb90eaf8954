import { idOfKind, uuidOfText } from '../../storage/engine/ids.ts'

/**
 * Ids derived from what a record is about. So the primary key prevents a second record, and a record can be
 * found without another index.
 */

/** The id of a payment's record, derived from its direction and its id at the rail. */
export function railPaymentId(direction: 'OUT' | 'PULL', paymentId: string): string {
  return idOfKind('RailPayment', uuidOfText(`RailPayment ${direction} ${paymentId}`))
}

/** The id of a deposit, derived from the rail's own id. */
export function depositId(rail: string, railReference: string): string {
  return idOfKind('Deposit', uuidOfText(`Deposit ${rail} ${railReference}`))
}

/** The id of a report, derived from the rail's own id of the event. */
export function railEventId(rail: string, eventId: string): string {
  return idOfKind('RailEvent', uuidOfText(`RailEvent ${rail} ${eventId}`))
}

const WAITS = ' waits'

/** The rail's own id of the report that a line of a statement waits for a person. */
export function lineReportId(name: string): string {
  return `${name}${WAITS}`
}

/** The name of the line that a report is about. */
export function getReportedLine(id: string): string {
  return id.slice(0, -WAITS.length)
}

/** The id of a deposit account, derived from its owner: an internal account or a pool. */
export function depositAccountId(rail: string, of: string): string {
  return idOfKind('DepositAccount', uuidOfText(`DepositAccount ${rail} ${of}`))
}

/** The name of the deposit account that all payers of a currency share, such as `Pool:EUR`. */
export function toPoolName(currency: string): string {
  return `Pool:${currency}`
}
