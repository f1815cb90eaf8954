/** What is given to rails, what comes in by them, and what they report. */
export const rails = `
-- A payment or a pull that was given to a rail. Written with what begins it, before the rail hears of it. The id follows from
-- direction and payment, so there is one row for each.
CREATE TABLE rail_payments (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  -- It stays with this rail, whatever the rails file says later.
  rail text NOT NULL,
  direction text NOT NULL CHECK (direction IN ('OUT', 'PULL')),
  -- Its name at the rail: a transaction; a deposit or a quote whose money goes back.
  payment_id uuid NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  -- GIVEN: nobody has said yet that the rail has it.
  state text NOT NULL CHECK (state IN ('GIVEN', 'ACCEPTED', 'DELIVERED', 'FAILED', 'RETURNED', 'CANCELLED')),
  -- What names it at both ends.
  reference text NOT NULL,
  -- The rail's own name for it.
  rail_reference text,
  transaction_hash text,
  failure jsonb,
  -- When it is given to the rail: later than it was made where the rail was closed.
  submit_at timestamptz NOT NULL,
  -- When the money went, and when it came back, as the rail has it.
  delivered_at timestamptz,
  returned_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
) WITH (fillfactor = 60);
-- What has not ended, by its rail: reconciliation looks no further back than the oldest.
CREATE INDEX rail_payments_open ON rail_payments (rail, created_at) WHERE state IN ('GIVEN', 'ACCEPTED');

-- Where others pay in: for an account, or for all of a currency, and then the payer states a reference.
CREATE TABLE deposit_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  currency text NOT NULL,
  -- The account that is paid in to. Null: the pool of the currency.
  account_id uuid REFERENCES internal_accounts,
  -- The reference that the rail was told for it.
  reference text NOT NULL,
  -- What the rail answered; null until then.
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

-- Where an account is paid in to, by its rails: copied here once a rail has opened it, because each answer and event with the account
-- shows it. A list of {rail, accountOrWalletInfo, instructionsNotes}.
ALTER TABLE internal_accounts ADD COLUMN funding jsonb;

-- Money that came in. The id follows from the rail and its own name for it, so each is counted once.
CREATE TABLE deposits (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  rail_reference text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  -- SUSPENSE: it waits for a person. PENDING: it waits for the platform's word, or for its credit.
  state text NOT NULL CHECK (state IN ('SUSPENSE', 'PENDING', 'CREDITED', 'FUNDED', 'RETURNING', 'RETURNED', 'REVERSED')),
  -- Why it is in suspense, or goes back.
  reason text,
  -- All that the rail said of it.
  details jsonb NOT NULL,
  -- What it was credited to, and the record of that.
  account_id uuid REFERENCES internal_accounts,
  transaction_id uuid,
  received_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX deposits_page ON deposits (platform_id, created_at DESC, id DESC);
CREATE INDEX deposits_suspense ON deposits (platform_id, created_at DESC, id DESC) WHERE state = 'SUSPENSE';
CREATE INDEX deposits_transaction ON deposits (transaction_id) WHERE transaction_id IS NOT NULL;

-- What rails have reported. The id follows from the rail and its own id of the event, so each takes effect once.
CREATE TABLE rail_events (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  type text NOT NULL,
  body jsonb NOT NULL,
  -- WAITING: it fits nothing that we know, and waits for a person.
  state text NOT NULL CHECK (state IN ('APPLIED', 'WAITING', 'RESOLVED')),
  reason text,
  note text,
  resolved_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT rail_events_reason CHECK ((state = 'APPLIED') = (reason IS NULL)),
  CONSTRAINT rail_events_resolved CHECK ((state = 'RESOLVED') = (resolved_at IS NOT NULL))
);
CREATE INDEX rail_events_waiting ON rail_events (platform_id, created_at DESC, id DESC) WHERE state <> 'APPLIED';

-- Payments have a lane of their own: a rail may take seconds to answer, and nothing else waits for it.
DROP INDEX jobs_due_main;
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id)
  WHERE kind NOT IN ('customers.import', 'message.deliver', 'deposit-account.open', 'deposit.return',
    'external-account.check', 'rail-payment.cancel', 'transaction.pull', 'transaction.refund', 'transaction.settle',
    'transfer.settle', 'webhook.ask', 'webhook.deliver');
CREATE INDEX jobs_due_payments ON jobs (platform_id, due_at, id)
  WHERE kind IN ('deposit-account.open', 'deposit.return', 'external-account.check', 'rail-payment.cancel', 'transaction.pull',
    'transaction.refund', 'transaction.settle', 'transfer.settle');
`
