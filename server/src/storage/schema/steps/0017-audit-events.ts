/** Who has changed what. Decision 0055. */
export const auditEvents = `
CREATE TABLE audit_events (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
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
  created_at timestamptz NOT NULL
);
CREATE INDEX audit_events_list ON audit_events (platform_id, created_at, id);
CREATE INDEX audit_events_object ON audit_events (object_id, created_at, id);
CREATE INDEX audit_events_customer ON audit_events (customer_id, created_at, id);
-- Nearly all rows are of tokens, which are few: theirs are found by time.
CREATE INDEX audit_events_actor ON audit_events (actor_id, created_at, id) WHERE actor_type <> 'TOKEN';
`
