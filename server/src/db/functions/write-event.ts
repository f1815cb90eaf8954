/**
 * Appends an event, numbered within its object. With `balanceOf`, its data shows the balances of that account at this
 * point of the transaction, which the operation could not know.
 */
export const writeEvent = `
CREATE OR REPLACE FUNCTION write_event(w jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
  SELECT (w->>'id')::uuid, (w->>'platformId')::uuid, w->>'type', (w->>'objectId')::uuid,
    coalesce((SELECT max(sequence) FROM events WHERE object_id = (w->>'objectId')::uuid), 0) + 1,
    coalesce((SELECT jsonb_set(jsonb_set(w->'data', '{balance,amount}', to_jsonb(a.posted - a.held)),
      '{totalBalance,amount}', to_jsonb(a.posted)) FROM ledger_accounts a WHERE a.id = (w->>'balanceOf')::uuid), w->'data')::json,
    (w->>'at')::timestamptz
$$;
`
