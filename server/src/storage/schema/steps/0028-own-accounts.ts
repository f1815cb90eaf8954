/**
 * An account elsewhere is one account's own by a rail, or payers state references. Before, a rail could give one number to two
 * accounts: both now have to be named by a reference.
 */
export const ownAccounts = `
UPDATE deposit_accounts AS d SET matching = 'REFERENCE' WHERE d.matching = 'ACCOUNT' AND d.account_id IS NOT NULL AND EXISTS (
  SELECT 1 FROM deposit_accounts AS o WHERE o.id <> d.id AND o.platform_id = d.platform_id AND o.rail = d.rail
    AND o.account_id IS NOT NULL AND o.matching = 'ACCOUNT'
    AND (o.rail_reference = d.rail_reference
      OR (o.account_info = d.account_info AND d.account_info - 'accountType' <> '{}')));
CREATE UNIQUE INDEX deposit_accounts_own_name ON deposit_accounts (platform_id, rail, rail_reference)
  WHERE matching = 'ACCOUNT' AND account_id IS NOT NULL;
-- The details of an erased customer have no number any more.
CREATE UNIQUE INDEX deposit_accounts_own_number ON deposit_accounts (platform_id, rail, md5(account_info::text))
  WHERE matching = 'ACCOUNT' AND account_id IS NOT NULL AND account_info - 'accountType' <> '{}';
`
