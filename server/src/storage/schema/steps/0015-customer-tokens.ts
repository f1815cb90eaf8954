/** Bearer tokens of customers, for their own pages and apps. Decision 0050. */
export const customerTokens = `
CREATE TABLE customer_tokens (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  -- The API token that made it: it ends with that one.
  token_id uuid NOT NULL REFERENCES api_tokens,
  permissions text[] NOT NULL,
  -- SHA-256 of the token, in hex.
  secret_hash text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX customer_tokens_expired ON customer_tokens (expires_at);
`
