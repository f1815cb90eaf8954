/** The records of the platform. Every row belongs to one platform; every id is made by `Op`, never by the database. */
export const records = `
CREATE TABLE platforms (
  id text PRIMARY KEY,
  name text NOT NULL,
  config jsonb NOT NULL,
  clock_offset_ms bigint NOT NULL,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE api_tokens (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  client_id text NOT NULL UNIQUE,
  name text NOT NULL,
  permissions text[] NOT NULL,
  secret_hash bytea NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE INDEX api_tokens_page ON api_tokens (platform_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE customers (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  platform_customer_id text NOT NULL,
  customer_type text NOT NULL CHECK (customer_type IN ('INDIVIDUAL', 'BUSINESS')),
  verification_status text NOT NULL CHECK (verification_status IN ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED')),
  region text,
  currencies jsonb,
  email text,
  uma_address text NOT NULL,
  details jsonb NOT NULL,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX customers_platform_customer_id ON customers (platform_id, platform_customer_id) WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX customers_uma_address ON customers (platform_id, uma_address);
CREATE INDEX customers_page ON customers (platform_id, created_at DESC, id DESC);

CREATE TABLE internal_accounts (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  customer_id text REFERENCES customers,
  type text NOT NULL CHECK (type IN ('INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET')),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'CLOSED', 'FROZEN')),
  private_enabled boolean NOT NULL,
  spark_address text,
  sealed_seed bytea,
  credentials_version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX internal_accounts_one_each ON internal_accounts (platform_id, coalesce(customer_id, ''), type, currency);
CREATE INDEX internal_accounts_page ON internal_accounts (platform_id, created_at DESC, id DESC);
CREATE INDEX internal_accounts_customer ON internal_accounts (customer_id);

CREATE TABLE external_accounts (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  customer_id text REFERENCES customers,
  platform_account_id text,
  currency text NOT NULL,
  account_type text NOT NULL,
  account_info jsonb NOT NULL,
  fingerprint text NOT NULL,
  identifier text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'UNDER_REVIEW', 'INACTIVE')),
  beneficiary_verification_status text,
  default_uma_deposit boolean NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX external_accounts_fingerprint ON external_accounts (platform_id, coalesce(customer_id, ''), fingerprint)
  WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX external_accounts_default ON external_accounts (customer_id)
  WHERE default_uma_deposit AND deleted_at IS NULL;
CREATE INDEX external_accounts_page ON external_accounts (platform_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;

CREATE TABLE credentials (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  account_id text NOT NULL REFERENCES internal_accounts,
  type text NOT NULL CHECK (type IN ('OAUTH', 'EMAIL_OTP', 'SMS_OTP', 'PASSKEY')),
  nickname text NOT NULL,
  contact text,
  oidc_issuer text,
  oidc_audience text,
  oidc_subject text,
  webauthn_id text,
  webauthn_public_key bytea,
  webauthn_sign_count bigint,
  current_challenge_id text,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX credentials_one_otp ON credentials (account_id, type)
  WHERE revoked_at IS NULL AND type IN ('EMAIL_OTP', 'SMS_OTP');
CREATE UNIQUE INDEX credentials_one_identity ON credentials (account_id, oidc_issuer, oidc_audience, oidc_subject)
  WHERE revoked_at IS NULL AND type = 'OAUTH';
CREATE UNIQUE INDEX credentials_one_passkey ON credentials (webauthn_id) WHERE revoked_at IS NULL AND type = 'PASSKEY';
CREATE INDEX credentials_account ON credentials (account_id, created_at);
CREATE INDEX credentials_contact ON credentials (platform_id, lower(contact)) WHERE revoked_at IS NULL;

CREATE TABLE otp_challenges (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  credential_id text NOT NULL REFERENCES credentials,
  target_public_key text NOT NULL,
  sealed_target_key bytea NOT NULL,
  code_mac bytea NOT NULL,
  tries integer NOT NULL,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX otp_challenges_recent ON otp_challenges (credential_id, created_at DESC);

CREATE TABLE used_id_tokens (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  expires_at timestamptz NOT NULL
);

CREATE TABLE sessions (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  account_id text NOT NULL REFERENCES internal_accounts,
  credential_id text NOT NULL REFERENCES credentials,
  public_key text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX sessions_account ON sessions (account_id, expires_at DESC) WHERE revoked_at IS NULL;

CREATE TABLE signing_requests (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  account_id text NOT NULL REFERENCES internal_accounts,
  operation text NOT NULL,
  target text NOT NULL,
  body_hash bytea NOT NULL,
  payload text NOT NULL,
  signer_public_key text,
  context jsonb NOT NULL,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  created_at timestamptz NOT NULL
);

CREATE TABLE quotes (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  customer_id text NOT NULL REFERENCES customers,
  state text NOT NULL CHECK (state IN ('PENDING', 'PROCESSING', 'COMPLETED', 'FAILED', 'EXPIRED')),
  source_account_id text NOT NULL REFERENCES internal_accounts,
  destination_account_id text NOT NULL REFERENCES external_accounts,
  payment_rail text,
  sending_currency text NOT NULL,
  receiving_currency text NOT NULL,
  sending_amount bigint NOT NULL CHECK (sending_amount > 0),
  receiving_amount bigint NOT NULL CHECK (receiving_amount > 0),
  fees bigint NOT NULL CHECK (fees >= 0),
  pricing jsonb NOT NULL,
  request jsonb NOT NULL,
  signing_request_id text REFERENCES signing_requests,
  transaction_id text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);

CREATE TABLE transactions (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  customer_id text NOT NULL REFERENCES customers,
  type text NOT NULL CHECK (type IN ('INCOMING', 'OUTGOING')),
  direction text NOT NULL CHECK (direction IN ('CREDIT', 'DEBIT')),
  state text NOT NULL CHECK (state IN
    ('CREATED', 'PENDING', 'PROCESSING', 'COMPLETED', 'REJECTED', 'FAILED', 'REFUNDED', 'EXPIRED')),
  source_account_id text,
  destination_account_id text,
  source_identifier text,
  destination_identifier text,
  sent_amount bigint,
  sent_currency text,
  received_amount bigint,
  received_currency text,
  fees bigint,
  quote_id text REFERENCES quotes,
  hold_id text,
  description text,
  reference text NOT NULL,
  failure_reason text,
  details jsonb NOT NULL,
  settled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX transactions_page ON transactions (platform_id, created_at DESC, id DESC);
CREATE INDEX transactions_customer ON transactions (customer_id, created_at DESC, id DESC);
CREATE INDEX transactions_reference ON transactions (platform_id, reference);

CREATE TABLE events (
  id text PRIMARY KEY,
  position bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
  platform_id text NOT NULL REFERENCES platforms,
  type text NOT NULL,
  object_id text NOT NULL,
  sequence integer NOT NULL,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  UNIQUE (object_id, sequence)
);

CREATE TABLE jobs (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  kind text NOT NULL,
  payload jsonb NOT NULL,
  due_at timestamptz NOT NULL,
  attempts integer NOT NULL,
  claimed_until timestamptz,
  last_error text,
  created_at timestamptz NOT NULL
);
CREATE INDEX jobs_due ON jobs (due_at);
CREATE INDEX jobs_platform_due ON jobs (platform_id, due_at);

CREATE TABLE idempotency_keys (
  scope text NOT NULL,
  key text NOT NULL,
  platform_id text NOT NULL REFERENCES platforms,
  request_hash bytea NOT NULL,
  status integer NOT NULL,
  body text NOT NULL,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_expiry ON idempotency_keys (platform_id, expires_at);

-- What holds for the database as a whole.
CREATE TABLE settings (
  name text PRIMARY KEY,
  value text NOT NULL
);

CREATE TABLE enclave_secrets (
  name text PRIMARY KEY,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL
);
`
