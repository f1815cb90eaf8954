/** The data of an event with the balances of an account, for which the operation has written 0; null: unchanged. */
export const withBalances = `
CREATE OR REPLACE FUNCTION with_balances(data text, available bigint, total bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN total IS NULL THEN data ELSE
    replace(replace(data, '"balance":{"amount":0', '"balance":{"amount":' || available),
      '"totalBalance":{"amount":0', '"totalBalance":{"amount":' || total) END
$$;
`
