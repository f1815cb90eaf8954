/** Customers of some countries prove to own their e-mail address and phone number, by codes that are sent there. */
export const contactVerification = `
ALTER TABLE customers
  -- Null: not required.
  ADD COLUMN email_verification text CHECK (email_verification IN ('PENDING', 'VERIFIED')),
  ADD COLUMN phone_verification text CHECK (phone_verification IN ('PENDING', 'VERIFIED'));

-- Those that are here already have nothing verified: members of the European Economic Area, as in contact-rules.ts.
WITH asked AS (
  SELECT id FROM customers WHERE deleted_at IS NULL AND ARRAY[region, details->'address'->>'country'] && ARRAY[
    'AT', 'BE', 'BG', 'CY', 'CZ', 'DE', 'DK', 'EE', 'ES', 'FI', 'FR', 'GR', 'HR', 'HU', 'IE', 'IS', 'IT', 'LI', 'LT', 'LU',
    'LV', 'MT', 'NL', 'NO', 'PL', 'PT', 'RO', 'SE', 'SI', 'SK'])
UPDATE customers SET
  email_verification = CASE WHEN email IS NOT NULL THEN 'PENDING' END,
  phone_verification = CASE WHEN details->>'phoneNumber' IS NOT NULL THEN 'PENDING' END
WHERE id IN (SELECT id FROM asked);

-- Codes that were sent to a contact of a customer.
CREATE TABLE contact_codes (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  customer_id uuid NOT NULL REFERENCES customers,
  channel text NOT NULL CHECK (channel IN ('EMAIL', 'SMS')),
  -- The e-mail address or phone number that it was sent to, and that it verifies.
  contact text NOT NULL,
  -- A keyed digest of the code. The code itself is not stored.
  code_mac bytea NOT NULL,
  tries integer NOT NULL CHECK (tries >= 0),
  expires_at timestamptz NOT NULL,
  -- When it was used, or replaced by a later one.
  ended_at timestamptz,
  created_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX contact_codes_one_live ON contact_codes (customer_id, channel) WHERE ended_at IS NULL;
CREATE INDEX contact_codes_recent ON contact_codes (customer_id, channel, created_at DESC);

-- A message has a code of a credential, or one of a customer's contact.
ALTER TABLE messages
  ALTER COLUMN account_id DROP NOT NULL,
  ALTER COLUMN credential_id DROP NOT NULL,
  ALTER COLUMN challenge_id DROP NOT NULL,
  ADD COLUMN contact_code_id uuid REFERENCES contact_codes,
  ADD CONSTRAINT messages_one_code CHECK (num_nonnulls(challenge_id, contact_code_id) = 1),
  ADD CONSTRAINT messages_of_credential CHECK (num_nonnulls(account_id, credential_id, challenge_id) IN (0, 3));
`
