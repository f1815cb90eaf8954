/**
 * What the books for people need: lists of accounts, balances of any moment without the whole history, and who signed.
 */
export const books = `
-- A balance of an earlier moment is worked out from the transfers since then, which the ledger's indexes find by the time at which
-- they were made. Those that ended more than a day later are few; they are here as well, by the time at which they ended. No
-- column of the ledger's own indexes changes when a transfer ends, so its row stays on its page.
LOCK TABLE ledger_transfers IN SHARE ROW EXCLUSIVE MODE;
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
INSERT INTO ledger_late_ends
  SELECT id, platform_id, debit_account_id, credit_account_id, ended_at FROM ledger_transfers
  WHERE ended_at > created_at + interval '24 hours';

CREATE INDEX ledger_accounts_page ON ledger_accounts (platform_id, id);
CREATE INDEX ledger_accounts_owner ON ledger_accounts (owner, id);

-- The session that signed, and its signature as it was sent; null where another key or a proof of another kind answered.
ALTER TABLE signing_requests ADD COLUMN session_id uuid, ADD COLUMN stamp text;
`
