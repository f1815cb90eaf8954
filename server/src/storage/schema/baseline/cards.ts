/** Cards, purchases, and the delegated keys that sign for cards. Decision 0024. */
export const cardTables = `
CREATE TABLE cards (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  cardholder_id uuid NOT NULL REFERENCES customers,
  platform_card_id text NOT NULL,
  state text NOT NULL CHECK (state IN ('PENDING_KYC', 'PROCESSING', 'ACTIVE', 'FROZEN', 'CLOSED')),
  state_reason text CHECK (state_reason IN ('ISSUER_REJECTED', 'CLOSED_BY_PLATFORM', 'CLOSED_BY_SVC')),
  -- USD if a dollar stablecoin pays.
  currency text NOT NULL,
  -- Internal accounts, in the order in which to charge them.
  funding_sources uuid[] NOT NULL CHECK (cardinality(funding_sources) > 0),
  -- Data from the processor. Null until it has created the card. Card numbers are never stored.
  brand text,
  last4 text CHECK (last4 ~ '^[0-9]{4}$'),
  exp_month integer,
  exp_year integer,
  pan_embed_url text,
  processor_ref text,
  issuer_ref text,
  -- The platform's freeze: start, reason, whether the cardholder may lift it, and whether the cardholder had already frozen the card.
  platform_freeze jsonb,
  -- Incremented with every change to state or funding sources. Authorizations are guarded by it.
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT cards_platform_card_id UNIQUE (platform_id, platform_card_id),
  CONSTRAINT cards_platform_freeze CHECK (platform_freeze IS NULL OR state = 'FROZEN'),
  CONSTRAINT cards_closed CHECK ((state_reason IS NOT NULL) = (state = 'CLOSED'))
);
CREATE INDEX cards_page ON cards (platform_id, created_at, id);
CREATE INDEX cards_cardholder ON cards (cardholder_id);
CREATE INDEX cards_funding_sources ON cards USING gin (funding_sources);
CREATE UNIQUE INDEX cards_processor_ref ON cards (processor_ref);
CREATE INDEX cards_last4 ON cards (platform_id, last4);

CREATE TABLE delegated_keys (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  card_id uuid NOT NULL REFERENCES cards,
  -- The embedded wallet that it charges, whose holder authorized it.
  account_id uuid NOT NULL REFERENCES internal_accounts,
  public_key text NOT NULL,
  sealed_key bytea NOT NULL,
  nickname text NOT NULL,
  status text NOT NULL CHECK (status IN ('PENDING', 'ACTIVE', 'REVOKED')),
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX delegated_keys_active ON delegated_keys (card_id, account_id) WHERE status = 'ACTIVE';
CREATE INDEX delegated_keys_account ON delegated_keys (account_id);
CREATE INDEX delegated_keys_page ON delegated_keys (platform_id, created_at, id);

-- Card purchases. Amounts are in the currency of the card. For rows that change after they were written, see payments.ts.
CREATE TABLE card_transactions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  card_id uuid NOT NULL REFERENCES cards,
  -- The funding source that pays, and its currency, which converts to the card's currency one to one.
  account_id uuid NOT NULL,
  source_currency text NOT NULL,
  state text NOT NULL CHECK (state IN ('AUTHORIZED', 'PARTIALLY_SETTLED', 'SETTLED', 'REFUNDED', 'EXCEPTION')),
  merchant jsonb NOT NULL,
  currency text NOT NULL,
  issuer_transaction_token text NOT NULL,
  -- The pending ledger transfer, and its amount in the currency of the source. Capturing a part holds the remainder
  -- with a new transfer. Null if the purchase was never authorized.
  hold_id uuid,
  held_amount bigint NOT NULL CHECK (held_amount >= 0),
  -- An embedded wallet pays with the card key's signature over the authorization.
  delegated_key_id uuid,
  signature bytea,
  authorized_amount bigint NOT NULL CHECK (authorized_amount >= 0),
  -- The maximum sum of accepted claims.
  claim_max bigint NOT NULL,
  -- The part of the hold that the merchant has not claimed.
  unclaimed_amount bigint NOT NULL CHECK (unclaimed_amount >= 0),
  -- The sum of the merchant's claims.
  settlement_count integer NOT NULL,
  settled_amount bigint NOT NULL CHECK (settled_amount >= 0),
  -- The parts of that sum: pulled from the funding source, pending pulls with the part of the hold that they cover, and uncollected.
  pull_count integer NOT NULL,
  pulled_amount bigint NOT NULL CHECK (pulled_amount >= 0),
  pending_count integer NOT NULL CHECK (pending_count >= 0),
  pending_amount bigint NOT NULL CHECK (pending_amount >= 0),
  uncollected_amount bigint NOT NULL CHECK (uncollected_amount >= 0),
  -- The sum refunded by the merchant.
  refund_count integer NOT NULL,
  refunded_amount bigint NOT NULL CHECK (refunded_amount >= 0 AND refunded_amount <= settled_amount),
  version integer NOT NULL,
  authorized_at timestamptz NOT NULL,
  last_event_at timestamptz NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT card_transactions_issuer_token UNIQUE (platform_id, issuer_transaction_token),
  CONSTRAINT card_transactions_claim_max CHECK (claim_max >= authorized_amount)
) WITH (fillfactor = 70);
CREATE INDEX card_transactions_card ON card_transactions (card_id, created_at, id);

-- The card key's signature for each pull from an embedded wallet.
CREATE TABLE card_pull_signatures (
  card_transaction_id uuid NOT NULL REFERENCES card_transactions,
  -- The number of the pull within the purchase, starting at 1.
  number integer NOT NULL,
  platform_id uuid NOT NULL,
  delegated_key_id uuid NOT NULL REFERENCES delegated_keys,
  -- The exact signed bytes.
  statement text NOT NULL,
  signature bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (card_transaction_id, number)
);
`
