import type { ParseArgsConfig } from 'node:util'
import { VERIFICATION_STATES } from '@countersign/contract/states/customer-states'
import type { BookedAs } from '../../operation/reconciliations/book-entry.ts'
import { readPermissions } from './permissions.ts'

/** Options by name, without the dashes. */
export type Values = Readonly<Record<string, string | boolean | undefined>>

/**
 * Syntax of a command. Its implementation is elsewhere (`commands.ts`, `offline-commands.ts`), so that a
 * mistyped command is refused without loading the service.
 */
export interface CommandForm {
  readonly usage: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  readonly required: readonly string[]
  /** Checks values that can be checked without a service. Throws a one-line error. */
  readonly check?: (values: Values) => void
}

const TEXT = { type: 'string' } as const
const FLAG = { type: 'boolean' } as const

/** Decisions of the operator about a verification. Only the API can request further entries. */
const DECIDED = ['APPROVE', 'REJECT'] as const
const BOOKED_AS = ['fx', 'costs'] as const satisfies readonly BookedAs[]

const checkPermissions = ({ permissions }: Values) => void readPermissions(permissions)

/**
 * The operator's commands on the service's own database, which the running server executes if there is one.
 */
export const ADMIN_FORMS = {
  'platform create': {
    usage: 'platform create --name NAME [--regulated]',
    options: { name: TEXT, regulated: FLAG },
    required: ['name'],
  },
  'platform list': { usage: 'platform list', options: {}, required: [] },
  'token create': {
    usage: 'token create --platform ID --name NAME [--permissions VIEW,TRANSACT,MANAGE,APPROVE,REVIEW]',
    options: { name: TEXT, platform: TEXT, permissions: TEXT },
    required: ['platform', 'name'],
    check: checkPermissions,
  },
  'token list': { usage: 'token list --platform ID', options: { platform: TEXT }, required: ['platform'] },
  'token revoke': { usage: 'token revoke --token ID', options: { token: TEXT }, required: ['token'] },
  'member invite': {
    usage:
      'member invite --platform ID --name NAME --email ADDRESS [--permissions VIEW,TRANSACT,MANAGE,APPROVE,REVIEW]',
    options: { platform: TEXT, name: TEXT, email: TEXT, permissions: TEXT },
    required: ['platform', 'name', 'email'],
    check: checkPermissions,
  },
  'verification list': {
    usage: 'verification list [--status PENDING_MANUAL_REVIEW]',
    options: { status: TEXT },
    required: [],
    check: ({ status }) => void readStatus(status),
  },
  'verification decide': {
    usage: 'verification decide --verification ID --decision APPROVE|REJECT [--reason TEXT]',
    options: { verification: TEXT, decision: TEXT, reason: TEXT },
    required: ['verification', 'decision'],
    check: ({ decision }) => void readDecision(decision),
  },
  'verification reopen': {
    usage: 'verification reopen --verification ID --reason TEXT',
    options: { verification: TEXT, reason: TEXT },
    required: ['verification', 'reason'],
  },
  'rails list': { usage: 'rails list', options: {}, required: [] },
  'bank-files retry': {
    usage: 'bank-files retry [--rail NAME] [--file NAME]',
    options: { rail: TEXT, file: TEXT },
    required: [],
  },
  'rails check': { usage: 'rails check [--rail NAME]', options: { rail: TEXT }, required: [] },
  'reconciliation run': {
    usage: 'reconciliation run [--rail NAME] [--date YYYY-MM-DD]',
    options: { rail: TEXT, date: TEXT },
    required: [],
    check: ({ date }) => {
      if (date !== undefined && !isDate(String(date))) throw new Error('--date must be like 2026-03-01')
    },
  },
  'reconciliation book': {
    usage: 'reconciliation book --entry ID --as fx|costs',
    options: { entry: TEXT, as: TEXT },
    required: ['entry', 'as'],
    check: ({ as }) => void readBookedAs(String(as)),
  },
  'upgrade status': { usage: 'upgrade status', options: {}, required: [] },
  'upgrade finish': { usage: 'upgrade finish [--force]', options: { force: FLAG }, required: [] },
  'cell list': { usage: 'cell list', options: {}, required: [] },
  'cell check': { usage: 'cell check', options: {}, required: [] },
  'cell map': { usage: 'cell map [--backend NAME]', options: { backend: TEXT }, required: [] },
  'books verify': {
    usage: 'books verify [--checkpoints FILE]',
    options: { checkpoints: TEXT },
    required: [],
  },
  'books checkpoint': { usage: 'books checkpoint', options: {}, required: [] },
  'backup make': { usage: 'backup make --to FOLDER', options: { to: TEXT }, required: ['to'] },
  'backup check': { usage: 'backup check', options: {}, required: [] },
  'archive make': {
    usage: 'archive make --before MONTH --to FOLDER',
    options: { before: TEXT, to: TEXT },
    required: ['before', 'to'],
  },
  'archive list': { usage: 'archive list', options: {}, required: [] },
  'archive check': { usage: 'archive check --in FOLDER', options: { in: TEXT }, required: ['in'] },
  'wallet unlock': { usage: 'wallet unlock --account ID', options: { account: TEXT }, required: ['account'] },
} satisfies Readonly<Record<string, CommandForm>>

/** Commands that work without a service, on keys or databases that no service can open. */
export const OFFLINE_FORMS = {
  'master-key rotate': { usage: 'master-key rotate', options: {}, required: [] },
  'backup restore': { usage: 'backup restore --from FOLDER', options: { from: TEXT }, required: ['from'] },
  'database move': {
    usage: 'database move --from DATA-DIRECTORY [--to URL]',
    options: { from: TEXT, to: TEXT },
    required: ['from'],
  },
} satisfies Readonly<Record<string, CommandForm>>

export type AdminName = keyof typeof ADMIN_FORMS
export type OfflineName = keyof typeof OFFLINE_FORMS

/** The state to list verifications by; undefined if not given. Throws a one-line error. */
export function readStatus(given: Values[string]): (typeof VERIFICATION_STATES)[number] | undefined {
  return given === undefined ? undefined : oneOf('--status', given, VERIFICATION_STATES)
}

/** Throws a one-line error. */
export function readDecision(given: Values[string]): (typeof DECIDED)[number] {
  return oneOf('--decision', given, DECIDED)
}

/** Parses the record that an entry is booked as. Throws a one-line error. */
export function readBookedAs(text: string): BookedAs {
  const found = BOOKED_AS.find((one) => one === text)
  if (!found) throw new Error(`--as takes ${BOOKED_AS.join(' or ')}, not ${text}`)
  return found
}

function oneOf<T extends string>(name: string, given: Values[string], words: readonly T[]): T {
  const found = words.find((word) => word === given)
  if (!found) throw new Error(`${name} takes ${words.join(', ')}, not ${given}`)
  return found
}

/** True for a valid calendar date. JavaScript would roll an invalid one over into the next month. */
function isDate(text: string): boolean {
  const date = /^\d{4}-\d{2}-\d{2}$/.test(text) ? new Date(`${text}T00:00:00Z`) : undefined
  return date !== undefined && !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}
