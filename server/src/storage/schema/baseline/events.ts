import { firstParts } from '../monthly.ts'

/**
 * Events and their webhooks, and the archives of past months. Every payment writes events, so their reference to the platform is not
 * checked (decision 0017).
 */
export const eventTables = `
-- Accounts as events show them, but for their balances: many events show the same one.
CREATE TABLE event_records (
  -- 16 bytes of the SHA-256 of the text.
  digest bytea PRIMARY KEY,
  platform_id uuid NOT NULL,
  text text NOT NULL
);

-- The numbers of the feed are those of transactions plus a base, which continueFeed raises (decision 0056). It is a function,
-- because a condition with one is planned as if its value were written out.
CREATE FUNCTION feed_base() RETURNS bigint LANGUAGE sql STABLE AS 'SELECT 0::bigint';

-- An identity column of a divided table is not one of its parts.
CREATE SEQUENCE events_positions;

-- An event is never changed: its delivery has rows of its own. Its data is a text, as it is sent: it is written once, read now and
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
  created_at timestamptz NOT NULL,
  -- The feed is read in the order of transactions: one that commits late has a higher number than all that are shown by then.
  committed_in xid8 NOT NULL DEFAULT (pg_current_xact_id()::text::bigint + feed_base())::text::xid8,
  CONSTRAINT events_data CHECK ((data IS NULL) = (record IS NOT NULL AND available IS NOT NULL AND posted IS NOT NULL)),
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX events_feed ON events (platform_id, committed_in, position);
${firstParts('events')}

-- Of events that were tried or that another one waits for. A delivery is due where there is a job for it, whose payload names
-- the event; the object too where the event must wait for earlier ones of that object, and its sequence once that was read.
CREATE TABLE webhook_deliveries (
  id uuid NOT NULL,
  platform_id uuid NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer NOT NULL CHECK (attempts >= 0),
  -- How often it was asked for again.
  redeliveries integer NOT NULL CHECK (redeliveries >= 0),
  -- A later event of the same object waits for this one to end.
  is_awaited boolean NOT NULL,
  ended_at timestamptz,
  CONSTRAINT webhook_deliveries_ended_at CHECK ((state = 'PENDING') = (ended_at IS NULL)),
  PRIMARY KEY (id)
) PARTITION BY RANGE (id);
CREATE INDEX webhook_deliveries_state ON webhook_deliveries (platform_id, state, ended_at);
${firstParts('webhook_deliveries')}

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

-- Receivers of events that platforms have added to the webhookEndpoint of their configuration. Events up to the cursor were received,
-- or have a row in webhook_failures. One process at a time sends to an endpoint: it moves the cursor and extends its claim in one statement.
CREATE TABLE webhook_endpoints (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
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
  CONSTRAINT webhook_endpoints_disabled CHECK ((state = 'DISABLED') = (disabled_reason IS NOT NULL)),
  CONSTRAINT webhook_endpoints_failing CHECK ((failures = 0) = (failing_since IS NULL)),
  CONSTRAINT webhook_endpoints_claim CHECK ((claimed_by IS NULL) = (claimed_until IS NULL))
);
CREATE INDEX webhook_endpoints_platform ON webhook_endpoints (platform_id, id) WHERE deleted_at IS NULL;
CREATE INDEX webhook_endpoints_enabled ON webhook_endpoints (id) WHERE state = 'ENABLED' AND deleted_at IS NULL;

-- Events that their endpoint has not received. One without due_at waits for an earlier one of its object, or was given up. Those
-- beyond the cursor are read from the feed again when another process begins.
CREATE TABLE webhook_failures (
  endpoint_id uuid NOT NULL REFERENCES webhook_endpoints,
  event_id uuid NOT NULL,
  platform_id uuid NOT NULL,
  object_id uuid NOT NULL,
  type text NOT NULL,
  committed_in xid8 NOT NULL,
  position bigint NOT NULL,
  attempts integer NOT NULL CHECK (attempts >= 0),
  last_failure text,
  due_at timestamptz,
  gave_up_at timestamptz,
  created_at timestamptz NOT NULL,
  CONSTRAINT webhook_failures_gave_up CHECK (due_at IS NULL OR gave_up_at IS NULL),
  PRIMARY KEY (event_id, endpoint_id)
);
CREATE INDEX webhook_failures_endpoint ON webhook_failures (endpoint_id, committed_in, position);
CREATE INDEX webhook_failures_due ON webhook_failures (endpoint_id, due_at) WHERE due_at IS NOT NULL;

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
