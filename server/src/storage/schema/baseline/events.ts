import { buildFirstParts } from '../monthly.ts'

/**
 * Events, webhooks, and the archives of past months. Every payment writes events, so their references to the
 * platform are not checked (decision 0017).
 */
export const eventTables = `
-- Accounts as events show them, without balances. Many events share a record.
CREATE TABLE event_records (
  -- The first 16 bytes of the record's SHA-256.
  digest bytea PRIMARY KEY,
  platform_id uuid NOT NULL,
  text text NOT NULL
);

-- Feed numbers are transaction ids plus a base, which continueFeed raises (decision 0087). The base is a
-- function, because PostgreSQL plans conditions with a function as if its value were a constant.
CREATE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 0::bigint';

-- The identity column of a partitioned table does not exist in its partitions.
CREATE SEQUENCE events_positions;

-- Events never change. The data is the text that is sent: it is written once, read occasionally
-- and never queried. Events of ledger accounts have a record and balances instead (with_balances). The number of an
-- event is unique within a partition (monthly.ts).
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
  -- The trace of its cause, if tracing is enabled.
  traceparent text,
  created_at timestamptz NOT NULL,
  -- The feed is read in the order of transactions. A transaction that commits late has a higher number than all events shown before.
  committed_in xid8 NOT NULL DEFAULT (pg_current_xact_id()::text::bigint + feed_base())::text::xid8,
  CONSTRAINT events_data CHECK ((data IS NULL) = (record IS NOT NULL AND available IS NOT NULL AND posted IS NOT NULL)),
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX events_feed ON events (platform_id, committed_in, position);
${buildFirstParts('events')}

-- Failed attempts, and attempts for events in undelivered_events. Events received on the first
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
${buildFirstParts('webhook_attempts')}

-- Events that an endpoint received on the first attempt, with one row per tenth of a second. The
-- arrays have one element per event.
CREATE TABLE webhook_receipts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  url text NOT NULL,
  -- The feed positions of the first and last event.
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
  -- CONFIGURED: the configured webhookEndpoint. REPLAY: the same receiver, getting the events of a past period again.
  role text NOT NULL CHECK (role IN ('CONFIGURED', 'ADDED', 'REPLAY')),
  url text NOT NULL,
  description text,
  -- Null for all types.
  event_types text[],
  payload text NOT NULL CHECK (payload IN ('FULL', 'THIN')),
  latest_balance_only boolean NOT NULL,
  state text NOT NULL CHECK (state IN ('ENABLED', 'PAUSED', 'DISABLED')),
  disabled_reason text CHECK (disabled_reason IN ('GONE', 'UNREACHABLE')),
  -- The cursor, which is the last event that was received or recorded as undelivered.
  committed_in xid8 NOT NULL,
  position bigint NOT NULL,
  -- The part of the feed that it receives, from the first transaction up to but not including the second. Null means no end.
  begins_in xid8 NOT NULL,
  ends_in xid8,
  -- The time range of the events that a replay sends.
  events_from timestamptz,
  events_until timestamptz,
  -- The claim of the sending process, in real time.
  claimed_by text,
  claimed_until timestamptz,
  -- In platform time: the number of failed attempts in a row, the time of the first, and the earliest time for the next attempt.
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

-- Events that an endpoint has not received although its cursor has passed them, by event id. A row without due_at waits
-- for an earlier event of its object, or was given up. Events beyond the cursor are read from the feed again by the next process.
CREATE TABLE undelivered_events (
  id uuid NOT NULL,
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints DEFERRABLE INITIALLY DEFERRED,
  platform_id uuid NOT NULL,
  object_id uuid NOT NULL,
  type text NOT NULL,
  -- True if sent independently of the cursor, as a question, test or redelivery. The position in the feed is then 0.
  is_apart boolean NOT NULL,
  -- True if it was received before, so it is never given up as failed.
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

-- Sandbox faults in the delivery of events, kept until they have occurred.
CREATE TABLE webhook_faults (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  fault text NOT NULL CHECK (fault IN ('duplicate', 'reorder'))
);

-- Secrets are not stored: each one is derived from the data key of this generation and the row's id.
CREATE TABLE webhook_secrets (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null for the configured webhookEndpoint.
  endpoint_id uuid REFERENCES webhook_endpoints,
  key_generation integer NOT NULL,
  created_at timestamptz NOT NULL,
  -- Null for the current secret.
  expires_at timestamptz
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (platform_id) WHERE expires_at IS NULL AND endpoint_id IS NULL;
CREATE UNIQUE INDEX webhook_secrets_of_endpoint ON webhook_secrets (endpoint_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secrets_platform ON webhook_secrets (platform_id, expires_at);

-- Detached partitions, and the files that contain their rows.
CREATE TABLE archives (
  -- The name of the partition.
  name text PRIMARY KEY,
  of_table text NOT NULL,
  -- The ids of all rows are lower than this.
  until_id uuid NOT NULL,
  detached_at timestamptz NOT NULL,
  -- Set once the rows are in a file and removed from the database.
  file text,
  row_count bigint,
  -- The SHA-256 of the file.
  sha256 bytea,
  written_at timestamptz,
  CONSTRAINT archives_written CHECK (num_nulls(file, row_count, sha256, written_at) IN (0, 4))
);

-- Objects with archived events, whose later events continue the numbering.
CREATE TABLE archived_events (
  object_id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  last_sequence integer NOT NULL
);
`
