/** Quotes paid on the spot and quotes to anyone, transfers, refunds. */
export const money = `
ALTER TABLE quotes ALTER COLUMN source_account_id DROP NOT NULL;
ALTER TABLE quotes ALTER COLUMN destination_account_id DROP NOT NULL;
-- An internal account may be paid as well.
ALTER TABLE quotes DROP CONSTRAINT quotes_destination_account_id_fkey;
ALTER TABLE quotes ADD COLUMN source_network text;
ALTER TABLE quotes ADD COLUMN destination_uma text;

-- The platform moves its own money as well.
ALTER TABLE transactions ALTER COLUMN customer_id DROP NOT NULL;
ALTER TABLE transactions ADD COLUMN kind text NOT NULL DEFAULT 'QUOTE'
  CHECK (kind IN ('QUOTE', 'TRANSFER_IN', 'TRANSFER_OUT', 'RECEIPT'));
ALTER TABLE transactions ADD COLUMN payment_rail text;
ALTER TABLE transactions ADD COLUMN remittance_information text;
ALTER TABLE transactions ADD COLUMN refund jsonb;
ALTER TABLE transactions ADD COLUMN receipt_delivery_confirmed_at timestamptz;
ALTER TABLE transactions ADD COLUMN agent_id text;
-- What money from outside is matched by names one transaction.
DROP INDEX transactions_reference;
CREATE UNIQUE INDEX transactions_reference ON transactions (platform_id, reference);
`
