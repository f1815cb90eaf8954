import { update, type Write } from '../../storage/commit/writes.ts'
import type { Tables } from '../../storage/rows/tables.ts'
import type { Op } from './app.ts'
import { ApiError, StaleRead } from './operation.ts'

/** A state machine of the contract: the next state for each state and event, or null. */
type Machine<State extends string = string> = Readonly<Record<State, Readonly<Record<string, State | null>>>>
type StatesOf<M extends Machine> = keyof M
type EventsOf<M extends Machine> = OneOrMore<Extract<keyof M[keyof M], string>>
type OneOrMore<Event> = Event | readonly Event[]

/** The table and column that store the state of each kind of record. */
const STATE_COLUMNS = {
  internal_accounts: { table: 'internal_accounts', column: 'status' },
  quotes: { table: 'quotes', column: 'state' },
  pulls: { table: 'quotes', column: 'pull_state' },
  transactions: { table: 'transactions', column: 'state' },
  messages: { table: 'messages', column: 'state' },
  customer_emails: { table: 'customers', column: 'email_verification' },
  customer_phones: { table: 'customers', column: 'phone_verification' },
  customer_imports: { table: 'customer_imports', column: 'state' },
  payout_batches: { table: 'payout_batches', column: 'state' },
  payout_lines: { table: 'payout_lines', column: 'state' },
  payment_schedules: { table: 'payment_schedules', column: 'state' },
  payment_occurrences: { table: 'payment_occurrences', column: 'state' },
  own_accounts: { table: 'own_accounts', column: 'state' },
  platform_withdrawals: { table: 'platform_withdrawals', column: 'state' },
  treasury_keys: { table: 'treasury_keys', column: 'state' },
  treasury_movements: { table: 'treasury_movements', column: 'state' },
  agent_actions: { table: 'agent_actions', column: 'state' },
  agent_reservations: { table: 'agent_reservations', column: 'state' },
  cards: { table: 'cards', column: 'state' },
  card_transactions: { table: 'card_transactions', column: 'state' },
  delegated_keys: { table: 'delegated_keys', column: 'status' },
  customers: { table: 'customers', column: 'verification_status' },
  erasures: { table: 'erasures', column: 'state' },
  beneficial_owners: { table: 'beneficial_owners', column: 'kyc_status' },
  verifications: { table: 'verifications', column: 'status' },
  stored_files: { table: 'stored_files', column: 'state' },
  reconciliation_matches: { table: 'reconciliation_matches', column: 'state' },
  rail_statements: { table: 'rail_statements', column: 'state' },
  webhook_endpoints: { table: 'webhook_endpoints', column: 'state' },
  invitations: { table: 'invitations', column: 'state' },
  stablecoin_accounts: { table: 'stablecoin_accounts', column: 'status' },
  rail_events: { table: 'rail_events', column: 'state' },
  rail_payments: { table: 'rail_payments', column: 'state' },
  deposits: { table: 'deposits', column: 'state' },
  members: { table: 'members', column: 'state' },
  screenings: { table: 'screenings', column: 'state' },
  external_accounts: { table: 'external_accounts', column: 'status' },
  account_changes: { table: 'account_changes', column: 'state' },
  funds_holds: { table: 'funds_holds', column: 'state' },
  bank_files: { table: 'bank_files', column: 'state' },
  bank_inbox_files: { table: 'bank_inbox_files', column: 'state' },
  chain_payments: { table: 'chain_payments', column: 'state' },
  chain_movements: { table: 'chain_movements', column: 'state' },
  chain_transactions: { table: 'chain_transactions', column: 'state' },
} as const

type StateColumns = typeof STATE_COLUMNS
export type Stateful = keyof StateColumns
type RowOf<Kind extends Stateful> = Tables[StateColumns[Kind]['table']]
type StateOf<Kind extends Stateful> = {
  [K in Stateful]: NonNullable<
    Extract<RowOf<K>, Record<StateColumns[K]['column'], unknown>>[StateColumns[K]['column']]
  >
}[Kind]

/** Columns of a row that may hold its state. Null means that the state machine has not started. */
interface WithState {
  readonly id: string
  readonly state?: string | null
  readonly status?: string | null
  readonly kyc_status?: string | null
  readonly verification_status?: string | null
  readonly pull_state?: string | null
  readonly email_verification?: string | null
  readonly phone_verification?: string | null
}

/** The state after one event, or after several in order. Null if one of them is not allowed. */
export function nextState<M extends Machine>(
  transitions: M,
  state: StatesOf<M>,
  by: EventsOf<M>,
): StatesOf<M> | null {
  const events = isSingleEvent(by) ? [by] : by
  let next: StatesOf<M> | null = state
  for (const event of events) next = next === null ? null : (transitions[next]?.[event] ?? null)
  return next
}

/** Throws 409 `INVALID_STATE_TRANSITION`, with this message and the state, if the event is not allowed. */
export function checkEvent<M extends Machine>(
  transitions: M,
  state: StatesOf<M>,
  by: EventsOf<M>,
  message: string,
): void {
  if (nextState(transitions, state, by) === null)
    throw new ApiError('INVALID_STATE_TRANSITION', { message, details: { status: String(state) } })
}

/**
 * The state after an event that the caller has already checked with `nextState` for the deciding record.
 * Throws StaleRead if a dependent record has already moved on.
 */
export function stateAfter<M extends Machine>(
  transitions: M,
  state: StatesOf<M>,
  by: EventsOf<M>,
  of: string,
): StatesOf<M> {
  const next = nextState(transitions, state, by)
  if (next === null) throw new StaleRead(`${of} cannot ${String(by)}: it is ${String(state)}`)
  return next
}

function isSingleEvent<Event>(by: OneOrMore<Event>): by is Event {
  return !Array.isArray(by)
}

/**
 * The write that applies one event, or several in order, to a record. Without an event, columns change and
 * the state does not. Guard: the state and the columns in `guard` are unchanged.
 */
export function transition<Kind extends Stateful, M extends Machine<StateOf<Kind>>, Row extends RowOf<Kind>>(
  op: Pick<Op, 'now'>,
  kind: Kind,
  transitions: M,
  row: Row & WithState,
  by: EventsOf<M>,
  change: Partial<RowOf<Kind>> = {},
  guard: Partial<RowOf<Kind>> = {},
): { readonly row: Row; readonly write: Write } {
  const { table, column } = STATE_COLUMNS[kind]
  const from = row[column]
  if (from === null || from === undefined) throw new StaleRead(`${row.id} has no ${column}`)
  const state = stateAfter<Machine>(transitions, from, by, row.id)
  const stamp = 'updated_at' in row ? { updated_at: op.now } : {}
  const expected: object = { ...guard, [column]: from }
  const set = { ...change, [column]: state, ...stamp }
  const changed: object = set
  return {
    row: { ...row, ...set },
    write: update(table, row.id, expected, changed),
  }
}
