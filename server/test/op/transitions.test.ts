import {
  AGENT_ACTION_TRANSITIONS,
  INCOMING_TRANSACTION_TRANSITIONS,
  MESSAGE_TRANSITIONS,
  OUTGOING_TRANSACTION_TRANSITIONS,
  QUOTE_TRANSITIONS,
  TRANSFER_OUT_TRANSITIONS,
} from '@countersign/contract/core/states'
import { describe, expect, test } from 'vitest'
import type { Op } from '../../src/op/app.ts'
import { StaleRead } from '../../src/op/operation.ts'
import { transition } from '../../src/op/transition.ts'

const op = { now: new Date('2025-10-13T00:00:00Z') } as Op

const MACHINES = [
  ['quotes', QUOTE_TRANSITIONS],
  ['transactions', OUTGOING_TRANSACTION_TRANSITIONS],
  ['transactions', TRANSFER_OUT_TRANSITIONS],
  ['transactions', INCOMING_TRANSACTION_TRANSITIONS],
  ['messages', MESSAGE_TRANSITIONS],
  ['agent_actions', AGENT_ACTION_TRANSITIONS],
] as const

describe.each(MACHINES)('the state machine of %s', (table, transitions) => {
  const cells = Object.entries(transitions as Record<string, Record<string, string | null>>).flatMap(
    ([state, row]) => Object.entries(row).map(([event, next]) => [state, event, next] as const),
  )

  test.each(cells)('%s, %s: %s', (state, event, next) => {
    const move = () =>
      transition(op, table, transitions as never, { id: 'X', state } as never, event as never)
    if (next === null) return expect(move).toThrow(StaleRead)
    expect(move()).toEqual({
      row: { id: 'X', state: next, updated_at: op.now },
      write: {
        write: 'update',
        table,
        id: 'X',
        expect: { state },
        set: { state: next, updated_at: op.now.toISOString() },
      },
    })
  })
})
