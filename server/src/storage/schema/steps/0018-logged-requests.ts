/** The requests of the last days. Their times are real. */
export const loggedRequests = `
CREATE TABLE logged_requests (
  id uuid NOT NULL,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- The X-Request-Id of the answer. A caller may choose it, also twice.
  request text NOT NULL,
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
  -- Each request of a platform writes a row, and each index costs it.
  PRIMARY KEY (platform_id, created_at, id)
);
CREATE INDEX logged_requests_request ON logged_requests (request);
CREATE INDEX logged_requests_expired ON logged_requests (expires_at);
`
