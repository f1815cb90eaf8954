/**
 * The double-entry ledger. Amounts of entries are signed: a credit is positive, a debit negative, so the entries of a
 * transfer sum to zero per currency. Balances of an account are kept on its normal side. The database itself refuses an
 * entry that is changed or removed, a transfer that does not balance, and an account that is overdrawn.
 *
 * References that every payment writes are not checked (decision 0017): what writes an entry or a hold locks the account
 * first, and no platform or account is ever deleted.
 */
export const ledgerTables = `
CREATE TABLE ledger_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  owner uuid NOT NULL,
  -- Which of the platform's own accounts it is, in words; null for an internal account.
  name text,
  currency text NOT NULL,
  normal_side text NOT NULL CHECK (normal_side IN ('debit', 'credit')),
  may_overdraw boolean NOT NULL,
  -- All entries together, and what of it pending holds have set aside.
  posted bigint NOT NULL,
  held bigint NOT NULL,
  -- Closed for good, as those of a deleted customer.
  is_closed boolean NOT NULL DEFAULT false,
  CONSTRAINT ledger_accounts_overdraft CHECK (may_overdraw OR posted - held >= 0),
  CONSTRAINT ledger_accounts_held CHECK (held >= 0),
  -- A write that would move money of a closed account fails its guard, so whoever made it decides again.
  CONSTRAINT ledger_accounts_closed CHECK (NOT is_closed OR (posted = 0 AND held = 0))
) WITH (fillfactor = 50);

CREATE TABLE ledger_transfers (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  -- The kind of record that caused it, and its id.
  cause text NOT NULL,
  cause_id uuid NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX ledger_transfers_cause ON ledger_transfers (cause_id);

CREATE TABLE ledger_entries (
  transfer_id uuid NOT NULL,
  line integer NOT NULL,
  account_id uuid NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (transfer_id, line)
);
CREATE INDEX ledger_entries_account ON ledger_entries (account_id, created_at);

CREATE TABLE ledger_holds (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  account_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  -- May be more than the amount: an over-capture.
  captured bigint NOT NULL CHECK (captured >= 0),
  state text NOT NULL CHECK (state IN ('pending', 'posted', 'voided')),
  cause text NOT NULL,
  cause_id uuid NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX ledger_holds_cause ON ledger_holds (cause_id);
`
