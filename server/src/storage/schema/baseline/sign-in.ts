/**
 * Signing in to wallets, and signing: credentials, codes and the messages with them, sessions, signing
 * requests.
 */
export const signInTables = `
CREATE TABLE credentials (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  account_id uuid NOT NULL REFERENCES internal_accounts,
  type text NOT NULL CHECK (type IN ('OAUTH', 'EMAIL_OTP', 'SMS_OTP', 'PASSKEY')),
  nickname text NOT NULL,
  -- For EMAIL_OTP and SMS_OTP, the address or number to which codes are sent.
  contact text,
  oidc_issuer text,
  oidc_audience text,
  oidc_subject text,
  webauthn_id text,
  webauthn_public_key bytea,
  webauthn_sign_count bigint,
  -- The only challenge that can be signed now.
  current_challenge_id uuid,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE UNIQUE INDEX credentials_one_otp ON credentials (account_id, type)
  WHERE revoked_at IS NULL AND type IN ('EMAIL_OTP', 'SMS_OTP');
CREATE UNIQUE INDEX credentials_one_identity ON credentials (account_id, oidc_issuer, oidc_audience, oidc_subject)
  WHERE revoked_at IS NULL AND type = 'OAUTH';
-- A passkey is registered once on the whole server, because its id alone identifies its owner.
CREATE UNIQUE INDEX credentials_one_passkey ON credentials (webauthn_id) WHERE revoked_at IS NULL AND type = 'PASSKEY';
CREATE INDEX credentials_account ON credentials (account_id, created_at);
CREATE INDEX credentials_contact ON credentials (platform_id, lower(contact)) WHERE revoked_at IS NULL;

-- Issued one-time codes.
CREATE TABLE otp_challenges (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  credential_id uuid NOT NULL REFERENCES credentials,
  -- The key to which the device seals the code. Its private half is sealed with a data key.
  target_public_key text NOT NULL,
  sealed_target_key bytea NOT NULL,
  -- A keyed digest of the code. The code itself is not stored.
  code_mac bytea NOT NULL,
  tries integer NOT NULL,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE INDEX otp_challenges_recent ON otp_challenges (credential_id, created_at DESC);

-- Wrong codes in a row, per wallet: its email and SMS credentials count together. An attempt is counted before
-- its code is compared. A sign-in by code, a signed operation of a locked wallet, and the operator reset the
-- count to 0.
CREATE TABLE code_failures (
  id uuid PRIMARY KEY REFERENCES internal_accounts,
  platform_id uuid NOT NULL REFERENCES platforms,
  failures integer NOT NULL CHECK (failures >= 0),
  locked_at timestamptz
);

-- Messages to people. Each contains a one-time code, so its content is sealed, and in production it is removed once the
-- message is delivered or given up.
CREATE TABLE messages (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'SMS')),
  state text NOT NULL CHECK (state IN ('QUEUED', 'DELIVERED', 'FAILED')),
  recipient text NOT NULL,
  customer_id uuid REFERENCES customers,
  -- The content: a code for a wallet's credential, a customer's contact or a team member, or a notice to a team member.
  account_id uuid REFERENCES internal_accounts,
  credential_id uuid REFERENCES credentials,
  challenge_id uuid REFERENCES otp_challenges,
  contact_code_id uuid REFERENCES contact_codes,
  member_code_id uuid REFERENCES member_codes,
  member_id uuid REFERENCES members,
  subject text,
  sealed_content bytea,
  attempts integer NOT NULL CHECK (attempts >= 0),
  failure_reason text CHECK (failure_reason IN ('EXPIRED', 'REPLACED', 'REFUSED')),
  expires_at timestamptz NOT NULL,
  delivered_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT messages_one_purpose CHECK (num_nonnulls(challenge_id, contact_code_id, member_code_id, member_id) = 1),
  CONSTRAINT messages_of_credential CHECK (num_nonnulls(account_id, credential_id, challenge_id) IN (0, 3)),
  CONSTRAINT messages_queued_content CHECK (state <> 'QUEUED' OR sealed_content IS NOT NULL),
  CONSTRAINT messages_delivered_at CHECK ((state = 'DELIVERED') = (delivered_at IS NOT NULL)),
  CONSTRAINT messages_failure_reason CHECK ((state = 'FAILED') = (failure_reason IS NOT NULL))
);
CREATE INDEX messages_page ON messages (platform_id, created_at DESC, id DESC);
CREATE INDEX messages_customer ON messages (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX messages_challenge ON messages (challenge_id);

-- Messages with codes in the current hour and day: from a platform to one recipient, and to all recipients (recipient '').
CREATE TABLE message_counts (
  platform_id uuid NOT NULL REFERENCES platforms,
  recipient text NOT NULL,
  hour timestamptz NOT NULL,
  in_hour integer NOT NULL,
  day timestamptz NOT NULL,
  in_day integer NOT NULL,
  PRIMARY KEY (platform_id, recipient)
);

-- Used identity tokens, so that none is used twice.
CREATE TABLE used_id_tokens (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  expires_at timestamptz NOT NULL
);
CREATE INDEX used_id_tokens_expired ON used_id_tokens (expires_at);

CREATE TABLE sessions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  account_id uuid NOT NULL REFERENCES internal_accounts,
  credential_id uuid NOT NULL REFERENCES credentials,
  public_key text NOT NULL,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  revoked_at timestamptz
);
CREATE INDEX sessions_account ON sessions (account_id, expires_at DESC) WHERE revoked_at IS NULL;

-- Requests that wait for a wallet's signature (the signed retry), and credential challenges. Signed payments write here, so
-- the reference to the platform is not checked.
CREATE TABLE signing_requests (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  account_id uuid NOT NULL REFERENCES internal_accounts,
  operation text NOT NULL,
  target text NOT NULL,
  -- The retry must have the same body.
  body_hash bytea NOT NULL,
  -- The exact text that is signed.
  payload text NOT NULL,
  signer_public_key text,
  -- The session that signed, and the signature as sent. Null if another key or another kind of proof was used.
  session_id uuid,
  stamp text,
  context jsonb NOT NULL,
  expires_at timestamptz NOT NULL,
  consumed_at timestamptz,
  created_at timestamptz NOT NULL
);
-- Unused challenges of a credential, whose number is limited.
CREATE INDEX signing_requests_sign_in ON signing_requests (target, created_at DESC)
  WHERE operation = 'credential_verify' AND consumed_at IS NULL;
-- Signing requests for payments, by far the most frequent, are found by their quotes.
CREATE INDEX signing_requests_account ON signing_requests (account_id) WHERE operation <> 'quote_execute';
`
