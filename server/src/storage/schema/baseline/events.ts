import { firstParts } from '../monthly.ts'

/**
 * Events, webhooks, and the archives of past months. Every payment writes events, so their references to the
 * platform are not checked (decision 0017).
 */
export const eventTables = `
-- Accounts as events show them, but for their balances: many events show the same one.
CREATE TABLE event_records (
  -- 16 bytes of the SHA-256 of the text.
  digest bytea PRIMARY KEY,
  platform_id uuid NOT NULL,
  text text NOT NULL
);

-- The numbers of the feed are transaction ids plus a base, which continueFeed raises (decision 0087). It is a
-- function, because a condition with one is planned as if its value were written out.
CREATE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 0::bigint';

-- An identity column of a divided table is not one of its parts.
CREATE SEQUENCE events_positions;

-- An event is never changed. Its data is a text, as it is sent: it is written once, read now and
-- then, and never queried. An event of a ledger account has the record and the balances instead (with_balances). The number of an
-- event is unique within a part (monthly.ts).
CREATE TABLE events (
  id uuid NOT NULL,
  position bigint NOT NULL DEFAULT nextval('events_positions'),
  platform_id uuid NOT NULL,
  type text NOT NULL,
  object_id uuid NOT NULL,
  sequence integer NOT NULL,
  data text,
  record bytea,
  available bigint,
  posted bigint,
  -- The trace of its cause, where traces are made.
  traceparent text,
  created_at timestamptz NOT NULL,
  -- The feed is read in the order of transactions: one that commits late has a higher number than all that are shown by then.
  committed_in xid8 NOT NULL DEFAULT (pg_current_xact_id()::text::bigint + feed_base())::text::xid8,
  CONSTRAINT events_data CHECK ((data IS NULL) = (record IS NOT NULL AND available IS NOT NULL AND posted IS NOT NULL)),
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX events_feed ON events (platform_id, committed_in, position);
${firstParts('events')}

-- Failed attempts, and attempts at events in undelivered_events. Events that were received at the first
-- attempt are in webhook_receipts.
CREATE TABLE webhook_attempts (
  event_id uuid NOT NULL,
  attempt integer NOT NULL CHECK (attempt > 0),
  platform_id uuid NOT NULL REFERENCES platforms,
  url text NOT NULL,
  status integer,
  error text,
  answer text,
  duration_ms integer NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT webhook_attempts_outcome CHECK ((status IS NULL) = (error IS NOT NULL)),
  PRIMARY KEY (event_id, attempt)
) PARTITION BY RANGE (event_id);
${firstParts('webhook_attempts')}

-- Events that an endpoint received at the first attempt, together: a row for each tenth of a second in which there were some. The
-- arrays have an element per event.
CREATE TABLE webhook_receipts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  url text NOT NULL,
  -- The places of the first and the last of them in the feed.
  first_committed_in xid8 NOT NULL,
  first_position bigint NOT NULL,
  last_committed_in xid8 NOT NULL,
  last_position bigint NOT NULL,
  event_ids uuid[] NOT NULL,
  statuses integer[] NOT NULL,
  durations_ms integer[] NOT NULL,
  started_at timestamptz[] NOT NULL
);
CREATE INDEX webhook_receipts_feed ON webhook_receipts (platform_id, last_committed_in, last_position);

-- Receivers of events. Events up to the cursor were received, or have a row in undelivered_events. One process at a time sends to an
-- endpoint: it moves the cursor and extends its claim in one statement.
CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- CONFIGURED: the webhookEndpoint of the configuration. REPLAY: the same receiver, for the events of a span of time once more.
  role text NOT NULL CHECK (role IN ('CONFIGURED', 'ADDED', 'REPLAY')),
  url text NOT NULL,
  description text,
  -- Null: all types.
  event_types text[],
  payload text NOT NULL CHECK (payload IN ('FULL', 'THIN')),
  latest_balance_only boolean NOT NULL,
  state text NOT NULL CHECK (state IN ('ENABLED', 'PAUSED', 'DISABLED')),
  disabled_reason text CHECK (disabled_reason IN ('GONE', 'UNREACHABLE')),
  -- The cursor.
  committed_in xid8 NOT NULL,
  position bigint NOT NULL,
  -- The part of the feed that it gets: from the first transaction until before the second one, or without end.
  begins_in xid8 NOT NULL,
  ends_in xid8,
  -- The times of the events that a replay sends.
  events_from timestamptz,
  events_until timestamptz,
  -- The process that sends, in real time.
  claimed_by text,
  claimed_until timestamptz,
  -- By the clock of the platform: how many attempts in a row were in vain, since when, and when the next one may follow.
  failures integer NOT NULL CHECK (failures >= 0),
  failing_since timestamptz,
  retry_at timestamptz,
  last_delivered_at timestamptz,
  last_failure text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz,
  CONSTRAINT webhook_endpoints_replay CHECK ((role = 'REPLAY') = (events_from IS NOT NULL AND events_until IS NOT NULL)),
  CONSTRAINT webhook_endpoints_disabled CHECK ((state = 'DISABLED') = (disabled_reason IS NOT NULL)),
  CONSTRAINT webhook_endpoints_failing CHECK ((failures = 0) = (failing_since IS NULL)),
  CONSTRAINT webhook_endpoints_claim CHECK ((claimed_by IS NULL) = (claimed_until IS NULL))
);
CREATE UNIQUE INDEX webhook_endpoints_one ON webhook_endpoints (platform_id, role) WHERE role <> 'ADDED' AND deleted_at IS NULL;
CREATE INDEX webhook_endpoints_platform ON webhook_endpoints (platform_id, id);
CREATE INDEX webhook_endpoints_enabled ON webhook_endpoints (id) WHERE state = 'ENABLED' AND deleted_at IS NULL;

-- Events that an endpoint has not received although its cursor has passed them, under the ids of the events. One without due_at waits
-- for an earlier one of its object, or was given up. Those beyond the cursor are read from the feed again when another process begins.
CREATE TABLE undelivered_events (
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints DEFERRABLE INITIALLY DEFERRED,
  platform_id uuid NOT NULL,
  object_id uuid NOT NULL,
  type text NOT NULL,
  -- Sent independently of the cursor: a question, a test or a redelivery. Its place in the feed is then 0.
  is_apart boolean NOT NULL,
  -- It was received before: it is not given up as failed.
  was_received boolean NOT NULL,
  committed_in xid8 NOT NULL,
  position bigint NOT NULL,
  attempts integer NOT NULL CHECK (attempts >= 0),
  last_failure text,
  due_at timestamptz,
  gave_up_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT undelivered_events_gave_up CHECK (due_at IS NULL OR gave_up_at IS NULL),
  PRIMARY KEY (id, endpoint_id)
);
CREATE INDEX undelivered_events_endpoint ON undelivered_events (endpoint_id, committed_in, position);
CREATE INDEX undelivered_events_due ON undelivered_events (endpoint_id, due_at) WHERE due_at IS NOT NULL;

-- Faults of the sandbox in the delivery of events, until they have happened.
CREATE TABLE webhook_faults (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  fault text NOT NULL CHECK (fault IN ('duplicate', 'reorder'))
);

-- The secrets themselves are not stored: each derives from the data key of this generation and its own id.
CREATE TABLE webhook_secrets (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null: of the webhookEndpoint of the configuration.
  endpoint_id uuid REFERENCES webhook_endpoints,
  key_generation integer NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null: the current one.
  expires_at timestamptz
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (platform_id) WHERE expires_at IS NULL AND endpoint_id IS NULL;
CREATE UNIQUE INDEX webhook_secrets_of_endpoint ON webhook_secrets (endpoint_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secrets_platform ON webhook_secrets (platform_id, expires_at);

-- Parts of tables that were detached, and the files that their rows are in.
CREATE TABLE archives (
  -- Of the part.
  name text PRIMARY KEY,
  of_table text NOT NULL,
  -- Before this id.
  until_id uuid NOT NULL,
  detached_at timestamptz NOT NULL,
  -- Once the rows are in a file and gone from here.
  file text,
  row_count bigint,
  -- Of the file.
  sha256 bytea,
  written_at timestamptz,
  CONSTRAINT archives_written CHECK (num_nulls(file, row_count, sha256, written_at) IN (0, 4))
);

-- Objects that have events in archives: an event that comes later has the next number.
CREATE TABLE archived_events (
  object_id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  last_sequence integer NOT NULL
);
`
