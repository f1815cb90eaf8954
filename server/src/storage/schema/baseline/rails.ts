/** Payments submitted to rails, incoming money, rail reports and statements (decision 0044). */
export const railTables = `
-- A payment or pull submitted to a rail. Written together with its cause, before the rail is called. The id is derived from
-- direction and payment, so each has one row.
CREATE TABLE rail_payments (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  -- The rail never changes, even if the rails file does.
  rail text NOT NULL,
  direction text NOT NULL CHECK (direction IN ('OUT', 'PULL')),
  -- The payment's id at the rail: a transaction, or the deposit or quote whose money is returned.
  payment_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  -- GIVEN: the rail has not confirmed it yet.
  state text NOT NULL CHECK (state IN ('GIVEN', 'ACCEPTED', 'DELIVERED', 'FAILED', 'RETURNED', 'CANCELLED')),
  -- Identifies the payment for both payer and payee.
  reference text NOT NULL,
  -- The rail's own reference.
  rail_reference text,
  transaction_hash text,
  failure jsonb,
  -- When to submit it to the rail. Later than its creation if the rail was closed.
  submit_at timestamptz NOT NULL,
  -- When the money was sent and when it was returned, according to the rail.
  delivered_at timestamptz,
  returned_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 60);
-- Finds payments of a rail that have not ended. Reconciliation looks no further back than the oldest.
CREATE INDEX rail_payments_open ON rail_payments (rail, created_at) WHERE state IN ('GIVEN', 'ACCEPTED');

-- Account details for incoming payments: for one account, or for a whole currency if payers state a reference.
CREATE TABLE deposit_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  currency text NOT NULL,
  -- The account that receives the money. Null for the shared account of the currency.
  account_id uuid REFERENCES internal_accounts,
  -- The reference given to the rail.
  reference text NOT NULL,
  -- The rail's response. Null until it has responded.
  rail_reference text,
  matching text CHECK (matching IN ('ACCOUNT', 'REFERENCE')),
  account_info jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT deposit_accounts_open CHECK (num_nonnulls(rail_reference, matching, account_info) IN (0, 3))
);
CREATE INDEX deposit_accounts_account ON deposit_accounts (account_id);
CREATE INDEX deposit_accounts_rail_reference ON deposit_accounts (rail, rail_reference);
CREATE INDEX deposit_accounts_reference ON deposit_accounts (platform_id, reference);
-- A deposit account belongs to one internal account, unless payers state references.
CREATE UNIQUE INDEX deposit_accounts_own_name ON deposit_accounts (platform_id, rail, rail_reference)
  WHERE matching = 'ACCOUNT' AND account_id IS NOT NULL;
-- The details of an erased customer no longer contain a number.
CREATE UNIQUE INDEX deposit_accounts_own_number ON deposit_accounts (platform_id, rail, md5(account_info::text))
  WHERE matching = 'ACCOUNT' AND account_id IS NOT NULL AND account_info - 'accountType' <> '{}';

-- Incoming money. The id is derived from the rail and the rail's reference, so each deposit is counted once.
CREATE TABLE deposits (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  rail_reference text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  -- SUSPENSE: a person must decide. PENDING: it waits for the platform's decision, or to be credited.
  state text NOT NULL CHECK (state IN ('SUSPENSE', 'PENDING', 'CREDITED', 'FUNDED', 'RETURNING', 'RETURNED', 'REVERSED',
    'SPLIT', 'WRITTEN_OFF')),
  -- Why it is in suspense or being returned.
  reason text,
  -- Everything that the rail reported about it.
  details jsonb NOT NULL,
  -- The account that was credited, and the record of the credit.
  account_id uuid REFERENCES internal_accounts,
  transaction_id uuid,
  -- The deposit that was split into this one, or for which the bank booked a higher amount.
  parent_id uuid REFERENCES deposits DEFERRABLE INITIALLY DEFERRED,
  received_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX deposits_page ON deposits (platform_id, created_at DESC, id DESC);
CREATE INDEX deposits_suspense ON deposits (platform_id, created_at DESC, id DESC) WHERE state = 'SUSPENSE';
CREATE INDEX deposits_parts ON deposits (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX deposits_transaction ON deposits (transaction_id) WHERE transaction_id IS NOT NULL;
-- Finds deposits reported by bank files, for another file that reports the same money.
CREATE INDEX deposits_of_banks ON deposits (rail, amount) WHERE details ? 'from';
CREATE INDEX deposits_entry_reference ON deposits (rail, (details->>'entryReference')) WHERE details ? 'from';

-- Reports from rails. The id is derived from the rail and the rail's event id, so each report takes effect once.
CREATE TABLE rail_events (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  type text NOT NULL,
  body jsonb NOT NULL,
  -- WAITING: it matches nothing known and waits for a person.
  state text NOT NULL CHECK (state IN ('APPLIED', 'WAITING', 'RESOLVED')),
  reason text,
  note text,
  resolved_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT rail_events_reason CHECK ((state = 'APPLIED') = (reason IS NULL)),
  CONSTRAINT rail_events_resolved CHECK ((state = 'RESOLVED') = (resolved_at IS NOT NULL))
);
CREATE INDEX rail_events_waiting ON rail_events (platform_id, created_at DESC, id DESC) WHERE state <> 'APPLIED';

-- A day of a rail in one currency. The id is derived from all three, so each has one row. The row exists before its statement arrives.
CREATE TABLE rail_statements (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  currency text NOT NULL,
  -- 2026-03-01, in the calendar of the bank.
  date text NOT NULL,
  -- WAITING: for the statement. BOOKING: entries are being applied. The other two states say whether there are differences.
  state text NOT NULL CHECK (state IN ('WAITING', 'BOOKING', 'BALANCED', 'DIFFERENT')),
  -- The statement: the bank's reference, the balances, and the sum and number of entries.
  rail_reference text,
  opening bigint,
  closing bigint,
  entry_sum bigint,
  entry_count integer,
  -- The sum of its fees, and the fees expected by the rails file. Null if the file names no costs.
  charged bigint,
  expected_costs bigint,
  -- Entries up to this place have been booked.
  booked_count integer NOT NULL DEFAULT 0,
  -- The ledger balance of the rail's account as of the statement, and the sum of later transfers.
  balance bigint,
  later bigint,
  -- Each with its reason, start and amount: the first thousand, then the sum of all others.
  differences jsonb NOT NULL DEFAULT '[]',
  difference_count integer NOT NULL DEFAULT 0,
  -- Ledger transfers from this time on may be new in the next statement.
  movements_since timestamptz,
  received_at timestamptz,
  reconciled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT rail_statements_arrived CHECK
    (num_nonnulls(rail_reference, opening, closing, entry_sum, entry_count, received_at) = CASE state WHEN 'WAITING' THEN 0 ELSE 6 END)
) WITH (fillfactor = 80);
CREATE INDEX rail_statements_page ON rail_statements (platform_id, created_at DESC, id DESC);
CREATE INDEX rail_statements_day ON rail_statements (platform_id, rail, currency, date);

-- Statement lines and payments that a person has matched (decision 0082). Each commit compares the sums with the
-- lines and the ledger (reconciliation_match_sums).
CREATE TABLE reconciliation_matches (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  currency text NOT NULL,
  -- PROPOSED: more team members must approve it. UNDONE: its lines and payments are open again. CLOSED: it is final.
  state text NOT NULL CHECK (state IN ('PROPOSED', 'MATCHED', 'UNDONE', 'CLOSED')),
  -- Ids of statement lines, and of transactions and deposits.
  lines jsonb NOT NULL,
  items jsonb NOT NULL,
  -- The sum of the lines, and the sum of the ledger transfers for the items.
  line_sum bigint NOT NULL,
  book_sum bigint NOT NULL,
  -- The platform account to which the difference is booked. Null if there is no difference.
  account text CHECK (account IN ('costs', 'fx', 'receivables')),
  -- Equal for proposals of the same match.
  digest text NOT NULL,
  reason text NOT NULL,
  undo_reason text,
  actor_type text NOT NULL,
  actor_id uuid,
  actor_name text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT reconciliation_matches_account CHECK ((line_sum = book_sum) = (account IS NULL)),
  CONSTRAINT reconciliation_matches_lines CHECK (jsonb_array_length(lines) > 0),
  CONSTRAINT reconciliation_matches_undone CHECK ((state = 'UNDONE') = (undo_reason IS NOT NULL))
);
CREATE INDEX reconciliation_matches_page ON reconciliation_matches (platform_id, created_at DESC, id DESC);
-- Team members who propose the same match vote for it.
CREATE UNIQUE INDEX reconciliation_matches_proposed ON reconciliation_matches (platform_id, digest) WHERE state = 'PROPOSED';

-- A payment or deposit on a rail's account that was ever part of a match. The id is derived from both, so it has at most one match.
CREATE TABLE reconciliation_match_items (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  rail text NOT NULL,
  currency text NOT NULL,
  -- A transaction, or a deposit without one.
  item_id uuid NOT NULL,
  -- Null if its match was undone.
  match_id uuid REFERENCES reconciliation_matches DEFERRABLE INITIALLY DEFERRED,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX reconciliation_match_items_item ON reconciliation_match_items (item_id);
CREATE INDEX reconciliation_match_items_match ON reconciliation_match_items (match_id) WHERE match_id IS NOT NULL;
-- Finds items matched or reopened since the last comparison.
CREATE INDEX reconciliation_match_items_changed ON reconciliation_match_items (platform_id, rail, currency, updated_at);

-- Statement entries. The id is derived from the rail and the bank's reference of the entry, so each counts once.
CREATE TABLE rail_statement_entries (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  statement_id uuid NOT NULL REFERENCES rail_statements,
  -- Starts at 1, in the order in which entries are booked: a return comes after the entry that it returns.
  place integer NOT NULL,
  rail_reference text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('PAYMENT', 'PAYMENT_RETURN', 'PULL', 'PULL_RETURN', 'DEPOSIT', 'DEPOSIT_REVERSAL', 'FEE',
    'INTEREST', 'OTHER')),
  amount bigint NOT NULL,
  -- The payment, pull or deposit that the entry belongs to.
  item_id uuid,
  -- Why the entry belongs to nothing.
  reason text CHECK (reason IN ('REPEATED_ENTRY', 'UNEXPLAINED')),
  text text,
  -- The details of a deposit.
  deposit jsonb,
  -- The match that contains the entry.
  match_id uuid REFERENCES reconciliation_matches DEFERRABLE INITIALLY DEFERRED,
  booked_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX rail_statement_entries_place ON rail_statement_entries (statement_id, place);
CREATE INDEX rail_statement_entries_item ON rail_statement_entries (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX rail_statement_entries_match ON rail_statement_entries (match_id) WHERE match_id IS NOT NULL;
CREATE INDEX rail_statement_entries_open ON rail_statement_entries (statement_id) WHERE reason IS NOT NULL;

-- People's decisions about payments without a final report, or with contradictory reports. Rows are never changed or removed.
CREATE TABLE payment_decisions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail_payment_id uuid NOT NULL REFERENCES rail_payments DEFERRABLE INITIALLY DEFERRED,
  transaction_id uuid NOT NULL,
  -- 1 for the decision that ends the payment. Each further one resolves a report that contradicts the previous one. Reversal
  -- requests are counted separately.
  place integer NOT NULL CHECK (place > 0),
  -- True for a vote that takes effect only after other team members have approved.
  is_proposal boolean NOT NULL,
  outcome text NOT NULL CHECK (outcome IN ('DELIVERED', 'FAILED', 'RETURNED', 'REVERSAL')),
  amount bigint NOT NULL,
  currency text NOT NULL,
  -- Fees kept by banks, which the platform bears.
  charge bigint NOT NULL CHECK (charge >= 0 AND charge <= amount),
  -- True if both payer and payee have the money, so that the amount is owed to the platform.
  is_owed boolean NOT NULL,
  reason text NOT NULL,
  -- The evidence.
  note text,
  -- Ids of statement lines.
  statement_lines jsonb NOT NULL,
  document_id uuid REFERENCES documents,
  -- The report that the decision resolved.
  rail_event_id uuid REFERENCES rail_events DEFERRABLE INITIALLY DEFERRED,
  actor_type text NOT NULL,
  actor_id uuid,
  actor_name text,
  created_at timestamptz NOT NULL,
  CONSTRAINT payment_decisions_evidence CHECK (num_nonnulls(note, document_id) > 0 OR jsonb_array_length(statement_lines) > 0)
);
CREATE UNIQUE INDEX payment_decisions_once ON payment_decisions (rail_payment_id, (outcome = 'REVERSAL'), place) WHERE NOT is_proposal;
CREATE INDEX payment_decisions_page ON payment_decisions (transaction_id, created_at DESC, id DESC);

-- Changed details of external accounts as reported by rails, and people's decisions about them.
CREATE TABLE account_changes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null if the account is the platform's own.
  customer_id uuid REFERENCES customers,
  external_account_id uuid NOT NULL REFERENCES external_accounts,
  transaction_id uuid NOT NULL REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  rail text NOT NULL,
  rail_event_id uuid NOT NULL REFERENCES rail_events DEFERRABLE INITIALLY DEFERRED,
  code text,
  message text,
  -- Account values by field.
  previous jsonb NOT NULL,
  proposed jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('PENDING', 'APPLIED', 'DISMISSED')),
  reason text,
  actor_type text,
  actor_id uuid,
  actor_name text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  decided_at timestamptz,
  CONSTRAINT account_changes_decided CHECK ((state = 'PENDING') = (decided_at IS NULL))
);
CREATE INDEX account_changes_page ON account_changes (platform_id, created_at DESC, id DESC);
CREATE INDEX account_changes_account ON account_changes (external_account_id, created_at);
CREATE INDEX account_changes_customer ON account_changes (customer_id);
CREATE INDEX account_changes_waiting ON account_changes (platform_id) WHERE state = 'PENDING';

-- Verifications of external accounts by two deposits. The amounts are in their transactions.
CREATE TABLE account_verifications (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  external_account_id uuid NOT NULL REFERENCES external_accounts,
  source_account_id uuid NOT NULL REFERENCES internal_accounts,
  first_transaction_id uuid NOT NULL REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  second_transaction_id uuid NOT NULL REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  -- A keyed digest of the routing and account number, and the number of this start among all starts with the digest.
  account_digest text NOT NULL,
  start integer NOT NULL,
  -- The number of this start among all starts of the customer.
  customer_start integer NOT NULL,
  state text NOT NULL CHECK (state IN ('PENDING', 'VERIFIED', 'FAILED', 'EXPIRED')),
  attempts_left integer NOT NULL CHECK (attempts_left >= 0),
  failure_reason text,
  -- The bank's message about a deposit that did not arrive.
  message text,
  -- The number of delivered deposits.
  delivered integer NOT NULL CHECK (delivered BETWEEN 0 AND 2),
  -- Null until both deposits were delivered.
  expires_at timestamptz,
  verified_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- An account has at most one current verification.
CREATE UNIQUE INDEX account_verifications_current ON account_verifications (external_account_id)
  WHERE state IN ('PENDING', 'VERIFIED');
-- Concurrent starts for the same bank account or customer get the same number, so one of them fails.
CREATE UNIQUE INDEX account_verifications_start ON account_verifications (platform_id, account_digest, start);
CREATE UNIQUE INDEX account_verifications_customer ON account_verifications (customer_id, customer_start);
CREATE UNIQUE INDEX account_verifications_first ON account_verifications (first_transaction_id);
CREATE UNIQUE INDEX account_verifications_second ON account_verifications (second_transaction_id);
CREATE INDEX account_verifications_page ON account_verifications (platform_id, created_at DESC, id DESC);
CREATE INDEX account_verifications_account ON account_verifications (external_account_id);

-- Consent of external accounts' holders to direct debits.
CREATE TABLE mandates (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null if the account is the platform's own.
  customer_id uuid REFERENCES customers,
  external_account_id uuid NOT NULL REFERENCES external_accounts,
  reference text NOT NULL,
  type text NOT NULL CHECK (type IN ('RECURRING', 'ONE_OFF')),
  -- 2026-03-01.
  signed_on text NOT NULL,
  debtor_name text NOT NULL,
  -- An IBAN, or an account number with its sort code.
  debtor_account text NOT NULL,
  debtor_sort_code text,
  -- The rail that has instructed the debtor's bank, if it needs such an instruction.
  rail text,
  -- True if the next collection is the last. The mandate may then have a reason before it is canceled.
  is_final boolean NOT NULL,
  -- The number of queued collections, used as a version.
  collections integer NOT NULL CHECK (collections >= 0),
  -- The payment record of the first queued collection.
  first_payment_id uuid REFERENCES rail_payments DEFERRABLE INITIALLY DEFERRED,
  last_collected_on text,
  canceled_at timestamptz,
  cancel_reason text,
  -- BANK is the debtor's bank. PLATFORM is an API call, the last collection, or the end of the account.
  canceled_by text CHECK (canceled_by IN ('BANK', 'PLATFORM')),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT mandates_canceled CHECK (canceled_at IS NULL OR cancel_reason IS NOT NULL AND canceled_by IS NOT NULL)
);
CREATE UNIQUE INDEX mandates_reference ON mandates (platform_id, upper(reference));
CREATE UNIQUE INDEX mandates_active ON mandates (external_account_id) WHERE canceled_at IS NULL;
CREATE INDEX mandates_page ON mandates (platform_id, created_at DESC, id DESC);
CREATE INDEX mandates_account ON mandates (external_account_id);
CREATE INDEX mandates_customer ON mandates (customer_id);
`
