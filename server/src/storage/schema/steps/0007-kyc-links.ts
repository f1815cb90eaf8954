/** Links to the page on which a customer completes its verification, and the session of whoever has opened one. */
export const kycLinks = `
-- The address of a link follows from its row by a keyed digest, so it is not stored.
CREATE TABLE kyc_links (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  -- Where the person goes from the page.
  redirect_uri text,
  created_at timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- When it was opened, by whom (SHA-256 of the secret in the cookie, in hex), and when that person was there last.
  opened_at timestamptz,
  session_hash text,
  seen_at timestamptz,
  -- The files that were sent to the page.
  uploads integer NOT NULL CHECK (uploads >= 0),
  CONSTRAINT kyc_links_opened CHECK (num_nonnulls(opened_at, session_hash, seen_at) IN (0, 3))
);
`
