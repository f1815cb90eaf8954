import { buildFirstParts } from '../monthly.ts'

/**
 * Changes and who made them (decision 0055), and the requests of the last days. Payments write both, so their
 * references to the platform are not checked (decision 0017). An entry is found by the time contained in its
 * id.
 */
export const auditTables = `
CREATE TABLE audit_events (
  id uuid NOT NULL,
  platform_id uuid NOT NULL,
  actor_type text NOT NULL CHECK (actor_type IN ('MEMBER', 'TOKEN', 'AGENT', 'CUSTOMER', 'OPERATOR')),
  actor_id uuid,
  actor_name text,
  wallet_session_id uuid,
  operation text NOT NULL,
  object_id uuid,
  customer_id uuid,
  -- The X-Request-Id of the call.
  request text NOT NULL,
  address text,
  user_agent text,
  before jsonb,
  after jsonb,
  -- The time contained in the id.
  created_at timestamptz NOT NULL,
  PRIMARY KEY (platform_id, created_at, id)
) PARTITION BY RANGE (id);
CREATE INDEX audit_events_object ON audit_events (object_id, created_at, id);
CREATE INDEX audit_events_customer ON audit_events (customer_id, created_at, id);
-- Nearly all rows belong to tokens, which are few, so those rows are found by time.
CREATE INDEX audit_events_actor ON audit_events (actor_id, created_at, id) WHERE actor_type <> 'TOKEN';
${buildFirstParts('audit_events')}

CREATE TABLE logged_requests (
  id uuid NOT NULL,
  platform_id uuid NOT NULL,
  -- The unique id created by the server, and the X-Request-Id sent by the caller.
  request text NOT NULL,
  caller_request text,
  method text NOT NULL,
  path text NOT NULL,
  query text,
  status integer NOT NULL,
  code text,
  duration_ms integer NOT NULL,
  actor_type text,
  actor_id uuid,
  actor_name text,
  operation text NOT NULL,
  idempotency_key text,
  address text,
  user_agent text,
  request_body text,
  response_body text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Every request writes a row, so every index has a cost. The id of a request contains its time.
  PRIMARY KEY (platform_id, created_at, id)
);
-- Rows are written almost in the order of this time.
CREATE INDEX logged_requests_expiry ON logged_requests USING brin (expires_at) WITH (autosummarize = on);
CREATE INDEX logged_requests_caller_request ON logged_requests (caller_request) WHERE caller_request IS NOT NULL;
`
