/** Addresses on chains that were looked for on lists. Decision 0049. */
export const screenings = `
-- The id follows from the direction and the payment or deposit, so each is asked about once and keeps its answer.
CREATE TABLE screenings (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  direction text NOT NULL CHECK (direction IN ('PAY', 'CREDIT')),
  network text NOT NULL,
  address text NOT NULL,
  amount bigint NOT NULL CHECK (amount > 0),
  currency text NOT NULL,
  -- What the address is paid by, or has paid.
  transaction_id uuid,
  deposit_id uuid,
  -- CLEAR: on no list. WAITING: for a person, who has RELEASED or REJECTED it.
  state text NOT NULL CHECK (state IN ('CLEAR', 'WAITING', 'RELEASED', 'REJECTED')),
  -- The list that it is on, and what that says of it.
  list text,
  detail text,
  note text,
  decided_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT screenings_subject CHECK
    (CASE direction WHEN 'PAY' THEN transaction_id IS NOT NULL AND deposit_id IS NULL ELSE deposit_id IS NOT NULL AND transaction_id IS NULL END),
  CONSTRAINT screenings_list CHECK (num_nonnulls(list, detail) = CASE state WHEN 'CLEAR' THEN 0 ELSE 2 END),
  CONSTRAINT screenings_decided CHECK ((decided_at IS NOT NULL) = (state IN ('RELEASED', 'REJECTED')))
) WITH (fillfactor = 90);
CREATE INDEX screenings_page ON screenings (platform_id, created_at DESC, id DESC);
CREATE INDEX screenings_hits ON screenings (platform_id, state, created_at DESC, id DESC) WHERE state <> 'CLEAR';
`
