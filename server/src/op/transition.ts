import { update, type Write } from '../db/commit/writes.ts'
import type { Op } from './app.ts'
import { StaleRead } from './operation.ts'

/** A state machine as in the contract: for every state and event the next state, or null. */
type Transitions<State extends string, Event extends string> = Readonly<
  Record<State, Readonly<Record<Event, State | null>>>
>

/** The state that an event leads to, or null where it cannot happen. */
export function nextState<Table extends Readonly<Record<string, Readonly<Record<string, string | null>>>>>(
  transitions: Table,
  state: keyof Table,
  event: keyof Table[keyof Table],
): keyof Table | null {
  return transitions[state]![event] ?? null
}

/**
 * The write that moves a record to its next state by an event. Guard: its state has not changed meanwhile. The caller
 * has checked `nextState` of the record that decides. If another record that moves with it cannot, the reads were
 * stale.
 */
export function transition<Row extends { readonly id: string; readonly state: string }, Event extends string>(
  op: Op,
  table: 'quotes' | 'transactions' | 'messages' | 'agent_actions',
  transitions: Transitions<NoInfer<Row>['state'], Event>,
  row: Row,
  event: NoInfer<Event>,
  change: Partial<Row> | undefined = undefined,
): { readonly row: Row; readonly write: Write } {
  const state = nextState(transitions, row.state, event)
  if (state === null) throw new StaleRead(`${row.id} cannot ${event}: it is ${row.state}`)
  const set = { ...change, state, updated_at: op.now }
  return {
    row: { ...row, ...set },
    write: update(table, row.id, { state: row.state } as object, set as object),
  }
}
