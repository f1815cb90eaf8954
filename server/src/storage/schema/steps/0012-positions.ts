/** What conversions under way will add to the platform's own position, where positions are limited. Decision 0046. */
export const positions = `
-- Null: the quote is not counted among the conversions under way, or no longer. Only one that is being paid may be. It has no
-- index, so where nothing is limited no payment pays for it.
ALTER TABLE quotes ADD COLUMN position_limit bigint,
  ADD CONSTRAINT quotes_position_limit CHECK (position_limit IS NULL OR (state = 'PROCESSING' AND position_limit >= 0)) NOT VALID;

-- The sums of the counted quotes, by currency. Written only by the function fx_in_flight.
CREATE TABLE fx_in_flight (
  platform_id uuid NOT NULL REFERENCES platforms,
  currency text NOT NULL,
  bought bigint NOT NULL CHECK (bought >= 0),
  sold bigint NOT NULL CHECK (sold >= 0),
  PRIMARY KEY (platform_id, currency)
) WITH (fillfactor = 50);

-- Finds the position of a currency. None of its columns ever changes.
CREATE UNIQUE INDEX ledger_accounts_fx ON ledger_accounts (platform_id, currency) WHERE name = 'fx';
`
