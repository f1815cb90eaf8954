/**
 * Quotes, transactions, positions (decision 0046) and screenings (decision 0049). Later updates of quotes and
 * transactions touch only columns without an index, and the fillfactor leaves free space on each page: so the
 * new version stays on the page and needs no index entries.
 *
 * The references of rows that each payment writes to platform and customer are not checked (decision 0017):
 * rows of those two tables are never deleted.
 */
export const paymentTables = `
CREATE TABLE quotes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  -- Null if the platform itself pays.
  customer_id uuid,
  state text NOT NULL CHECK (state IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED')),
  -- An internal or external account. Null if the money is paid in through source_network after the quote is created.
  source_account_id uuid,
  source_network text,
  -- An internal or external account. Null if destination_uma is set.
  destination_account_id uuid,
  destination_uma text,
  payment_rail text,
  sending_currency text NOT NULL,
  receiving_currency text NOT NULL,
  sending_amount bigint NOT NULL CHECK (sending_amount > 0),
  receiving_amount bigint NOT NULL CHECK (receiving_amount > 0),
  fees bigint NOT NULL CHECK (fees >= 0),
  pricing jsonb NOT NULL,
  request jsonb NOT NULL,
  signing_request_id uuid REFERENCES signing_requests,
  -- The payment started by executing the quote. It is written after the quote.
  transaction_id uuid NOT NULL UNIQUE,
  -- The state of the pull from an external account. Null without a pull, or before it starts.
  pull_state text CHECK (pull_state IN ('PENDING', 'PULLED', 'FAILED', 'RETURNED')),
  -- The limit on the platform's position while the quote counts as a conversion in progress (decision 0046). It has no index, so
  -- it costs payments nothing if positions are unlimited.
  position_limit bigint,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT quotes_position_limit CHECK (position_limit IS NULL OR (state = 'PROCESSING' AND position_limit >= 0))
) WITH (fillfactor = 60);
CREATE INDEX quotes_page ON quotes (platform_id, created_at DESC, id DESC);
CREATE INDEX quotes_customer ON quotes (customer_id, created_at DESC, id DESC);
CREATE INDEX quotes_signing_request ON quotes (signing_request_id) WHERE signing_request_id IS NOT NULL;

-- Columns are in the order of ROWS in rows/row-columns.ts, as in every table named there.
CREATE TABLE transactions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  -- Null if the platform moves its own money.
  customer_id uuid,
  -- The kind of operation that created it. A RECEIPT is money from outside or from another internal account.
  kind text NOT NULL CHECK (kind IN ('QUOTE', 'TRANSFER_IN', 'TRANSFER_OUT', 'RECEIPT')),
  type text NOT NULL CHECK (type IN ('INCOMING', 'OUTGOING')),
  direction text NOT NULL CHECK (direction IN ('CREDIT', 'DEBIT')),
  state text NOT NULL CHECK (state IN
    ('CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'REFUNDED', 'EXPIRED')),
  source_account_id uuid,
  destination_account_id uuid,
  source_identifier text,
  destination_identifier text,
  sent_amount bigint,
  sent_currency text,
  received_amount bigint,
  received_currency text,
  fees bigint,
  quote_id uuid REFERENCES quotes,
  hold_id uuid,
  payment_rail text,
  remittance_information text,
  description text,
  reference text NOT NULL,
  failure_reason text,
  -- The refund of undelivered money.
  refund jsonb,
  details jsonb NOT NULL,
  receipt_delivery_confirmed_at timestamptz,
  -- The agent that requested it.
  agent_id uuid,
  settled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX transactions_page ON transactions (platform_id, created_at DESC, id DESC);
CREATE INDEX transactions_customer ON transactions (customer_id, created_at DESC, id DESC);
-- Finds payments of an account by any customer. The index above covers transfers, which stay with one customer.
CREATE INDEX transactions_source ON transactions (source_account_id, created_at DESC, id DESC) WHERE kind IN ('QUOTE', 'RECEIPT');
CREATE INDEX transactions_destination ON transactions (destination_account_id, created_at DESC, id DESC)
  WHERE kind IN ('QUOTE', 'RECEIPT');
-- Incoming money is matched by its reference, which identifies one transaction.
CREATE UNIQUE INDEX transactions_reference ON transactions (platform_id, reference);

-- Totals of the quotes with a position_limit, by currency. Only the function fx_in_flight writes them.
CREATE TABLE fx_in_flight (
  platform_id uuid NOT NULL REFERENCES platforms,
  currency text NOT NULL,
  bought bigint NOT NULL CHECK (bought >= 0),
  sold bigint NOT NULL CHECK (sold >= 0),
  PRIMARY KEY (platform_id, currency)
) WITH (fillfactor = 50);

-- Screened chain addresses. The id is derived from the direction and the payment or deposit, so each is screened
-- once and keeps its result.
CREATE TABLE screenings (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  direction text NOT NULL CHECK (direction IN ('PAY', 'CREDIT')),
  network text NOT NULL,
  address text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  -- The payment to the address, or the deposit from it.
  transaction_id uuid,
  deposit_id uuid,
  -- CLEAR: not on a list. WAITING: held until a person decides. RELEASED, REJECTED: the decision.
  state text NOT NULL CHECK (state IN ('CLEAR', 'WAITING', 'RELEASED', 'REJECTED')),
  -- The list that contains the address, and the entry in it.
  list text,
  detail text,
  note text,
  decided_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT screenings_subject CHECK
    (CASE direction WHEN 'PAY' THEN transaction_id IS NOT NULL AND deposit_id IS NULL ELSE deposit_id IS NOT NULL AND transaction_id IS NULL END),
  CONSTRAINT screenings_list CHECK (num_nonnulls(list, detail) = CASE state WHEN 'CLEAR' THEN 0 ELSE 2 END),
  CONSTRAINT screenings_decided CHECK ((decided_at IS NOT NULL) = (state IN ('RELEASED', 'REJECTED')))
) WITH (fillfactor = 90);
CREATE INDEX screenings_page ON screenings (platform_id, created_at DESC, id DESC);
CREATE INDEX screenings_hits ON screenings (platform_id, state, created_at DESC, id DESC) WHERE state <> 'CLEAR';

-- Pulled money that the account cannot spend yet (decision 0085). While it is HELD, the pending transfer hold_id holds the amount.
CREATE TABLE funds_holds (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  account_id uuid NOT NULL REFERENCES internal_accounts,
  -- Null if the account is the platform's own.
  customer_id uuid REFERENCES customers,
  -- A transfer has at most one hold.
  transaction_id uuid NOT NULL UNIQUE,
  hold_id uuid NOT NULL,
  rail text,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  rule jsonb NOT NULL,
  state text NOT NULL CHECK (state IN ('HELD', 'RELEASED', 'LIFTED', 'RETURNED')),
  release_at timestamptz NOT NULL,
  note text,
  ended_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT funds_holds_ended CHECK ((ended_at IS NULL) = (state = 'HELD')),
  CONSTRAINT funds_holds_note CHECK ((note IS NULL) = (state <> 'LIFTED'))
) WITH (fillfactor = 90);
CREATE INDEX funds_holds_page ON funds_holds (platform_id, created_at DESC, id DESC);
CREATE INDEX funds_holds_account ON funds_holds (account_id, created_at DESC, id DESC);

-- Payments counted against the limits of their customer and payee, with those limits. A payment is counted when it starts,
-- and stays counted whatever its outcome.
CREATE TABLE velocity_uses (
  platform_id uuid NOT NULL,
  transaction_id uuid NOT NULL,
  subject text NOT NULL CHECK (subject IN ('CUSTOMER', 'PAYEE')),
  -- A digest of the customer's id, or the payee's account or address.
  subject_digest text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  -- 2025-10-13 and 2025-10, in UTC.
  day text NOT NULL,
  month text NOT NULL,
  -- Null if unlimited.
  day_count_max integer,
  day_amount_max bigint,
  month_count_max integer,
  month_amount_max bigint,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (transaction_id, subject)
);

-- Totals of velocity_uses by day and by month. Only the function velocity_used writes them.
CREATE TABLE velocity_counters (
  platform_id uuid NOT NULL REFERENCES platforms,
  subject text NOT NULL,
  subject_digest text NOT NULL,
  period text NOT NULL,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount >= 0),
  count integer NOT NULL CHECK (count >= 0),
  PRIMARY KEY (platform_id, subject, subject_digest, period, currency)
);
`
