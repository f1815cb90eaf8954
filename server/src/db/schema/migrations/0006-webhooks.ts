/**
 * Webhooks. An event is never changed: what becomes of its delivery is beside it. Due is a delivery where there is a job
 * for it, whose payload names the event; the object too where it must wait for earlier events of that object, and the
 * number of the event within it once somebody has looked.
 */
export const webhooks = `
-- The feed is read in the order of transactions: one that commits late has a number above all that are shown by then.
ALTER TABLE events ADD COLUMN committed_in xid8 NOT NULL DEFAULT pg_current_xact_id();
ALTER TABLE events DROP CONSTRAINT events_position_key;
CREATE INDEX events_feed ON events (platform_id, committed_in, position);

CREATE INDEX jobs_webhook_event ON jobs ((payload->>'eventId')) WHERE kind = 'webhook.deliver';
CREATE INDEX jobs_webhook_queue ON jobs ((payload->>'objectId'), ((payload->>'sequence')::integer))
  WHERE kind = 'webhook.deliver';

-- Of events that were tried or that another one waits for. A TEST is tried before it is written, and all of it is
-- written at once: that the event is there is looked at in the end.
CREATE TABLE webhook_deliveries (
  id text PRIMARY KEY REFERENCES events DEFERRABLE INITIALLY DEFERRED,
  platform_id text NOT NULL REFERENCES platforms,
  state text NOT NULL CHECK (state IN ('PENDING', 'DELIVERED', 'FAILED')),
  attempts integer NOT NULL CHECK (attempts >= 0),
  redeliveries integer NOT NULL CHECK (redeliveries >= 0),
  is_awaited boolean NOT NULL,
  ended_at timestamptz,
  CONSTRAINT webhook_deliveries_ended_at CHECK ((state = 'PENDING') = (ended_at IS NULL))
);

CREATE TABLE webhook_attempts (
  event_id text NOT NULL REFERENCES events DEFERRABLE INITIALLY DEFERRED,
  attempt integer NOT NULL CHECK (attempt > 0),
  platform_id text NOT NULL REFERENCES platforms,
  url text NOT NULL,
  status integer,
  error text,
  answer text,
  duration_ms integer NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (event_id, attempt),
  CONSTRAINT webhook_attempts_outcome CHECK ((status IS NULL) = (error IS NOT NULL))
);

-- The secrets themselves derive from the enclave's data key and the id.
CREATE TABLE webhook_secrets (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  created_at timestamptz NOT NULL,
  expires_at timestamptz
);
CREATE UNIQUE INDEX webhook_secrets_current ON webhook_secrets (platform_id) WHERE expires_at IS NULL;
CREATE INDEX webhook_secrets_platform ON webhook_secrets (platform_id, expires_at);
INSERT INTO webhook_secrets (id, platform_id, created_at)
  SELECT 'WebhookSecret:' || split_part(id, ':', 2), id, created_at FROM platforms;
`
