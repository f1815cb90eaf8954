/** Customers and their accounts, here and elsewhere. */
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
  uma_address text NOT NULL,
  -- What else was said of the customer, as the API shows it.
  details jsonb NOT NULL,
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  deleted_at timestamptz
);
CREATE UNIQUE INDEX customers_platform_customer_id ON customers (platform_id, platform_customer_id) WHERE deleted_at IS NULL;
-- The address of a deleted customer is not given to another one.
CREATE UNIQUE INDEX customers_uma_address ON customers (platform_id, uma_address);
CREATE INDEX customers_page ON customers (platform_id, created_at DESC, id DESC);

-- Accounts that hold money here. The balances are in ledger_accounts, under the same id.
CREATE TABLE internal_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null: the platform's own.
  customer_id uuid REFERENCES customers,
  type text NOT NULL CHECK (type IN ('INTERNAL_FIAT', 'INTERNAL_CRYPTO', 'EMBEDDED_WALLET')),
  currency text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'CLOSED', 'FROZEN')),
  private_enabled boolean NOT NULL,
  spark_address text,
  -- Of an embedded wallet, sealed under a data key.
  sealed_seed bytea,
  -- Counts the changes to the wallet's set of credentials.
  credentials_version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX internal_accounts_one_each ON internal_accounts
  (platform_id, coalesce(customer_id, 'ffffffff-ffff-ffff-ffff-ffffffffffff'), type, currency);
CREATE INDEX internal_accounts_page ON internal_accounts (platform_id, created_at DESC, id DESC);
CREATE INDEX internal_accounts_customer ON internal_accounts (customer_id);

-- Accounts elsewhere that money goes to or comes from.
CREATE TABLE external_accounts (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- Null: the platform's own.
  customer_id uuid REFERENCES customers,
  platform_account_id text,
  currency text NOT NULL,
  account_type text NOT NULL,
  account_info jsonb NOT NULL,
  -- Equal for two descriptions of the same account.
  fingerprint text NOT NULL,
  identifier text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'UNDER_REVIEW', 'INACTIVE')),
  beneficiary_verification_status text,
  default_uma_deposit boolean NOT NULL,
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
`
