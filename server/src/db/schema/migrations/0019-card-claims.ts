/**
 * What a card's purchases may take at most, and the word of the key for each pull from a wallet. A card that is paid from a
 * dollar stablecoin is in USD; purchases that were made before stay in the currency that they were made in. A purchase
 * that was never authorized has no hold. Decision 0024.
 */
export const cardClaims = `
ALTER TABLE card_transactions
  -- The merchant's claims in all are taken up to here.
  ADD COLUMN claim_max bigint,
  -- What the funding source holds; amounts of the purchase are in that of the card.
  ADD COLUMN source_currency text,
  ALTER COLUMN hold_id DROP NOT NULL,
  DROP CONSTRAINT card_transactions_authorized_amount_check,
  ADD CONSTRAINT card_transactions_authorized_amount_check CHECK (authorized_amount >= 0);
UPDATE card_transactions SET source_currency = currency,
  claim_max = least(authorized_amount::numeric + div(authorized_amount, 2), 9223372036854775807);
ALTER TABLE card_transactions
  ALTER COLUMN claim_max SET NOT NULL,
  ALTER COLUMN source_currency SET NOT NULL,
  ADD CONSTRAINT card_transactions_claim_max CHECK (claim_max >= authorized_amount);

UPDATE cards SET currency = 'USD' WHERE currency IN ('USDB', 'USDC');

CREATE TABLE card_pull_signatures (
  card_transaction_id text NOT NULL REFERENCES card_transactions,
  -- Which of the purchase's pulls it is, from 1 on.
  number integer NOT NULL,
  platform_id text NOT NULL,
  delegated_key_id text NOT NULL REFERENCES delegated_keys,
  -- The very bytes that were signed.
  statement text NOT NULL,
  signature bytea NOT NULL,
  created_at timestamptz NOT NULL,
  PRIMARY KEY (card_transaction_id, number)
);
`
