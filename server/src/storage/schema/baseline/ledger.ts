/**
 * The double-entry ledger; a transfer is one row that debits one account and credits another with the same
 * amount, so it cannot be unbalanced. The database rejects overdrafts, and any change to a transfer except
 * posting or voiding it once.
 *
 * References written by every payment are not checked (decision 0017): posting a transfer locks both accounts
 * first, and platforms and accounts are never deleted.
 */
export const ledgerTables = `
CREATE TABLE ledger_accounts (
  id uuid PRIMARY KEY,
  -- Deferred, because commit_together opens the accounts of a platform before it inserts the platform's row.
  platform_id uuid NOT NULL REFERENCES platforms DEFERRABLE INITIALLY DEFERRED,
  owner uuid NOT NULL,
  -- The name of one of the platform's own accounts. Null for an internal account.
  name text,
  currency text NOT NULL,
  -- The side on which balances are positive.
  normal_side text NOT NULL CHECK (normal_side IN ('debit', 'credit')),
  may_overdraw boolean NOT NULL,
  -- The sum of all posted transfers, and the amount held by pending ones.
  posted bigint NOT NULL,
  held bigint NOT NULL,
  -- The number of the account's events so far.
  event_count integer NOT NULL DEFAULT 0,
  -- Closed permanently, like the accounts of a deleted customer.
  is_closed boolean NOT NULL DEFAULT false,
  CONSTRAINT ledger_accounts_overdraft CHECK (may_overdraw OR posted - held >= 0),
  CONSTRAINT ledger_accounts_held CHECK (held >= 0),
  -- A write that would move money of a closed account fails its guard, so the operation runs again.
  CONSTRAINT ledger_accounts_closed CHECK (NOT is_closed OR (posted = 0 AND held = 0))
) WITH (fillfactor = 50);
CREATE INDEX ledger_accounts_page ON ledger_accounts (platform_id, id);
CREATE INDEX ledger_accounts_owner ON ledger_accounts (owner, id);
-- Finds the position in a currency. The indexed columns never change.
CREATE UNIQUE INDEX ledger_accounts_fx ON ledger_accounts (platform_id, currency) WHERE name = 'fx';

CREATE TABLE ledger_transfers (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  debit_account_id uuid NOT NULL,
  credit_account_id uuid NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  state text NOT NULL CHECK (state IN ('pending', 'posted', 'voided')),
  -- The kind and id of the record that caused it.
  cause text NOT NULL,
  cause_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  -- When it was posted or voided.
  ended_at timestamptz,
  CONSTRAINT ledger_transfers_accounts CHECK (debit_account_id <> credit_account_id),
  CONSTRAINT ledger_transfers_ended_at CHECK ((state = 'pending') = (ended_at IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX ledger_transfers_debit ON ledger_transfers (debit_account_id, created_at);
CREATE INDEX ledger_transfers_credit ON ledger_transfers (credit_account_id, created_at);
CREATE INDEX ledger_transfers_cause ON ledger_transfers (cause_id);

-- An earlier balance is computed from the transfers since then, which the ledger's indexes find by their creation time. The few
-- transfers that ended more than a day later are also listed here, by the time at which they ended. So no indexed column
-- changes when a transfer ends, and its row stays on its page.
CREATE TABLE ledger_late_ends (
  -- The id of the transfer.
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  debit_account_id uuid NOT NULL,
  credit_account_id uuid NOT NULL,
  ended_at timestamptz NOT NULL
);
CREATE INDEX ledger_late_ends_debit ON ledger_late_ends (debit_account_id, ended_at);
CREATE INDEX ledger_late_ends_credit ON ledger_late_ends (credit_account_id, ended_at);

-- Both sides of posted transfers: credits are positive, debits negative. The server reads an account's history through the indexes of both
-- sides instead, because PostgreSQL sorts a whole UNION ALL.
CREATE VIEW ledger_entries AS
  SELECT id AS transfer_id, platform_id, debit_account_id AS account_id, currency, - amount AS amount, cause, cause_id,
    created_at, ended_at AS posted_at FROM ledger_transfers WHERE state = 'posted'
  UNION ALL
  SELECT id, platform_id, credit_account_id, currency, amount, cause, cause_id, created_at, ended_at
  FROM ledger_transfers WHERE state = 'posted';

-- Ended transfers that are not in a block yet, with one row per platform and statement. Written by a trigger.
CREATE TABLE proof_queue (
  platform_id uuid NOT NULL,
  position bigint GENERATED ALWAYS AS IDENTITY,
  transfer_ids uuid[] NOT NULL,
  PRIMARY KEY (platform_id, position)
);

CREATE TABLE proof_blocks (
  platform_id uuid NOT NULL,
  -- Starts at 1, without gaps.
  number bigint NOT NULL,
  transfer_ids uuid[] NOT NULL,
  -- Eight bytes of a digest for each transfer, to identify a changed one.
  digests bytea NOT NULL,
  -- The number of transfers up to and including this block.
  transfer_count bigint NOT NULL,
  -- The hash of the previous block and of the transfers.
  hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (platform_id, number)
);

CREATE TABLE ledger_checkpoints (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  block_number bigint NOT NULL,
  transfer_count bigint NOT NULL,
  hash bytea NOT NULL,
  payload text NOT NULL,
  signature bytea NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (platform_id, block_number)
);
CREATE INDEX ledger_checkpoints_page ON ledger_checkpoints (platform_id, created_at DESC, id DESC);

-- The account of the operator's chart for each kind of ledger account, for journal exports. At most one row per platform.
CREATE TABLE charts_of_accounts (
  -- The id of the platform.
  id uuid PRIMARY KEY REFERENCES platforms,
  platform_id uuid NOT NULL,
  accounts jsonb NOT NULL,
  date_format text,
  tax_rate text,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT charts_of_accounts_platform CHECK (id = platform_id)
);

-- The money owed to customers and the money held by rails at the end of a day.
CREATE TABLE client_money_reports (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- YYYY-MM-DD, in UTC.
  date text NOT NULL,
  currencies jsonb NOT NULL,
  payload text NOT NULL,
  signature bytea NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (platform_id, date)
);
CREATE INDEX client_money_reports_page ON client_money_reports (platform_id, date DESC, id DESC);
`
