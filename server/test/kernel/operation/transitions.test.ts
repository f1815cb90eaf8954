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

const contractStates = {
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

/** The states that `transition` writes: kind of record, database table, column and transitions. */
const WRITTEN_TABLES = [
  ['internal_accounts', 'internal_accounts', 'status', contractStates.INTERNAL_ACCOUNT_TRANSITIONS],
  ['quotes', 'quotes', 'state', contractStates.QUOTE_TRANSITIONS],
  ['pulls', 'quotes', 'pull_state', contractStates.PULL_TRANSITIONS],
  ['transactions', 'transactions', 'state', contractStates.OUTGOING_TRANSACTION_TRANSITIONS],
  ['transactions', 'transactions', 'state', contractStates.TRANSFER_OUT_TRANSITIONS],
  ['transactions', 'transactions', 'state', contractStates.INCOMING_TRANSACTION_TRANSITIONS],
  ['messages', 'messages', 'state', contractStates.MESSAGE_TRANSITIONS],
  ['customer_emails', 'customers', 'email_verification', contractStates.CONTACT_TRANSITIONS],
  ['customer_phones', 'customers', 'phone_verification', contractStates.CONTACT_TRANSITIONS],
  ['customers', 'customers', 'verification_status', contractStates.KYC_TRANSITIONS],
  ['erasures', 'erasures', 'state', contractStates.ERASURE_TRANSITIONS],
  ['beneficial_owners', 'beneficial_owners', 'kyc_status', contractStates.OWNER_KYC_TRANSITIONS],
  ['verifications', 'verifications', 'status', contractStates.VERIFICATION_TRANSITIONS],
  ['customer_imports', 'customer_imports', 'state', contractStates.IMPORT_TRANSITIONS],
  ['payout_batches', 'payout_batches', 'state', contractStates.PAYOUT_BATCH_TRANSITIONS],
  ['payout_lines', 'payout_lines', 'state', contractStates.PAYOUT_LINE_TRANSITIONS],
  ['own_accounts', 'own_accounts', 'state', contractStates.OWN_ACCOUNT_TRANSITIONS],
  ['platform_withdrawals', 'platform_withdrawals', 'state', contractStates.PLATFORM_WITHDRAWAL_TRANSITIONS],
  ['treasury_keys', 'treasury_keys', 'state', contractStates.TREASURY_KEY_TRANSITIONS],
  ['treasury_movements', 'treasury_movements', 'state', contractStates.TREASURY_MOVEMENT_TRANSITIONS],
  ['payment_schedules', 'payment_schedules', 'state', contractStates.PAYMENT_SCHEDULE_TRANSITIONS],
  ['payment_occurrences', 'payment_occurrences', 'state', contractStates.PAYMENT_OCCURRENCE_TRANSITIONS],
  ['agent_actions', 'agent_actions', 'state', contractStates.AGENT_ACTION_TRANSITIONS],
  ['agent_reservations', 'agent_reservations', 'state', internal.RESERVATION_TRANSITIONS],
  ['cards', 'cards', 'state', contractStates.CARD_TRANSITIONS],
  ['card_transactions', 'card_transactions', 'state', contractStates.CARD_TRANSACTION_TRANSITIONS],
  ['delegated_keys', 'delegated_keys', 'status', contractStates.DELEGATED_KEY_TRANSITIONS],
  ['stored_files', 'stored_files', 'state', internal.STORED_FILE_TRANSITIONS],
  ['bank_files', 'bank_files', 'state', internal.BANK_FILE_TRANSITIONS],
  ['bank_inbox_files', 'bank_inbox_files', 'state', internal.BANK_INBOX_TRANSITIONS],
  ['rail_payments', 'rail_payments', 'state', internal.RAIL_PAYMENT_TRANSITIONS],
  ['rail_events', 'rail_events', 'state', internal.RAIL_EVENT_TRANSITIONS],
  ['deposits', 'deposits', 'state', contractStates.DEPOSIT_TRANSITIONS],
  ['reconciliation_matches', 'reconciliation_matches', 'state', contractStates.MATCH_TRANSITIONS],
  ['screenings', 'screenings', 'state', contractStates.SCREENING_TRANSITIONS],
  ['external_accounts', 'external_accounts', 'status', contractStates.EXTERNAL_ACCOUNT_TRANSITIONS],
  ['account_changes', 'account_changes', 'state', contractStates.ACCOUNT_CHANGE_TRANSITIONS],
  [
    'account_verifications',
    'account_verifications',
    'state',
    contractStates.ACCOUNT_VERIFICATION_TRANSITIONS,
  ],
  ['funds_holds', 'funds_holds', 'state', contractStates.FUNDS_HOLD_TRANSITIONS],
  ['members', 'members', 'state', contractStates.MEMBER_TRANSITIONS],
  ['invitations', 'invitations', 'state', contractStates.INVITATION_TRANSITIONS],
  ['stablecoin_accounts', 'stablecoin_accounts', 'status', contractStates.STABLECOIN_ACCOUNT_TRANSITIONS],
  ['webhook_endpoints', 'webhook_endpoints', 'state', contractStates.WEBHOOK_ENDPOINT_TRANSITIONS],
  ['chain_payments', 'chain_payments', 'state', internal.CHAIN_PAYMENT_TRANSITIONS],
  ['chain_transactions', 'chain_transactions', 'state', internal.CHAIN_TRANSACTION_TRANSITIONS],
  ['chain_movements', 'chain_movements', 'state', internal.CHAIN_MOVEMENT_TRANSITIONS],
] as const satisfies readonly (readonly [Stateful, string, string, Transitions])[]

/** A refund is a field of its transaction, and the database moves the ledger transfers. */
const OTHER_TABLES: readonly Transitions[] = [
  contractStates.REFUND_TRANSITIONS,
  internal.TRANSFER_TRANSITIONS,
]

function listCells(transitions: Transitions) {
  return Object.entries(transitions).flatMap(([state, row]) =>
    Object.entries(row).map(([event, next]) => [state, event, next] as const),
  )
}

test('every state table has tests', () => {
  const exportedTables = Object.entries({ ...contractStates, ...internal }).filter(([name]) =>
    name.endsWith('_TRANSITIONS'),
  )
  const testedTables: readonly unknown[] = [
    ...WRITTEN_TABLES.map(([, , , transitions]) => transitions),
    ...OTHER_TABLES,
  ]
  expect(new Set(testedTables)).toEqual(new Set(exportedTables.map(([, transitions]) => transitions)))
  // The e-mail address and the phone number of a customer share one table.
  expect(new Set(testedTables).size).toBe(exportedTables.length)
})

test('every state table contains its initial state', () => {
  const tables: Readonly<Record<string, unknown>> = { ...contractStates, ...internal }
  for (const name of Object.keys(tables).filter((tableName) => tableName.endsWith('_TRANSITIONS'))) {
    const initial = tables[name.replace('_TRANSITIONS', '_INITIAL')]
    expect(Object.keys(tables[name] as Transitions), name).toContain(initial)
  }
})

describe.each(WRITTEN_TABLES)('the state machine of %s', (kind, table, column, transitions) => {
  const guard = { platform_id: 'P' }
  const change = { created_at: new Date(0) }
  const applyEvent = (state: string | null, event: unknown, row: object) =>
    transition(
      op,
      kind,
      transitions as never,
      { ...row, id: 'X', [column]: state } as never,
      event as never,
      change as never,
      guard as never,
    )

  test.each(listCells(transitions))('leads from %s by %s to %s', (state, event, next) => {
    const row = { kept: 1, updated_at: new Date(0) }
    if (next === null) return expect(() => applyEvent(state, event, row)).toThrow(StaleRead)
    expect(applyEvent(state, event, row)).toEqual({
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

  test.each(Object.keys(transitions))(
    'stays in %s without an event, and guards the write by that state',
    (state) => {
      expect(applyEvent(state, [], {}).write).toMatchObject({
        expect: { ...guard, [column]: state },
        set: { [column]: state },
      })
    },
  )

  test('applies several events in order, or none of them', () => {
    for (const [state, first, between] of listCells(transitions))
      for (const second of Object.keys(transitions[state as never])) {
        const next = between === null ? null : (transitions as Transitions)[between]![second]
        const applyTwoEvents = () => applyEvent(state, [first, second], {})
        if (next === null) expect(applyTwoEvents).toThrow(StaleRead)
        else
          expect(applyTwoEvents().write).toMatchObject({
            expect: { [column]: state },
            set: { [column]: next },
          })
      }
  })

  test('refuses an event for a record without a state', () => {
    expect(() => applyEvent(null, Object.keys(Object.values(transitions)[0]!)[0], {})).toThrow(StaleRead)
  })
})

test('a transition adds no updated_at to a row without one', () => {
  const row = { id: 'X', state: 'ENABLED' } as never
  const { write } = transition(
    op,
    'webhook_endpoints',
    contractStates.WEBHOOK_ENDPOINT_TRANSITIONS,
    row,
    'pause',
  )
  expect(write).toMatchObject({ set: { state: 'PAUSED' } })
  expect(write).not.toHaveProperty('set.updated_at')
})

describe.each(OTHER_TABLES)('a state machine that is not written by `transition`: %o', (transitions) => {
  test.each(listCells(transitions))('leads from %s by %s to %s', (state, event, next) => {
    expect(nextState(transitions, state, event)).toBe(next)
    const findNextState = () => stateAfter(transitions, state, event, 'X')
    if (next === null) expect(findNextState).toThrow(StaleRead)
    else expect(findNextState()).toBe(next)
  })
})

test.each(listCells(contractStates.REFUND_TRANSITIONS))(
  'a refund moves from %s by %s to %s',
  (status, event, next) => {
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
    const endPendingRefund = () =>
      endRefund(
        op,
        { ...row, platform_customer_id: null },
        event as keyof typeof paymentStates.REFUND_TRANSITIONS.PENDING,
      )
    if (next === null) return expect(endPendingRefund).toThrow(StaleRead)
    const settledRefund = { ...refund, status: next, settledAt: op.now.toISOString() }
    const writes = endPendingRefund()
    expect(writes).toMatchObject([
      {
        write: 'update',
        table: 'transactions',
        id: row.id,
        expect: { refund },
        set: { refund: settledRefund },
      },
      { write: 'event', type: `OUTGOING_PAYMENT.REFUND_${next}`, objectId: row.id },
    ])
    expect(JSON.parse((writes[1] as EventWrite).data)).toMatchObject({ refund: settledRefund })
  },
)
