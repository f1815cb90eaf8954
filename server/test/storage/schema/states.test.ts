import {
  ACCOUNT_CHANGE_INITIAL,
  ACCOUNT_CHANGE_TRANSITIONS,
  EXTERNAL_ACCOUNT_TRANSITIONS,
} from '@countersign/contract/states/account-change-states'
import { INTERNAL_ACCOUNT_TRANSITIONS } from '@countersign/contract/states/account-states'
import { ACCOUNT_VERIFICATION_TRANSITIONS } from '@countersign/contract/states/account-verification-states'
import { AGENT_ACTION_INITIAL, AGENT_ACTION_TRANSITIONS } from '@countersign/contract/states/agent-states'
import {
  CARD_TRANSACTION_TRANSITIONS,
  CARD_TRANSITIONS,
  DELEGATED_KEY_INITIAL,
  DELEGATED_KEY_TRANSITIONS,
} from '@countersign/contract/states/card-states'
import {
  CONTACT_TRANSITIONS,
  ERASURE_STATES,
  ERASURE_TRANSITIONS,
  IMPORT_TRANSITIONS,
  INVITATION_TRANSITIONS,
  KYC_TRANSITIONS,
  OWNER_KYC_TRANSITIONS,
  STABLECOIN_ACCOUNT_TRANSITIONS,
  VERIFICATION_STATES,
} from '@countersign/contract/states/customer-states'
import {
  MESSAGE_INITIAL,
  MESSAGE_TRANSITIONS,
  WEBHOOK_ENDPOINT_INITIAL,
  WEBHOOK_ENDPOINT_TRANSITIONS,
} from '@countersign/contract/states/delivery-states'
import { DEPOSIT_INITIAL, DEPOSIT_TRANSITIONS } from '@countersign/contract/states/deposit-states'
import {
  FUNDS_HOLD_INITIAL,
  FUNDS_HOLD_STATES,
  FUNDS_HOLD_TRANSITIONS,
} from '@countersign/contract/states/funds-hold-states'
import { MATCH_INITIAL, MATCH_TRANSITIONS } from '@countersign/contract/states/match-states'
import { MEMBER_STATES, MEMBER_TRANSITIONS } from '@countersign/contract/states/member-states'
import {
  OWN_ACCOUNT_TRANSITIONS,
  PLATFORM_WITHDRAWAL_INITIAL,
  PLATFORM_WITHDRAWAL_TRANSITIONS,
  TREASURY_KEY_INITIAL,
  TREASURY_KEY_TRANSITIONS,
  TREASURY_MOVEMENT_TRANSITIONS,
} from '@countersign/contract/states/own-money-states'
import {
  INCOMING_TRANSACTION_INITIAL,
  INCOMING_TRANSACTION_TRANSITIONS,
  OUTGOING_TRANSACTION_INITIAL,
  OUTGOING_TRANSACTION_TRANSITIONS,
  PULL_TRANSITIONS,
  QUOTE_TRANSITIONS,
  REFUND_INITIAL,
  REFUND_TRANSITIONS,
  TRANSFER_OUT_INITIAL,
  TRANSFER_OUT_TRANSITIONS,
} from '@countersign/contract/states/payment-states'
import { PAYOUT_BATCH_TRANSITIONS, PAYOUT_LINE_TRANSITIONS } from '@countersign/contract/states/payout-states'
import { RECONCILIATION_STATES } from '@countersign/contract/states/reconciliation-states'
import {
  PAYMENT_OCCURRENCE_TRANSITIONS,
  PAYMENT_SCHEDULE_INITIAL,
  PAYMENT_SCHEDULE_TRANSITIONS,
} from '@countersign/contract/states/schedule-states'
import { SCREENING_STATES, SCREENING_TRANSITIONS } from '@countersign/contract/states/screening-states'
import { expect, test } from 'vitest'
import {
  BANK_FILE_TRANSITIONS,
  BANK_INBOX_TRANSITIONS,
  CHAIN_MOVEMENT_TRANSITIONS,
  CHAIN_PAYMENT_INITIAL,
  CHAIN_PAYMENT_TRANSITIONS,
  CHAIN_TRANSACTION_INITIAL,
  CHAIN_TRANSACTION_TRANSITIONS,
  RAIL_EVENT_TRANSITIONS,
  RAIL_PAYMENT_TRANSITIONS,
  RESERVATION_TRANSITIONS,
  STORED_FILE_TRANSITIONS,
  TRANSFER_INITIAL,
  TRANSFER_TRANSITIONS,
} from '../../../src/storage/rows/states.ts'
import { FUNCTIONS } from '../../../src/storage/schema/functions/functions.ts'
import { SCHEMA } from '../../../src/storage/schema/migrate.ts'

/** The database cannot read the tables of states: its SQL is compared with them here. */

const migrations = SCHEMA.migrations.map(({ sql }) => sql).join('\n')

type Transitions = Readonly<Record<string, Readonly<Record<string, string | null>>>>

/** Each state column, and its possible values. */
const COLUMN_STATES: Readonly<Record<string, readonly string[]>> = {
  'agent_actions.state': Object.keys(AGENT_ACTION_TRANSITIONS),
  'agent_reservations.state': Object.keys(RESERVATION_TRANSITIONS),
  'bank_files.state': Object.keys(BANK_FILE_TRANSITIONS),
  'bank_inbox_files.state': Object.keys(BANK_INBOX_TRANSITIONS),
  'chain_movements.state': Object.keys(CHAIN_MOVEMENT_TRANSITIONS),
  'chain_payments.state': Object.keys(CHAIN_PAYMENT_TRANSITIONS),
  'chain_transactions.state': Object.keys(CHAIN_TRANSACTION_TRANSITIONS),
  'beneficial_owners.kyc_status': Object.keys(OWNER_KYC_TRANSITIONS),
  'card_transactions.state': Object.keys(CARD_TRANSACTION_TRANSITIONS),
  'cards.state': Object.keys(CARD_TRANSITIONS),
  'customer_imports.state': Object.keys(IMPORT_TRANSITIONS),
  'customers.email_verification': Object.keys(CONTACT_TRANSITIONS),
  'customers.phone_verification': Object.keys(CONTACT_TRANSITIONS),
  'customers.verification_status': Object.keys(KYC_TRANSITIONS),
  'delegated_keys.status': Object.keys(DELEGATED_KEY_TRANSITIONS),
  'deposits.state': Object.keys(DEPOSIT_TRANSITIONS),
  'erasures.state': ERASURE_STATES,
  'account_changes.state': Object.keys(ACCOUNT_CHANGE_TRANSITIONS),
  'account_verifications.state': Object.keys(ACCOUNT_VERIFICATION_TRANSITIONS),
  'external_accounts.verification_status': Object.keys(ACCOUNT_VERIFICATION_TRANSITIONS),
  'external_accounts.status': Object.keys(EXTERNAL_ACCOUNT_TRANSITIONS),
  'internal_accounts.status': Object.keys(INTERNAL_ACCOUNT_TRANSITIONS),
  'invitations.state': Object.keys(INVITATION_TRANSITIONS),
  'ledger_transfers.state': Object.keys(TRANSFER_TRANSITIONS),
  'messages.state': Object.keys(MESSAGE_TRANSITIONS),
  'own_accounts.state': Object.keys(OWN_ACCOUNT_TRANSITIONS),
  'payment_occurrences.state': Object.keys(PAYMENT_OCCURRENCE_TRANSITIONS),
  'payment_schedules.state': Object.keys(PAYMENT_SCHEDULE_TRANSITIONS),
  'platform_withdrawals.state': Object.keys(PLATFORM_WITHDRAWAL_TRANSITIONS),
  'treasury_keys.state': Object.keys(TREASURY_KEY_TRANSITIONS),
  'treasury_movements.state': Object.keys(TREASURY_MOVEMENT_TRANSITIONS),
  'payout_batches.state': Object.keys(PAYOUT_BATCH_TRANSITIONS),
  'payout_lines.state': Object.keys(PAYOUT_LINE_TRANSITIONS),
  'quotes.pull_state': Object.keys(PULL_TRANSITIONS),
  'quotes.state': Object.keys(QUOTE_TRANSITIONS),
  'rail_events.state': Object.keys(RAIL_EVENT_TRANSITIONS),
  'rail_payments.state': Object.keys(RAIL_PAYMENT_TRANSITIONS),
  'members.state': MEMBER_STATES,
  'screenings.state': SCREENING_STATES,
  'funds_holds.state': FUNDS_HOLD_STATES,
  'stored_files.state': Object.keys(STORED_FILE_TRANSITIONS),
  'rail_statements.state': RECONCILIATION_STATES,
  'reconciliation_matches.state': Object.keys(MATCH_TRANSITIONS),
  'stablecoin_accounts.status': Object.keys(STABLECOIN_ACCOUNT_TRANSITIONS),
  'transactions.state': Object.keys(INCOMING_TRANSACTION_TRANSITIONS),
  'verifications.status': VERIFICATION_STATES,
  'webhook_endpoints.state': Object.keys(WEBHOOK_ENDPOINT_TRANSITIONS),
}

/** States that no event leaves. */
function finalStates(transitions: Transitions): string[] {
  return Object.keys(transitions).filter((state) => Object.values(transitions[state]!).every((next) => !next))
}

/** The final states of unsuccessful payments. */
const UNSUCCESSFUL: readonly string[] = [
  ...new Set(
    [OUTGOING_TRANSACTION_TRANSITIONS, TRANSFER_OUT_TRANSITIONS, INCOMING_TRANSACTION_TRANSITIONS]
      .flatMap((transitions: Transitions) => Object.values(transitions))
      .flatMap(({ fail, reject, expire, refund, return: back }) => [fail, reject, expire, refund, back])
      .filter((state) => typeof state === 'string'),
  ),
]

/** Each function that names states, and those states. */
const FUNCTION_STATES: Readonly<Record<string, readonly string[]>> = {
  agent_money_is_back: [
    ...UNSUCCESSFUL,
    REFUND_TRANSITIONS.PENDING.complete,
    TRANSFER_TRANSITIONS.pending.void,
  ],
  agent_payment_ended: [
    RESERVATION_TRANSITIONS.RESERVED.release,
    RESERVATION_TRANSITIONS.CAPTURED.release,
    ...UNSUCCESSFUL,
  ],
  agent_released: [...finalStates(RESERVATION_TRANSITIONS), RESERVATION_TRANSITIONS.CAPTURED.release],
  commit_together: [TRANSFER_INITIAL],
  customer_open_payments: [
    OUTGOING_TRANSACTION_TRANSITIONS.PENDING.execute,
    REFUND_INITIAL,
    OUTGOING_TRANSACTION_INITIAL,
    AGENT_ACTION_INITIAL,
    // A deposit that verifies an account.
    TRANSFER_OUT_INITIAL,
  ],
  ledger_close: [...finalStates(CARD_TRANSITIONS), ...finalStates(DELEGATED_KEY_TRANSITIONS)],
  ledger_transfer_ends_once: [TRANSFER_INITIAL, TRANSFER_INITIAL],
  only_erased: [ERASURE_TRANSITIONS.SCHEDULED.begin],
  queue_ended_transfers: [TRANSFER_INITIAL],
  reconciliation_match_sums: [
    TRANSFER_TRANSITIONS.pending.post,
    ...[MATCH_TRANSITIONS.PROPOSED.agree, MATCH_TRANSITIONS.MATCHED.undo],
    ...[MATCH_TRANSITIONS.PROPOSED.agree, MATCH_TRANSITIONS.MATCHED.undo],
  ],
}

const STATES = new Set([...Object.values(COLUMN_STATES).flat(), ...Object.keys(REFUND_TRANSITIONS)])

test('the database functions name only states that exist', () => {
  const named = FUNCTIONS.map(({ name, sql }) => {
    const words = [...sql.replace(/--.*/g, '').matchAll(/'(\w+)'/g)].map(([, word]) => word!)
    return [name, words.filter((word) => STATES.has(word)).sort()] as const
  })
  const expected = Object.entries(FUNCTION_STATES).map(([name, states]) => [name, [...states].sort()])
  expect(Object.fromEntries(named.filter(([, states]) => states.length > 0))).toEqual(
    Object.fromEntries(expected),
  )
  // One word for both kinds of transactions, and one state in which a transfer can still be posted or voided.
  expect(INCOMING_TRANSACTION_INITIAL).toBe(OUTGOING_TRANSACTION_INITIAL)
  expect(finalStates(TRANSFER_TRANSITIONS)).toEqual(
    Object.keys(TRANSFER_TRANSITIONS).filter((s) => s !== TRANSFER_INITIAL),
  )
})

test('each state column allows exactly the states of its transition table', () => {
  const allowed: Record<string, readonly string[]> = {}
  for (const text of migrations.split(/(?:CREATE|ALTER) TABLE /).slice(1))
    for (const [, column, states] of text.matchAll(
      /^ {2}(?:ADD COLUMN )?(\w*(?:state|status|verification)) text(?: NOT NULL)? CHECK \(\1 IN\s*\(([^)]*)\)/gm,
    )) {
      const words = [...states!.matchAll(/\w+/g)].map(([word]) => word)
      allowed[`${/^\w+/.exec(text)![0]}.${column}`] = words
    }
  expect(allowed).toEqual(COLUMN_STATES)
})

test('constraints, indexes and views name only states of their transition table', () => {
  const conditions = [...migrations.matchAll(/\b(?:state|status) (?:=|<>) '\w+'/g)].map(([text]) => text)
  expect(conditions.sort()).toEqual(
    [
      `state = '${OWN_ACCOUNT_TRANSITIONS.AWAITING_APPROVAL.approve}'`,
      `state <> '${OWN_ACCOUNT_TRANSITIONS.ACTIVE.remove}'`,
      `state = '${ACCOUNT_CHANGE_INITIAL}'`,
      `state = '${ACCOUNT_CHANGE_INITIAL}'`,
      `state = '${PLATFORM_WITHDRAWAL_INITIAL}'`,
      `state = '${PLATFORM_WITHDRAWAL_TRANSITIONS.AWAITING_APPROVAL.send}'`,
      `state = '${PLATFORM_WITHDRAWAL_TRANSITIONS.AWAITING_APPROVAL.fail}'`,
      `state = '${TREASURY_MOVEMENT_TRANSITIONS.SENT.fail}'`,
      `state = '${TREASURY_KEY_INITIAL}'`,
      `state = '${TREASURY_KEY_TRANSITIONS.AWAITING_APPROVAL.activate}'`,
      `state = '${PAYMENT_SCHEDULE_INITIAL}'`,
      `state = '${PAYMENT_OCCURRENCE_TRANSITIONS.UPCOMING.send}'`,
      `state = '${PAYMENT_OCCURRENCE_TRANSITIONS.UPCOMING.fail}'`,
      `state = '${PAYOUT_LINE_TRANSITIONS.READY.send}'`,
      `state = '${PAYOUT_BATCH_TRANSITIONS.READY.propose}'`,
      `state = '${INVITATION_TRANSITIONS.PENDING.claim}'`,
      `state = '${INVITATION_TRANSITIONS.PENDING.claim}'`,
      `state = '${AGENT_ACTION_INITIAL}'`,
      `state = '${finalStates(CARD_TRANSITIONS)}'`,
      `status = '${DELEGATED_KEY_INITIAL}'`,
      `state = '${QUOTE_TRANSITIONS.PENDING.execute}'`,
      `state = '${ERASURE_TRANSITIONS.ERASING.finish}'`,
      `state <> '${MESSAGE_INITIAL}'`,
      `state = '${MESSAGE_TRANSITIONS.QUEUED.deliver}'`,
      `state = '${MESSAGE_TRANSITIONS.QUEUED.fail}'`,
      `state = '${STORED_FILE_TRANSITIONS.KEPT.remove}'`,
      `state = '${DEPOSIT_INITIAL}'`,
      `state = '${BANK_INBOX_TRANSITIONS.READING.refuse}'`,
      // An applied report has no reason, and is not in the queue.
      `state = 'APPLIED'`,
      `state <> 'APPLIED'`,
      `state = '${RAIL_EVENT_TRANSITIONS.WAITING.resolve}'`,
      `state = '${MATCH_INITIAL}'`,
      `state = '${MATCH_TRANSITIONS.MATCHED.undo}'`,
      `state = '${TRANSFER_INITIAL}'`,
      `state = '${TRANSFER_TRANSITIONS.pending.post}'`,
      `state = '${TRANSFER_TRANSITIONS.pending.post}'`,
      `state = '${WEBHOOK_ENDPOINT_INITIAL}'`,
      `state = '${WEBHOOK_ENDPOINT_TRANSITIONS.ENABLED.disable}'`,
      `state = '${CHAIN_PAYMENT_INITIAL}'`,
      `state = '${CHAIN_PAYMENT_TRANSITIONS.WAITING.send}'`,
      `state = '${CHAIN_PAYMENT_TRANSITIONS.SENT.pay}'`,
      `state = '${CHAIN_PAYMENT_TRANSITIONS.SENT.fail}'`,
      `state = '${CHAIN_TRANSACTION_INITIAL}'`,
      `state <> '${CHAIN_TRANSACTION_TRANSITIONS.MINED.confirm}'`,
      `state = '${CHAIN_MOVEMENT_TRANSITIONS.BOOKED.doubt}'`,
      `state = '${CHAIN_MOVEMENT_TRANSITIONS.UNSURE.lose}'`,
      `state <> '${SCREENING_TRANSITIONS.WAITING.clear}'`,
      `state = '${FUNDS_HOLD_INITIAL}'`,
      `state <> '${FUNDS_HOLD_TRANSITIONS.HELD.lift}'`,
      `state <> '${MEMBER_TRANSITIONS.ACTIVE.remove}'`,
      `state = '${CARD_TRANSITIONS.ACTIVE.freeze}'`,
      `state <> '${MEMBER_TRANSITIONS.ACTIVE.remove}'`,
      `state <> '${MEMBER_TRANSITIONS.ACTIVE.remove}'`,
    ].sort(),
  )
})
