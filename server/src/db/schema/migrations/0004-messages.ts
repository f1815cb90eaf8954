/**
 * Messages to people: each has a one-time code in it, so its content is sealed by the enclave and, in production, gone
 * once the message is delivered or given up.
 */
export const messages = `
CREATE TABLE messages (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'SMS')),
  state text NOT NULL CHECK (state IN ('QUEUED', 'DELIVERED', 'FAILED')),
  recipient text NOT NULL,
  customer_id text REFERENCES customers,
  account_id text NOT NULL REFERENCES internal_accounts,
  credential_id text NOT NULL REFERENCES credentials,
  challenge_id text NOT NULL REFERENCES otp_challenges,
  subject text,
  sealed_content bytea,
  attempts integer NOT NULL CHECK (attempts >= 0),
  failure_reason text CHECK (failure_reason IN ('EXPIRED', 'REPLACED', 'REFUSED')),
  expires_at timestamptz NOT NULL,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT messages_queued_content CHECK (state <> 'QUEUED' OR sealed_content IS NOT NULL),
  CONSTRAINT messages_delivered_at CHECK ((state = 'DELIVERED') = (delivered_at IS NOT NULL)),
  CONSTRAINT messages_failure_reason CHECK ((state = 'FAILED') = (failure_reason IS NOT NULL))
);
CREATE INDEX messages_page ON messages (platform_id, created_at DESC, id DESC);
`
