/**
 * True if the money of an unsuccessful payment is back at its source. Without a hold and a refund it never
 * left: the payment was not started, or nothing was pulled in.
 */
export const agentMoneyIsBack = `
CREATE OR REPLACE FUNCTION agent_money_is_back(payment uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN (SELECT t.state IN ('FAILED', 'REJECTED', 'REFUNDED', 'EXPIRED') AND CASE
    WHEN t.refund IS NOT NULL THEN t.refund->>'status' = 'COMPLETED'
    WHEN t.hold_id IS NOT NULL THEN (SELECT state = 'voided' FROM ledger_transfers WHERE id = t.hold_id)
    ELSE true END
  FROM transactions t WHERE t.id = payment);
END $$;
`
