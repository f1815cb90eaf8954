import type { ServiceCommand } from '@countersign/contract/operation/operator-commands'
import { VERIFICATION_STATES } from '@countersign/contract/states/customer-states'
import type { BookedAs } from '../../operation/reconciliations/book-entry.ts'
import { readPermissions } from './permissions.ts'

/** Options by name, without dashes. */
export type Values = Readonly<Record<string, string | boolean | undefined>>

/** Decisions that the operator can make about a verification. Only the API can request more information. */
const DECISIONS = ['APPROVE', 'REJECT'] as const
const BOOKED_AS = ['fx', 'costs'] as const satisfies readonly BookedAs[]

const checkPermissions = ({ permissions }: Values) => void readPermissions(permissions)

/**
 * Validates option values before the service is loaded, so that mistyped commands fail fast. Each check
 * throws a one-line error.
 */
export const CHECKS: Partial<Readonly<Record<ServiceCommand, (values: Values) => void>>> = {
  'token create': checkPermissions,
  'member invite': checkPermissions,
  'verification list': ({ status }) => void readStatus(status),
  'verification decide': ({ decision }) => void readDecision(decision),
  'reconciliation run': ({ date }) => {
    if (date !== undefined && !isDate(String(date))) throw new Error('--date must be a date like 2026-03-01.')
  },
  'reconciliation book': ({ as }) => void readBookedAs(String(as)),
}

/** The state by which to filter verifications; undefined if not given. Throws a one-line error. */
export function readStatus(value: Values[string]): (typeof VERIFICATION_STATES)[number] | undefined {
  return value === undefined ? undefined : readChoice('--status', value, VERIFICATION_STATES)
}

/** Throws a one-line error. */
export function readDecision(value: Values[string]): (typeof DECISIONS)[number] {
  return readChoice('--decision', value, DECISIONS)
}

/** Parses the account to which an entry is booked. Throws a one-line error. */
export function readBookedAs(text: string): BookedAs {
  const found = BOOKED_AS.find((account) => account === text)
  if (!found) throw new Error(`--as must be ${BOOKED_AS.join(' or ')}, not ${text}.`)
  return found
}

function readChoice<T extends string>(name: string, value: Values[string], choices: readonly T[]): T {
  const choice = choices.find((candidate) => candidate === value)
  if (!choice) throw new Error(`${name} must be one of ${choices.join(', ')}, not ${value}.`)
  return choice
}

/** True for a valid calendar date. JavaScript would roll an invalid one over to the next month. */
function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
