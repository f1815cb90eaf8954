/**
 * Jobs, responses stored for idempotent replays, and request counts. Every payment writes jobs and
 * idempotency keys, so their references to the platform are not checked (decision 0017).
 */
export const workTables = `
-- Due work, claimed lane by lane (outbox/lanes.ts), so that a backlog in one lane is not scanned for jobs of another.
CREATE TABLE jobs (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  kind text NOT NULL,
  payload jsonb NOT NULL,
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  claimed_until timestamptz,
  last_error text,
  created_at timestamptz NOT NULL
);
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id)
  WHERE kind NOT IN ('customers.import', 'message.deliver', 'deposit-account.open', 'deposit.return',
    'external-account.check', 'rail-payment.cancel', 'transaction.pull', 'transaction.refund', 'transaction.settle',
    'transfer.settle');
-- A rail may take seconds to respond, so nothing else waits for payments.
CREATE INDEX jobs_due_payments ON jobs (platform_id, due_at, id)
  WHERE kind IN ('deposit-account.open', 'deposit.return', 'external-account.check', 'rail-payment.cancel', 'transaction.pull',
    'transaction.refund', 'transaction.settle', 'transfer.settle');
-- A long file delays neither payments nor other platforms.
CREATE INDEX jobs_due_imports ON jobs (platform_id, due_at, id) WHERE kind IN ('customers.import');
CREATE INDEX jobs_due_messages ON jobs (platform_id, due_at, id) WHERE kind = 'message.deliver';

-- Stored responses of requests with an idempotency key. The scope identifies caller and call. The digest covers both (key_digest).
CREATE TABLE idempotency_keys (
  digest bytea PRIMARY KEY,
  scope text NOT NULL,
  key text NOT NULL,
  platform_id uuid NOT NULL,
  request_hash bytea NOT NULL,
  status integer NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL
);
-- Rows are written almost in the order of this time.
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING brin (expires_at) WITH (autosummarize = on);

CREATE TABLE request_counts (
  -- 'token Token:…', 'person Agent:…', 'address 192.0.2.7'.
  caller text NOT NULL,
  -- Minutes since 1970.
  window_number bigint NOT NULL,
  -- A random name of the process.
  server text NOT NULL,
  count bigint NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (caller, window_number, server)
);
CREATE INDEX request_counts_expired ON request_counts (expires_at);
`
