import { buildId, deriveUuid } from '../../storage/engine/ids.ts'

/**
 * Ids derived from the subject of a record. The primary key then prevents a second record, and a
 * record can be found without another index.
 */

/** The id of a payment's record, derived from its direction and its id at the rail. */
export function deriveRailPaymentId(direction: 'OUT' | 'PULL', paymentId: string): string {
  return buildId('RailPayment', deriveUuid(`RailPayment ${direction} ${paymentId}`))
}

/** The id of a deposit, derived from the rail's id of the deposit. */
export function deriveDepositId(rail: string, railReference: string): string {
  return buildId('Deposit', deriveUuid(`Deposit ${rail} ${railReference}`))
}

/** The id of a report, derived from the rail's id of the event. */
export function deriveRailEventId(rail: string, eventId: string): string {
  return buildId('RailEvent', deriveUuid(`RailEvent ${rail} ${eventId}`))
}

const WAITING_SUFFIX = ' waits'

/** The event id of the report that holds a statement line for manual review. */
export function deriveLineReportId(name: string): string {
  return `${name}${WAITING_SUFFIX}`
}

/** The name of the statement line that a report is about. */
export function getReportedLine(id: string): string {
  return id.slice(0, -WAITING_SUFFIX.length)
}

/** The id of a deposit account, derived from its owner: an internal account or a pool. */
export function deriveDepositAccountId(rail: string, owner: string): string {
  return buildId('DepositAccount', deriveUuid(`DepositAccount ${rail} ${owner}`))
}

/** The name of the deposit account that all payers of a currency share, such as `Pool:EUR`. */
export function toPoolName(currency: string): string {
  return `Pool:${currency}`
}
