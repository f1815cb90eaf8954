/** Payout batches and their lines. */
export const payoutTables = `
CREATE TABLE payout_batches (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('CHECKING', 'READY', 'AWAITING_APPROVAL', 'SENDING', 'COMPLETED', 'CANCELED', 'FAILED')),
  name text,
  -- Null for a batch created by an API call.
  file_id uuid REFERENCES stored_files,
  file_sha256 bytea,
  -- An earlier batch from a file with the same content.
  same_file_id uuid REFERENCES payout_batches,
  -- The columns of the file, once its header was read.
  columns jsonb,
  -- The progress of the check: the byte offset of the next row in the file.
  next_byte bigint NOT NULL CHECK (next_byte >= 0),
  lines integer NOT NULL CHECK (lines >= 0),
  checked integer NOT NULL CHECK (checked BETWEEN 0 AND lines),
  faulty integer NOT NULL CHECK (faulty BETWEEN 0 AND checked),
  sent integer NOT NULL CHECK (sent >= 0),
  failed integer NOT NULL CHECK (failed >= 0),
  -- The progress of sending. It is committed together with the payments of earlier lines.
  next_line integer NOT NULL CHECK (next_line >= 1),
  -- Totals by currency and rail.
  totals jsonb NOT NULL,
  file_error jsonb,
  completed_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT payout_batches_sent CHECK (sent + failed <= checked - faulty),
  CONSTRAINT payout_batches_completed_at CHECK ((state IN ('COMPLETED', 'CANCELED', 'FAILED')) = (completed_at IS NOT NULL))
);
CREATE INDEX payout_batches_file ON payout_batches (platform_id, file_sha256) WHERE file_sha256 IS NOT NULL;
CREATE INDEX payout_batches_waiting ON payout_batches (platform_id) WHERE state = 'AWAITING_APPROVAL';
CREATE INDEX payout_batches_page ON payout_batches (platform_id, created_at DESC, id DESC);

CREATE TABLE payout_lines (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  batch_id uuid NOT NULL REFERENCES payout_batches,
  line integer NOT NULL CHECK (line >= 1),
  state text NOT NULL CHECK (state IN ('GIVEN', 'READY', 'FAULTY', 'SENT', 'FAILED')),
  reference text,
  account_id uuid REFERENCES external_accounts,
  currency text,
  amount bigint CHECK (amount > 0),
  rail text,
  payment_rail text,
  request jsonb NOT NULL,
  code text,
  message text,
  field text,
  -- The payment's row is written by another statement of the same commit.
  transaction_id uuid REFERENCES transactions DEFERRABLE INITIALLY DEFERRED,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT payout_lines_sent CHECK ((state = 'SENT') = (transaction_id IS NOT NULL)),
  CONSTRAINT payout_lines_fault CHECK ((state IN ('FAULTY', 'FAILED')) = (code IS NOT NULL)),
  CONSTRAINT payout_lines_payable CHECK (state NOT IN ('READY', 'SENT', 'FAILED') OR (currency IS NOT NULL AND amount IS NOT NULL))
);
-- Prevents two runs or processes from adding a line twice.
CREATE UNIQUE INDEX payout_lines_line ON payout_lines (batch_id, line);
CREATE INDEX payout_lines_state ON payout_lines (batch_id, state, line);
CREATE INDEX payout_lines_reference ON payout_lines (batch_id, reference) WHERE reference IS NOT NULL;
-- A payment belongs to at most one line.
CREATE UNIQUE INDEX payout_lines_transaction ON payout_lines (transaction_id) WHERE transaction_id IS NOT NULL;
`
