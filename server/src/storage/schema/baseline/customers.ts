import { CUSTOMER_WORDS } from '../search-words.ts'

/** Customers, their internal and external accounts, their tokens, and the erasure of their data. */
export const customerTables = `
CREATE TABLE customers (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  platform_customer_id text NOT NULL,
  customer_type text NOT NULL CHECK (customer_type IN ('INDIVIDUAL', 'BUSINESS')),
  verification_status text NOT NULL CHECK (verification_status IN ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED')),
  region text,
  currencies jsonb,
  email text,
  -- The verification of email address and phone number, which some countries require. Null if not required.
  email_verification text CHECK (email_verification IN ('PENDING', 'VERIFIED')),
  phone_verification text CHECK (phone_verification IN ('PENDING', 'VERIFIED')),
  uma_address text NOT NULL,
  -- The other fields of the customer as the API shows them.
  details jsonb NOT NULL,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX customers_platform_customer_id ON customers (platform_id, platform_customer_id) WHERE deleted_at IS NULL;
-- The address of a deleted customer is never assigned again.
CREATE UNIQUE INDEX customers_uma_address ON customers (platform_id, uma_address);
CREATE INDEX customers_page ON customers (platform_id, created_at DESC, id DESC);
CREATE INDEX customers_words ON customers USING gin ((${CUSTOMER_WORDS}));

-- Accounts that hold money on this server. Their balances are in ledger_accounts, under the same id.
CREATE TABLE internal_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null for the platform's own accounts.
  customer_id uuid REFERENCES customers,
  type text NOT NULL CHECK (type IN ('INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET')),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'CLOSED', 'FROZEN')),
  private_enabled boolean NOT NULL,
  spark_address text,
  -- The address and rail of a wallet on a chain. They never change. Null for a wallet on Spark.
  chain_rail text,
  chain_address text,
  -- The seed of an embedded wallet, sealed with a data key.
  sealed_seed bytea,
  -- Incremented when the wallet's set of credentials changes.
  credentials_version integer NOT NULL,
  -- Account details for incoming payments, because every response and event with the account shows them: a list of
  -- {rail, accountOrWalletInfo, instructionsNotes}, copied from deposit_accounts.
  funding jsonb,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT internal_accounts_chain CHECK ((chain_rail IS NULL) = (chain_address IS NULL)
    AND (chain_rail IS NULL OR (type = 'EMBEDDED_WALLET' AND sealed_seed IS NOT NULL)))
);
CREATE UNIQUE INDEX internal_accounts_one_each ON internal_accounts
  (platform_id, coalesce(customer_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), type, currency);
CREATE INDEX internal_accounts_page ON internal_accounts (platform_id, created_at DESC, id DESC);
CREATE INDEX internal_accounts_customer ON internal_accounts (customer_id);
-- Finds the accounts that were created or opened since a time. A customer's accounts open when its verification ends.
CREATE INDEX internal_accounts_updated ON internal_accounts (platform_id, updated_at, id) WHERE type <> 'EMBEDDED_WALLET';

-- External accounts that send or receive money.
CREATE TABLE external_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null for the platform's own accounts.
  customer_id uuid REFERENCES customers,
  platform_account_id text,
  currency text NOT NULL,
  account_type text NOT NULL,
  account_info jsonb NOT NULL,
  -- Equal for all descriptions of the same account.
  fingerprint text NOT NULL,
  identifier text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'UNDER_REVIEW', 'INACTIVE')),
  -- Why it became INACTIVE.
  status_reason text,
  beneficiary_verification_status text,
  -- The state of the last verification by two deposits.
  verification_status text CHECK (verification_status IN ('PENDING', 'VERIFIED', 'FAILED', 'EXPIRED')),
  default_uma_deposit boolean NOT NULL,
  -- A version: incremented with every reported or decided change of details and every started verification.
  changes integer NOT NULL,
  details_changed_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX external_accounts_fingerprint ON external_accounts
  (platform_id, coalesce(customer_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), fingerprint)
  WHERE deleted_at IS NULL;
CREATE UNIQUE INDEX external_accounts_default ON external_accounts (customer_id)
  WHERE default_uma_deposit AND deleted_at IS NULL;
CREATE INDEX external_accounts_page ON external_accounts (platform_id, created_at DESC, id DESC) WHERE deleted_at IS NULL;
CREATE INDEX external_accounts_customer ON external_accounts (customer_id);
CREATE INDEX external_accounts_identifier ON external_accounts (platform_id, identifier) WHERE deleted_at IS NULL;
-- Searches use the last four characters of a number.
CREATE INDEX external_accounts_last4 ON external_accounts (platform_id, right(identifier, 4)) WHERE deleted_at IS NULL;
CREATE INDEX external_accounts_platform_account_id ON external_accounts (platform_id, platform_account_id)
  WHERE deleted_at IS NULL AND platform_account_id IS NOT NULL;

CREATE TABLE customer_tokens (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  -- The API token or team member that created it. If its creator becomes invalid, so does the token.
  token_id uuid REFERENCES api_tokens,
  member_id uuid REFERENCES members,
  permissions text[] NOT NULL,
  -- SHA-256 of the token, in hex.
  secret_hash text NOT NULL UNIQUE,
  expires_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  revoked_at timestamptz,
  CONSTRAINT customer_tokens_one_maker CHECK (num_nonnulls(token_id, member_id) = 1)
);
CREATE INDEX customer_tokens_expired ON customer_tokens (expires_at);

-- The id is derived from the code, so each code has one row on the whole server.
CREATE TABLE invitations (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  inviter_uma text NOT NULL,
  -- A customer of any platform.
  invitee_uma text,
  first_name text,
  amount bigint CHECK (amount > 0),
  currency text,
  url text NOT NULL,
  state text NOT NULL CHECK (state IN ('PENDING', 'CLAIMED', 'CANCELLED', 'EXPIRED')),
  expires_at timestamptz,
  claimed_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT invitations_claimed CHECK
    ((state = 'CLAIMED') = (claimed_at IS NOT NULL) AND (state = 'CLAIMED') = (invitee_uma IS NOT NULL)),
  CONSTRAINT invitations_amount CHECK ((amount IS NULL) = (currency IS NULL))
);
CREATE INDEX invitations_customer ON invitations (customer_id);
CREATE INDEX invitations_invitee ON invitations (invitee_uma) WHERE invitee_uma IS NOT NULL;

-- Wrong codes entered, with one row per platform. Counted outside of write sets, in real time.
CREATE TABLE invitation_attempts (
  id uuid PRIMARY KEY REFERENCES platforms,
  failures integer NOT NULL CHECK (failures > 0),
  forgotten_at timestamptz NOT NULL
);

CREATE TABLE stablecoin_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  provider text NOT NULL,
  provider_account_id text NOT NULL,
  provider_environment text NOT NULL CHECK (provider_environment IN ('SANDBOX', 'PRODUCTION')),
  status text NOT NULL CHECK (status IN ('ACTIVE', 'INVALID', 'REVOKED')),
  sealed_credentials bytea NOT NULL,
  last_verified_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  UNIQUE (platform_id, provider, provider_environment, provider_account_id)
);
CREATE INDEX stablecoin_accounts_page ON stablecoin_accounts (platform_id, created_at DESC, id DESC);

CREATE TABLE erasures (
  -- The customer's id.
  id uuid PRIMARY KEY REFERENCES customers,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- ERASING: personal data is being removed, which the audit trail then allows (only_erased).
  state text NOT NULL CHECK (state IN ('SCHEDULED', 'ERASING', 'DONE')),
  requested_at timestamptz NOT NULL,
  erases_at timestamptz NOT NULL,
  erased_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT erasures_done CHECK ((state = 'DONE') = (erased_at IS NOT NULL))
);
`
