/**
 * Events and their webhooks, due work, and answers kept for repeated requests. Every payment writes events, jobs and idempotency
 * keys, so their reference to the platform is not checked (decision 0017).
 */
export const workTables = `
-- Accounts as events show them, but for their balances: many events show the same one.
CREATE TABLE event_records (
  -- 16 bytes of the SHA-256 of the text.
  digest bytea PRIMARY KEY,
  platform_id uuid NOT NULL,
  text text NOT NULL
);

-- An event is never changed: what becomes of its delivery is stored beside it. Its data is a text, as it is sent: it is written
-- once, read now and then, and never queried. Of an account of the ledger it has the record and the balances (with_balances).
CREATE TABLE events (
  id uuid PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY,
  platform_id uuid NOT NULL,
  type text NOT NULL,
  object_id uuid NOT NULL,
  sequence integer NOT NULL,
  data text,
  record bytea,
  available bigint,
  posted bigint,
  created_at timestamptz NOT NULL,
  -- The feed is read in the order of transactions: one that commits late has a higher number than all that are shown by then.
  committed_in xid8 NOT NULL DEFAULT pg_current_xact_id(),
  UNIQUE (object_id, sequence),
  CONSTRAINT events_data CHECK ((data IS NULL) = (record IS NOT NULL AND available IS NOT NULL AND posted IS NOT NULL))
);
CREATE INDEX events_feed ON events (platform_id, committed_in, position);

-- Of events that were tried or that another one waits for. A delivery is due where there is a job for it, whose payload names
-- the event; the object too where the event must wait for earlier ones of that object, and its sequence once that was read.
-- The references are checked at the commit: a TEST event is tried before it is written, and all of it is written at once.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY REFERENCES events DEFERRABLE INITIALLY DEFERRED,
  platform_id uuid NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer NOT NULL CHECK (attempts >= 0),
  -- How often it was asked for again.
  redeliveries integer NOT NULL CHECK (redeliveries >= 0),
  -- A later event of the same object waits for this one to end.
  is_awaited boolean NOT NULL,
  ended_at timestamptz,
  CONSTRAINT webhook_deliveries_ended_at CHECK ((state = 'PENDING') = (ended_at IS NULL))
);

CREATE TABLE webhook_attempts (
  event_id uuid NOT NULL REFERENCES events DEFERRABLE INITIALLY DEFERRED,
  attempt integer NOT NULL CHECK (attempt > 0),
  platform_id uuid NOT NULL REFERENCES platforms,
  url text NOT NULL,
  status integer,
  error text,
  answer text,
  duration_ms integer NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (event_id, attempt),
  CONSTRAINT webhook_attempts_outcome CHECK ((status IS NULL) = (error IS NOT NULL))
);

-- The secrets themselves are not stored: each derives from the data key of this generation and its own id.
CREATE TABLE webhook_secrets (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  key_generation integer NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null: the current one.
  expires_at timestamptz
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (platform_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secrets_platform ON webhook_secrets (platform_id, expires_at);

-- Due work. It is claimed lane by lane (jobs/lanes.ts): a backlog of one lane is not read through for the work of another.
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
  WHERE kind NOT IN ('message.deliver', 'webhook.ask', 'webhook.deliver');
CREATE INDEX jobs_due_messages ON jobs (platform_id, due_at, id) WHERE kind = 'message.deliver';
CREATE INDEX jobs_due_questions ON jobs (platform_id, due_at, id) WHERE kind IN ('webhook.ask');
CREATE INDEX jobs_due_webhooks ON jobs (platform_id, due_at, id) WHERE kind = 'webhook.deliver';
CREATE INDEX jobs_webhook_event ON jobs ((right(payload->>'eventId', 36)::uuid))
  WHERE kind IN ('webhook.ask', 'webhook.deliver');
CREATE INDEX jobs_webhook_queue ON jobs ((payload->>'objectId'), ((payload->>'sequence')::integer))
  WHERE kind IN ('webhook.ask', 'webhook.deliver');

-- Answers of requests that have an idempotency key. The scope says who asked for what. The digest is of both (key_digest).
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
-- Rows are written in the order of this time, nearly.
CREATE INDEX idempotency_keys_expiry ON idempotency_keys USING brin (expires_at) WITH (autosummarize = on);
`
