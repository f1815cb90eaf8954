import * as accountChangeStates from '@countersign/contract/states/account-change-states'
import * as accountStates from '@countersign/contract/states/account-states'
import * as accountVerificationStates from '@countersign/contract/states/account-verification-states'
import * as agentStates from '@countersign/contract/states/agent-states'
import * as cardStates from '@countersign/contract/states/card-states'
import * as customerStates from '@countersign/contract/states/customer-states'
import * as deliveryStates from '@countersign/contract/states/delivery-states'
import * as depositStates from '@countersign/contract/states/deposit-states'
import * as fundsHoldStates from '@countersign/contract/states/funds-hold-states'
import * as matchStates from '@countersign/contract/states/match-states'
import * as memberStates from '@countersign/contract/states/member-states'
import * as ownMoneyStates from '@countersign/contract/states/own-money-states'
import * as paymentStates from '@countersign/contract/states/payment-states'
import * as payoutStates from '@countersign/contract/states/payout-states'
import * as scheduleStates from '@countersign/contract/states/schedule-states'
import * as screeningStates from '@countersign/contract/states/screening-states'
import { describe, expect, test } from 'vitest'
import type { Op } from '../../../src/kernel/operation/app.ts'
import { StaleRead } from '../../../src/kernel/operation/operation.ts'
import { nextState, type Stateful, stateAfter, transition } from '../../../src/kernel/operation/transition.ts'
import { endRefund, newRefund } from '../../../src/kernel/transactions/moves.ts'
import { newTransaction } from '../../../src/kernel/transactions/transactions.ts'
import type { EventWrite } from '../../../src/storage/commit/writes.ts'
import * as internal from '../../../src/storage/rows/states.ts'

const shown = {
  ...accountChangeStates,
  ...accountVerificationStates,
  ...accountStates,
  ...agentStates,
  ...cardStates,
  ...customerStates,
  ...deliveryStates,
  ...depositStates,
  ...matchStates,
  ...memberStates,
  ...ownMoneyStates,
  ...paymentStates,
  ...payoutStates,
  ...scheduleStates,
  ...screeningStates,
  ...fundsHoldStates,
}

const op = {
  now: new Date('2025-10-13T00:00:00Z'),
  platform: { id: 'P', config: {} },
  actor: { kind: 'job', jobId: 'J' },
  newId: (kind: string) => `${kind}:1`,
  random: (length: number) => new Uint8Array(length),
} as unknown as Op

type Transitions = Readonly<Record<string, Readonly<Record<string, string | null>>>>

/** The tables whose states `transition` writes: by kind of record, the table of the database and the column. */
const WRITTEN = [
  ['internal_accounts', 'internal_accounts', 'status', shown.INTERNAL_ACCOUNT_TRANSITIONS],
  ['quotes', 'quotes', 'state', shown.QUOTE_TRANSITIONS],
  ['pulls', 'quotes', 'pull_state', shown.PULL_TRANSITIONS],
  ['transactions', 'transactions', 'state', shown.OUTGOING_TRANSACTION_TRANSITIONS],
  ['transactions', 'transactions', 'state', shown.TRANSFER_OUT_TRANSITIONS],
  ['transactions', 'transactions', 'state', shown.INCOMING_TRANSACTION_TRANSITIONS],
  ['messages', 'messages', 'state', shown.MESSAGE_TRANSITIONS],
  ['customer_emails', 'customers', 'email_verification', shown.CONTACT_TRANSITIONS],
  ['customer_phones', 'customers', 'phone_verification', shown.CONTACT_TRANSITIONS],
  ['customers', 'customers', 'verification_status', shown.KYC_TRANSITIONS],
  ['erasures', 'erasures', 'state', shown.ERASURE_TRANSITIONS],
  ['beneficial_owners', 'beneficial_owners', 'kyc_status', shown.OWNER_KYC_TRANSITIONS],
  ['verifications', 'verifications', 'status', shown.VERIFICATION_TRANSITIONS],
  ['customer_imports', 'customer_imports', 'state', shown.IMPORT_TRANSITIONS],
  ['payout_batches', 'payout_batches', 'state', shown.PAYOUT_BATCH_TRANSITIONS],
  ['payout_lines', 'payout_lines', 'state', shown.PAYOUT_LINE_TRANSITIONS],
  ['own_accounts', 'own_accounts', 'state', shown.OWN_ACCOUNT_TRANSITIONS],
  ['platform_withdrawals', 'platform_withdrawals', 'state', shown.PLATFORM_WITHDRAWAL_TRANSITIONS],
  ['treasury_keys', 'treasury_keys', 'state', shown.TREASURY_KEY_TRANSITIONS],
  ['treasury_movements', 'treasury_movements', 'state', shown.TREASURY_MOVEMENT_TRANSITIONS],
  ['payment_schedules', 'payment_schedules', 'state', shown.PAYMENT_SCHEDULE_TRANSITIONS],
  ['payment_occurrences', 'payment_occurrences', 'state', shown.PAYMENT_OCCURRENCE_TRANSITIONS],
  ['agent_actions', 'agent_actions', 'state', shown.AGENT_ACTION_TRANSITIONS],
  ['agent_reservations', 'agent_reservations', 'state', internal.RESERVATION_TRANSITIONS],
  ['cards', 'cards', 'state', shown.CARD_TRANSITIONS],
  ['card_transactions', 'card_transactions', 'state', shown.CARD_TRANSACTION_TRANSITIONS],
  ['delegated_keys', 'delegated_keys', 'status', shown.DELEGATED_KEY_TRANSITIONS],
  ['stored_files', 'stored_files', 'state', internal.STORED_FILE_TRANSITIONS],
  ['bank_files', 'bank_files', 'state', internal.BANK_FILE_TRANSITIONS],
  ['bank_inbox_files', 'bank_inbox_files', 'state', internal.BANK_INBOX_TRANSITIONS],
  ['rail_payments', 'rail_payments', 'state', internal.RAIL_PAYMENT_TRANSITIONS],
  ['rail_events', 'rail_events', 'state', internal.RAIL_EVENT_TRANSITIONS],
  ['deposits', 'deposits', 'state', shown.DEPOSIT_TRANSITIONS],
  ['reconciliation_matches', 'reconciliation_matches', 'state', shown.MATCH_TRANSITIONS],
  ['screenings', 'screenings', 'state', shown.SCREENING_TRANSITIONS],
  ['external_accounts', 'external_accounts', 'status', shown.EXTERNAL_ACCOUNT_TRANSITIONS],
  ['account_changes', 'account_changes', 'state', shown.ACCOUNT_CHANGE_TRANSITIONS],
  ['account_verifications', 'account_verifications', 'state', shown.ACCOUNT_VERIFICATION_TRANSITIONS],
  ['funds_holds', 'funds_holds', 'state', shown.FUNDS_HOLD_TRANSITIONS],
  ['members', 'members', 'state', shown.MEMBER_TRANSITIONS],
  ['invitations', 'invitations', 'state', shown.INVITATION_TRANSITIONS],
  ['stablecoin_accounts', 'stablecoin_accounts', 'status', shown.STABLECOIN_ACCOUNT_TRANSITIONS],
  ['webhook_endpoints', 'webhook_endpoints', 'state', shown.WEBHOOK_ENDPOINT_TRANSITIONS],
  ['chain_payments', 'chain_payments', 'state', internal.CHAIN_PAYMENT_TRANSITIONS],
  ['chain_transactions', 'chain_transactions', 'state', internal.CHAIN_TRANSACTION_TRANSITIONS],
  ['chain_movements', 'chain_movements', 'state', internal.CHAIN_MOVEMENT_TRANSITIONS],
] as const satisfies readonly (readonly [Stateful, string, string, Transitions])[]

/** The others. A refund is a member of its transaction, and the database moves transfers of the ledger. */
const OTHERS: readonly Transitions[] = [shown.REFUND_TRANSITIONS, internal.TRANSFER_TRANSITIONS]

function cellsOf(transitions: Transitions) {
  return Object.entries(transitions).flatMap(([state, row]) =>
    Object.entries(row).map(([event, next]) => [state, event, next] as const),
  )
}

test('this file tests every state table', () => {
  const exported = Object.entries({ ...shown, ...internal }).filter(([name]) => name.endsWith('_TRANSITIONS'))
  const walked: readonly unknown[] = [...WRITTEN.map(([, , , transitions]) => transitions), ...OTHERS]
  expect(new Set(walked)).toEqual(new Set(exported.map(([, transitions]) => transitions)))
  // Two contacts of a customer have one table.
  expect(new Set(walked).size).toBe(exported.length)
})

test('in every state table a record begins in a state', () => {
  const tables: Readonly<Record<string, unknown>> = { ...shown, ...internal }
  for (const name of Object.keys(tables).filter((one) => one.endsWith('_TRANSITIONS'))) {
    const initial = tables[name.replace('_TRANSITIONS', '_INITIAL')]
    expect(Object.keys(tables[name] as Transitions), name).toContain(initial)
  }
})

describe.each(WRITTEN)('the state machine of %s', (kind, table, column, transitions) => {
  const guard = { platform_id: 'P' }
  const change = { created_at: new Date(0) }
  const move = (state: string | null, event: unknown, row: object) =>
    transition(
      op,
      kind,
      transitions as never,
      { ...row, id: 'X', [column]: state } as never,
      event as never,
      change as never,
      guard as never,
    )

  test.each(cellsOf(transitions))('%s, %s: %s', (state, event, next) => {
    const row = { kept: 1, updated_at: new Date(0) }
    if (next === null) return expect(() => move(state, event, row)).toThrow(StaleRead)
    expect(move(state, event, row)).toEqual({
      row: { id: 'X', kept: 1, ...change, [column]: next, updated_at: op.now },
      write: {
        write: 'update',
        table,
        id: 'X',
        expect: { ...guard, [column]: state },
        set: { created_at: new Date(0).toISOString(), [column]: next, updated_at: op.now.toISOString() },
        values: { ...change, [column]: next, updated_at: op.now },
      },
    })
  })

  test.each(Object.keys(transitions))('%s: only a change leaves it, guarded by it', (state) => {
    expect(move(state, [], {}).write).toMatchObject({
      expect: { ...guard, [column]: state },
      set: { [column]: state },
    })
  })

  test('several events apply one after the other, or not at all', () => {
    for (const [state, first, between] of cellsOf(transitions))
      for (const second of Object.keys(transitions[state as never])) {
        const next = between === null ? null : (transitions as Transitions)[between]![second]
        const moved = () => move(state, [first, second], {})
        if (next === null) expect(moved).toThrow(StaleRead)
        else expect(moved().write).toMatchObject({ expect: { [column]: state }, set: { [column]: next } })
      }
  })

  test('a record that has not begun does not move', () => {
    expect(() => move(null, Object.keys(Object.values(transitions)[0]!)[0], {})).toThrow(StaleRead)
  })
})

test('a row without a time of change gets none', () => {
  const row = { id: 'X', state: 'ENABLED' } as never
  const { write } = transition(op, 'webhook_endpoints', shown.WEBHOOK_ENDPOINT_TRANSITIONS, row, 'pause')
  expect(write).toMatchObject({ set: { state: 'PAUSED' } })
  expect(write).not.toHaveProperty('set.updated_at')
})

describe.each(OTHERS)('a state machine that is not written by `transition`: %o', (transitions) => {
  test.each(cellsOf(transitions))('%s, %s: %s', (state, event, next) => {
    expect(nextState(transitions, state, event)).toBe(next)
    const after = () => stateAfter(transitions, state, event, 'X')
    if (next === null) expect(after).toThrow(StaleRead)
    else expect(after()).toBe(next)
  })
})

test.each(cellsOf(shown.REFUND_TRANSITIONS))('a refund that is %s, %s: %s', (status, event, next) => {
  const refund = { ...newRefund(op, 'TRANSACTION_FAILED'), status: status as paymentStates.RefundState }
  const row = newTransaction(op, {
    kind: 'QUOTE',
    type: 'OUTGOING',
    direction: 'DEBIT',
    state: 'FAILED',
    customer_id: null,
    destination_account_id: 'ExternalAccount:1',
    sent_amount: 1n,
    sent_currency: 'USD',
    received_amount: 1n,
    received_currency: 'USD',
    refund,
  })
  const end = () =>
    endRefund(
      op,
      { ...row, platform_customer_id: null },
      event as keyof typeof paymentStates.REFUND_TRANSITIONS.PENDING,
    )
  if (next === null) return expect(end).toThrow(StaleRead)
  const after = { ...refund, status: next, settledAt: op.now.toISOString() }
  const writes = end()
  expect(writes).toMatchObject([
    { write: 'update', table: 'transactions', id: row.id, expect: { refund }, set: { refund: after } },
    { write: 'event', type: `OUTGOING_PAYMENT.REFUND_${next}`, objectId: row.id },
  ])
  expect(JSON.parse((writes[1] as EventWrite).data)).toMatchObject({ refund: after })
})
