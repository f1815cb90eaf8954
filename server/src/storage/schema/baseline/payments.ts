/**
 * Quotes and transactions. Their rows change after they were written, in columns without an index: the fillfactor leaves room
 * beside them, so that a change stays on its page and needs no index entry.
 */
export const paymentTables = `
CREATE TABLE quotes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null: the platform itself pays.
  customer_id uuid REFERENCES customers,
  state text NOT NULL CHECK (state IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED')),
  -- An account here or elsewhere. Null: the money is paid in when the quote is made, by the network beside.
  source_account_id uuid,
  source_network text,
  -- An account here or elsewhere. Null: the UMA address beside.
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
  -- Of the payment that executing the quote begins. It is written after the quote.
  transaction_id uuid NOT NULL UNIQUE,
  -- How far the money of an account elsewhere is; null where none is pulled, or not yet.
  pull_state text CHECK (pull_state IN ('PENDING', 'PULLED', 'FAILED', 'RETURNED')),
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 60);

-- References to platform and customer are not checked: every payment writes here (decision 0017). No row of those two tables is
-- ever deleted. The columns are those of ROWS in db/commit-arguments.ts, in the same order.
CREATE TABLE transactions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  -- Null: the platform moves its own money.
  customer_id uuid,
  -- What made it. A RECEIPT is money that came in, from outside or from another account here.
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
  -- The way back of money that was not delivered.
  refund jsonb,
  details jsonb NOT NULL,
  receipt_delivery_confirmed_at timestamptz,
  -- The agent that asked for it.
  agent_id uuid,
  settled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX transactions_page ON transactions (platform_id, created_at DESC, id DESC);
CREATE INDEX transactions_customer ON transactions (customer_id, created_at DESC, id DESC);
-- Payments of an account, whoever made them. A transfer is between accounts of its customer: the index above has it.
CREATE INDEX transactions_source ON transactions (source_account_id, created_at DESC, id DESC) WHERE kind IN ('QUOTE', 'RECEIPT');
CREATE INDEX transactions_destination ON transactions (destination_account_id, created_at DESC, id DESC)
  WHERE kind IN ('QUOTE', 'RECEIPT');
-- Money from outside is matched by its reference, which names one transaction.
CREATE UNIQUE INDEX transactions_reference ON transactions (platform_id, reference);
`
