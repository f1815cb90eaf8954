/** Beneficial owners of businesses, and the verifications of customers with their decisions. */
export const verifications = `
CREATE TABLE beneficial_owners (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  roles jsonb NOT NULL,
  ownership_percentage integer NOT NULL CHECK (ownership_percentage BETWEEN 0 AND 100),
  -- Without the identifier, which is sealed under a data key; its last characters are kept to show it.
  personal_info jsonb NOT NULL,
  sealed_identifier bytea NOT NULL,
  shown_identifier text NOT NULL,
  kyc_status text NOT NULL CHECK (kyc_status IN ('UNVERIFIED', 'PENDING', 'APPROVED', 'REJECTED')),
  version integer NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX beneficial_owners_page ON beneficial_owners (customer_id, created_at DESC, id DESC);

CREATE TABLE verifications (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  status text NOT NULL CHECK (status IN
    ('RESOLVE_ERRORS', 'READY_FOR_VERIFICATION', 'IN_PROGRESS', 'PENDING_MANUAL_REVIEW', 'APPROVED', 'REJECTED')),
  -- Everything that has to be resolved, and what of it was asked for by whoever decides.
  errors jsonb NOT NULL,
  requested jsonb NOT NULL,
  requested_at timestamptz,
  -- Counts the submissions. The digest is of the case as it was submitted last.
  submission integer NOT NULL,
  case_digest text,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
-- A customer has one verification that is not decided.
CREATE UNIQUE INDEX verifications_one_open ON verifications (customer_id) WHERE status NOT IN ('APPROVED', 'REJECTED');
CREATE INDEX verifications_page ON verifications (platform_id, created_at DESC, id DESC);
CREATE INDEX verifications_customer ON verifications (customer_id, created_at DESC, id DESC);
CREATE INDEX verifications_status ON verifications (platform_id, status, created_at DESC, id DESC);

CREATE TABLE verification_decisions (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  verification_id uuid NOT NULL REFERENCES verifications,
  submission integer NOT NULL,
  decision text NOT NULL CHECK (decision IN ('APPROVE', 'REJECT', 'REQUEST_INFORMATION', 'REFER', 'REOPEN')),
  reason text,
  errors jsonb NOT NULL,
  decider text NOT NULL CHECK (decider IN ('TOKEN', 'OPERATOR', 'PROVIDER', 'SANDBOX')),
  -- The token, or the event of the provider.
  decider_id text,
  created_at timestamptz NOT NULL
);
CREATE INDEX verification_decisions_page ON verification_decisions (verification_id, created_at DESC, id DESC);
-- An event of the provider decides once.
CREATE UNIQUE INDEX verification_decisions_event ON verification_decisions (verification_id, decider_id)
  WHERE decider = 'PROVIDER';
`
