/** Erasures of persons, and indexes by which what is theirs is found. Decision 0063. */
export const erasures = `
CREATE TABLE erasures (
  -- That of the customer.
  id uuid PRIMARY KEY REFERENCES customers,
  platform_id uuid NOT NULL REFERENCES platforms,
  -- ERASING: personal data is being removed, and the audit trail lets it pass (only_erased).
  state text NOT NULL CHECK (state IN ('SCHEDULED', 'ERASING', 'DONE')),
  requested_at timestamptz NOT NULL,
  erases_at timestamptz NOT NULL,
  erased_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT erasures_done CHECK ((state = 'DONE') = (erased_at IS NOT NULL))
);

CREATE INDEX documents_of_customer ON documents (customer_id);
CREATE INDEX external_accounts_customer ON external_accounts (customer_id);
CREATE INDEX messages_customer ON messages (customer_id) WHERE customer_id IS NOT NULL;
CREATE INDEX kyc_links_customer ON kyc_links (customer_id);
CREATE INDEX invitations_customer ON invitations (customer_id);
CREATE INDEX invitations_invitee ON invitations (invitee_uma) WHERE invitee_uma IS NOT NULL;
-- Those of payments, the most, are found by their quotes.
CREATE INDEX signing_requests_account ON signing_requests (account_id) WHERE operation <> 'quote_execute';
`
