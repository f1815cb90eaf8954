/** Invitations, the wrong codes of invitations, and accounts at stablecoin providers. */
export const lookUps = `
-- The id is made of the code, so that one code has one row on the whole server.
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

-- A row per platform that tried a code that is none. Counted outside of write sets, in real time.
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
`
