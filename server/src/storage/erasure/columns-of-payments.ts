import {
  ERASED,
  ERASED_UMA_ADDRESS,
  replaceIdentifier,
  replaceWithWord,
  type TableColumns,
} from './table-columns.ts'

/** Selects the records of the current payments. */
const OF_PAYMENTS = 'id = ANY ($1)'
/** An entry of a bank file. A failure is kept, because without it the entry would look pending. */
const ERASED_ENTRY = `'{"name": "erased", "account": "erased"}' || CASE WHEN details ? 'failure'
  THEN jsonb_build_object('failure', details->'failure' || '{"message": "erased"}') ELSE '{}' END`

/** Selects the instructions of the customer's mandates. */
export const OWN_INSTRUCTIONS = 'payment_id IN (SELECT id FROM mandates WHERE customer_id = $1)'

/** True for a row `t` of `bank_payments` whose payment has not ended. */
const IS_OPEN = `EXISTS (SELECT FROM rail_payments AS r
  WHERE r.rail = t.rail AND r.payment_id = t.payment_id AND r.direction = t.direction
    AND r.state IN ('GIVEN', 'ACCEPTED'))`

/**
 * True for a row `t` of `bank_payments` whose file is written, or whose payment ended before it was in a
 * file.
 */
export const IS_PAST_FILES = `(kind = 'PAYMENT' AND file_id IS NULL AND NOT ${IS_OPEN} OR EXISTS (
  SELECT FROM bank_files AS f WHERE f.id = t.file_id AND f.state NOT IN ('COLLECTING', 'WRITING')))`

const withoutMembers = (column: string, ...members: readonly string[]) =>
  `${column}${members.map((member) => ` - '${member}'`).join('')}`

/** Columns of payments, and of the records about them from rails, banks and chains. */
export const COLUMNS_OF_PAYMENTS: Readonly<Record<string, TableColumns>> = {
  quotes: {
    plain:
      'state source_network payment_rail sending_currency receiving_currency sending_amount receiving_amount fees pricing ' +
      'pull_state position_limit',
    erased: [
      {
        by: 'customer',
        rows: 'customer_id = $1',
        set: {
          destination_uma: replaceIdentifier('destination_uma'),
          request: withoutMembers('request', 'counterparty', 'paidInTo', 'senderCustomerInfo'),
        },
      },
    ],
  },
  payment_schedules: {
    plain:
      'state amount currency payment_rail timing notice_seconds if_missed next_date next_number skipped_dates version',
    erased: [
      {
        by: 'customer',
        rows: 'customer_id = $1',
        set: { name: replaceWithWord('name'), remittance_information: 'NULL' },
      },
    ],
  },
  payment_occurrences: {
    plain: 'number date state code field',
    erased: [
      {
        by: 'customer',
        rows: 'schedule_id IN (SELECT id FROM payment_schedules WHERE customer_id = $1)',
        set: { message: replaceWithWord('message') },
      },
    ],
  },
  // The operator's own accounts and money. They do not name any customer.
  own_accounts: { plain: 'currency purpose state reason sweep version' },
  platform_withdrawals: {
    plain: 'source amount currency state reason remittance_information code message',
  },
  treasury_movements: {
    plain: 'direction rail network amount currency state reason transaction_hash code message',
    kept: { address: 'public chains keep it permanently' },
  },
  treasury_keys: {
    plain: 'rail number state reason',
    kept: { address: 'public chains keep it permanently' },
  },
  // The payees belong to the platform and are not customers.
  payout_batches: {
    plain:
      'state name file_sha256 columns next_byte lines checked faulty sent failed next_line totals file_error',
  },
  payout_lines: {
    plain: 'line state currency amount rail payment_rail code field',
    kept: {
      reference: "the platform's own id of a payout",
      request: 'the request of the platform, with its own payees',
      message: 'the reason why a payout of the platform was refused',
    },
  },
  fx_in_flight: { plain: 'currency bought sold' },
  transactions: {
    plain:
      'kind type direction state sent_amount sent_currency received_amount received_currency fees payment_rail reference ' +
      'failure_reason refund',
    erased: [
      {
        by: 'payments',
        rows: OF_PAYMENTS,
        set: {
          source_identifier: replaceIdentifier('source_identifier'),
          // A payment that a wallet's holder made on the chain keeps its address, which is on the chain
          // permanently.
          destination_identifier: `CASE WHEN details ? 'isByOwnKey' THEN destination_identifier ELSE ${replaceIdentifier('destination_identifier')} END`,
          remittance_information: 'NULL',
          description: 'NULL',
          details: `CASE WHEN details ? 'uma' THEN jsonb_build_object('uma', '${ERASED_UMA_ADDRESS}') ELSE '{}' END || (${withoutMembers('details', 'uma', 'counterparty', 'paymentInstructions', 'sender', 'receiverCustomerInfo')})`,
        },
      },
    ],
  },
  rail_payments: {
    plain: 'rail direction amount currency state reference rail_reference transaction_hash',
    erased: [
      {
        by: 'payments',
        rows: OF_PAYMENTS,
        set: { failure: `CASE WHEN failure IS NOT NULL THEN failure || '{"message": "erased"}' END` },
      },
    ],
  },
  deposit_accounts: {
    plain: 'rail currency reference matching',
    kept: { rail_reference: 'needed to attribute money that arrives late' },
    erased: [
      {
        by: 'customer',
        rows: 'account_id IN (SELECT id FROM internal_accounts WHERE customer_id = $1) AND account_info IS NOT NULL',
        set: { account_info: "jsonb_build_object('accountType', account_info->'accountType')" },
      },
    ],
  },
  deposits: {
    plain: 'rail rail_reference amount currency state reason',
    erased: [
      {
        by: 'payments',
        // The sender of a deposit that is being sent back is still needed.
        rows: `${OF_PAYMENTS} AND state <> 'RETURNING'`,
        set: {
          details: `${withoutMembers('details', 'sender', 'remittanceInformation', 'note', 'paidTo', 'texts')} - 'endToEndId' - 'traceNumber'`,
        },
      },
    ],
  },
  rail_events: { plain: 'rail type state reason', apart: { body: 'railEvents', note: 'railEvents' } },
  payment_decisions: {
    plain: 'place outcome amount currency charge statement_lines actor_type actor_name',
    erased: [
      {
        by: 'payments',
        rows: 'transaction_id = ANY ($1)',
        set: { reason: ERASED, note: replaceWithWord('note') },
      },
    ],
  },
  rail_statements: {
    plain:
      'rail currency date state rail_reference opening closing entry_sum entry_count charged expected_costs booked_count balance ' +
      'later differences difference_count',
  },
  rail_statement_entries: {
    plain: 'place rail_reference kind amount reason',
    erased: [{ by: 'payments', rows: 'item_id = ANY ($1)', set: { text: 'NULL', deposit: 'NULL' } }],
  },
  reconciliation_matches: {
    plain: 'rail currency state lines items line_sum book_sum account digest actor_type actor_name',
    erased: [
      {
        by: 'payments',
        rows: "EXISTS (SELECT FROM jsonb_array_elements_text(items) AS i WHERE split_part(i, ':', 2)::uuid = ANY ($1))",
        set: { reason: ERASED, undo_reason: replaceWithWord('undo_reason') },
      },
    ],
  },
  reconciliation_match_items: { plain: 'rail currency' },
  bank_file_workers: { plain: 'rail files traces reversals' },
  bank_files: {
    plain:
      'rail number name message_name state batches payments total traces_before format made_on executed_on part bank_status modifier',
  },
  bank_payments: {
    plain: 'rail kind direction batch reference amount currency place trace',
    erased: [
      // A queued prenote of an ended payment is not needed.
      { by: 'payments', rows: `${OF_PAYMENTS} AND kind = 'PRENOTE' AND file_id IS NULL AND NOT ${IS_OPEN}` },
      {
        by: 'payments',
        rows: `${OF_PAYMENTS} AND ${IS_PAST_FILES}`,
        set: { details: ERASED_ENTRY },
      },
      {
        by: 'customer',
        rows: `${OWN_INSTRUCTIONS} AND ${IS_PAST_FILES}`,
        set: { details: ERASED_ENTRY },
      },
      // A reversal that is not written yet is dropped instead.
      {
        by: 'payments',
        rows: "kind = 'REVERSAL' AND payment_id = ANY ($1)",
        set: { details: ERASED_ENTRY },
      },
    ],
  },
  bank_inbox_files: { plain: 'rail name sha256 bytes kind state records reason' },
  screenings: {
    plain: 'direction network amount currency state list',
    erased: [
      {
        by: 'payments',
        rows: OF_PAYMENTS,
        set: { address: ERASED, detail: replaceWithWord('detail'), note: replaceWithWord('note') },
      },
    ],
  },
  funds_holds: {
    plain: 'rail amount currency rule state',
    erased: [{ by: 'customer', rows: 'customer_id = $1', set: { note: replaceWithWord('note') } }],
  },
  velocity_uses: {
    plain: 'subject currency amount day month day_count_max day_amount_max month_count_max month_amount_max',
    kept: {
      subject_digest: 'a keyed digest, which attributes later payments to the same payee until it is removed',
    },
  },
  velocity_counters: {
    plain: 'subject period currency amount count',
    kept: {
      subject_digest: 'a keyed digest, which attributes later payments to the same payee until it is removed',
    },
  },
  chains: {
    plain: 'rail chain_number genesis tokens followed_block followed_hash highest_block cold_version',
  },
  chain_addresses: {
    plain: 'rail role path opened_block',
    kept: { address: 'public chains keep it permanently' },
  },
  chain_payments: {
    plain:
      'rail kind token currency amount nonce valid_before signature fee_amount fee_recipient fee_nonce fee_signature state ' +
      'from_block attempts note transaction_hash block_number',
    kept: { sender: 'public chains keep it permanently', recipient: 'public chains keep it permanently' },
  },
  chain_transactions: {
    plain: 'rail nonce gas_limit state transaction_hash block_number block_hash cost',
    kept: {
      sender: 'public chains keep it permanently',
      recipient: 'public chains keep it permanently',
      data: 'public chains keep it permanently',
      attempts: 'public chains keep it permanently',
    },
  },
  chain_movements: {
    plain: 'rail currency token transaction_hash log_index block_number block_hash amount kind state',
    kept: { sender: 'public chains keep it permanently', recipient: 'public chains keep it permanently' },
  },
  chain_blocks: { plain: 'rail number hash' },
  ledger_accounts: { plain: 'name currency normal_side posted held event_count' },
  ledger_transfers: { plain: 'currency amount state cause' },
  ledger_late_ends: { plain: '' },
  charts_of_accounts: { plain: 'accounts date_format tax_rate version' },
  client_money_reports: { plain: 'date currencies payload signature' },
  ledger_checkpoints: { plain: 'block_number transfer_count hash payload signature' },
  proof_queue: { plain: 'position' },
  proof_blocks: { plain: 'number digests transfer_count hash' },
}
