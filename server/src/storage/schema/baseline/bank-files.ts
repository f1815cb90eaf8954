/** Bank-file rails: payments waiting for a file, our own files, and files from banks. */
export const bankFileTables = `
-- The counters of a bank-file rail, and the claim of the process that works on it. The id is derived from the rail.
CREATE TABLE bank_file_workers (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  -- The number of the last file, and the last assigned trace number.
  files bigint NOT NULL CHECK (files >= 0),
  traces bigint NOT NULL CHECK (traces >= 0),
  -- The number of reversal requests so far.
  reversals bigint NOT NULL CHECK (reversals >= 0),
  -- When payments were last collected into files, and when the inbox was last checked.
  collected_at timestamptz NOT NULL,
  looked_at timestamptz NOT NULL,
  claimed_until timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

-- A file for a bank. Its content is derived from this row and its payments, so it can be written again.
CREATE TABLE bank_files (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  number bigint NOT NULL,
  name text NOT NULL,
  -- The name by which the bank refers to it in its reports.
  message_name text NOT NULL,
  -- The ACH file id modifier, by which the bank tells apart the files of one day.
  modifier text,
  state text NOT NULL CHECK (state IN ('COLLECTING', 'WRITING', 'READY', 'WRITTEN', 'ACKNOWLEDGED', 'REJECTED', 'DROPPED')),
  -- The only batch of a SEPA file, or all batches of an ACH file.
  batches jsonb NOT NULL,
  payments integer NOT NULL CHECK (payments >= 0),
  total bigint NOT NULL CHECK (total >= 0),
  -- The trace number that precedes the trace number of its first payment.
  traces_before bigint NOT NULL,
  -- The properties of the rails file used in the content, the local date and time of creation, and the execution date.
  format jsonb NOT NULL,
  made_on text NOT NULL,
  executed_on text NOT NULL,
  -- The temporary name of the complete file.
  part text,
  -- When its payments were reported as accepted, or as failed if the bank rejected the file; and when they are and were reported as arrived, if no bank report says so.
  accepted_at timestamptz,
  settles_at timestamptz,
  settled_at timestamptz,
  -- The bank's last status for the whole file.
  bank_status text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX bank_files_number ON bank_files (rail, number);
CREATE UNIQUE INDEX bank_files_name ON bank_files (rail, name);
CREATE INDEX bank_files_open ON bank_files (rail, number) WHERE accepted_at IS NULL;
CREATE INDEX bank_files_unsettled ON bank_files (rail, settles_at) WHERE settles_at IS NOT NULL AND settled_at IS NULL;
CREATE INDEX bank_files_message ON bank_files (rail, message_name);
CREATE UNIQUE INDEX bank_files_modifier
  ON bank_files (platform_id, (format->>'destination'), (format->>'origin'), left(made_on, 10), modifier)
  WHERE modifier IS NOT NULL;

-- A payment that waits for a file or is in one, as it was submitted: later changes to an account do not change
-- the file. It has the id of its record in rail_payments. Rows of other kinds have no record: a prenote belongs to the first payment
-- that waits for it, a reversal to the payment that it reverses. The payment_id of an instruction is the mandate.
CREATE TABLE bank_payments (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  payment_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('PAYMENT', 'PRENOTE', 'REVERSAL', 'INSTRUCTION')),
  direction text NOT NULL CHECK (direction IN ('OUT', 'PULL')),
  batch text NOT NULL,
  reference text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  details jsonb NOT NULL,
  file_id uuid REFERENCES bank_files,
  -- The position in its file, starting at 1, and the ACH trace number.
  place integer,
  trace bigint,
  created_at timestamptz NOT NULL,
  CONSTRAINT bank_payments_filed CHECK ((file_id IS NULL) = (place IS NULL)),
  CONSTRAINT bank_payments_amount CHECK (amount >= 0 AND (amount = 0) = (kind IN ('PRENOTE', 'INSTRUCTION')))
);
CREATE INDEX bank_payments_waiting ON bank_payments (rail, created_at, id) WHERE file_id IS NULL;
CREATE UNIQUE INDEX bank_payments_file ON bank_payments (file_id, place) WHERE file_id IS NOT NULL;
CREATE INDEX bank_payments_reference ON bank_payments (rail, reference);
-- Finds the ACH payments and prenotes of an account.
CREATE INDEX bank_payments_account ON bank_payments (rail, (details->>'account')) WHERE details ? 'accountKind';
CREATE INDEX bank_payments_mandate ON bank_payments (rail, (details->'mandate'->>'reference')) WHERE details ? 'mandate';
CREATE INDEX bank_payments_trace ON bank_payments (rail, trace) WHERE trace IS NOT NULL;
CREATE INDEX bank_payments_reversal ON bank_payments (payment_id) WHERE kind = 'REVERSAL';

-- A file from a bank. The id is derived from the rail and a digest of the content, so a file received under two names has one row.
CREATE TABLE bank_inbox_files (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  name text NOT NULL,
  sha256 bytea NOT NULL,
  bytes bigint NOT NULL,
  kind text NOT NULL,
  -- READING: records is the progress. READ: the whole file has taken effect. REFUSED: none of it has.
  state text NOT NULL CHECK (state IN ('READING', 'READ', 'REFUSED')),
  records integer NOT NULL CHECK (records >= 0),
  reason text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT bank_inbox_files_reason CHECK ((state = 'REFUSED') = (reason IS NOT NULL))
);
CREATE INDEX bank_inbox_files_page ON bank_inbox_files (platform_id, created_at DESC, id DESC);
`
