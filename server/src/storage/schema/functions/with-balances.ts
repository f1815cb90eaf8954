/** The data of an account event: its record, with the current balances instead of 0. */
export const withBalances = `
CREATE OR REPLACE FUNCTION with_balances(data text, available bigint, total bigint) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT replace(replace(data, '"balance":{"amount":0', '"balance":{"amount":' || available),
    '"totalBalance":{"amount":0', '"totalBalance":{"amount":' || total)
$$;
`
