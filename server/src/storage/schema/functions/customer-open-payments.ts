/**
 * Lists a customer's payments that still move money: executed or waiting for approval, being refunded, or
 * paid by card and not yet claimed or pulled. Quotes that were not executed do not count.
 */
export const customerOpenPayments = `
CREATE OR REPLACE FUNCTION customer_open_payments(customer uuid) RETURNS TABLE (id uuid, kind text, status text, card_id uuid)
LANGUAGE plpgsql STABLE AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY SELECT t.id, 'transaction', t.state, NULL::uuid FROM transactions t
    WHERE t.customer_id = customer AND (t.state = 'PROCESSING' OR t.refund->>'status' = 'PENDING'
      OR (t.state = 'PENDING' AND (t.kind <> 'QUOTE' OR (t.agent_id IS NOT NULL AND EXISTS (
        SELECT 1 FROM agent_actions a WHERE a.transaction_id = t.id AND a.state = 'PENDING_APPROVAL')))))
  UNION ALL
  SELECT p.id, 'cardTransaction', p.state, p.card_id FROM cards c JOIN card_transactions p ON p.card_id = c.id
    WHERE c.cardholder_id = customer AND (p.unclaimed_amount > 0 OR p.pending_count > 0);
END $$;
`
