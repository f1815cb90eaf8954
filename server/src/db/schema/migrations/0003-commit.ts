/**
 * The one way anything is written: `commit_write_sets` takes an array of write sets and gives back one result per set.
 * Each set runs in a subtransaction of its own: a set whose guard fails leaves nothing behind and its neighbours alone.
 * A result is null when the set was done, else {guard, name}: which kind of guard refused it and where.
 */
export const commit = `
CREATE FUNCTION write_insert(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $1)', w->>'table',
    (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(w->'row') AS k)) USING w->'row';
END $$;

-- Changes exactly one row, which must be as expected.
CREATE FUNCTION write_update(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE changed integer;
BEGIN
  EXECUTE format('UPDATE %1$I AS t SET (%2$s) = (SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $1)) '
    'FROM jsonb_populate_record(NULL::%1$I, $2) AS e WHERE t.id = $3 AND %3$s', w->>'table',
    (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(w->'set') AS k),
    coalesce((SELECT string_agg(format('t.%1$I IS NOT DISTINCT FROM e.%1$I', k), ' AND ')
      FROM jsonb_object_keys(w->'expect') AS k), 'true')) USING w->'set', w->'expect', w->>'id';
  GET DIAGNOSTICS changed = ROW_COUNT;
  IF changed <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = w->>'table';
  END IF;
END $$;

-- Changes nothing, but holds the row as expected until the commit.
CREATE FUNCTION write_expect(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE found_one boolean;
BEGIN
  EXECUTE format('SELECT true FROM %1$I AS t, jsonb_populate_record(NULL::%1$I, $1) AS e WHERE t.id = $2 AND %2$s '
    'FOR SHARE OF t', w->>'table',
    (SELECT string_agg(format('t.%1$I IS NOT DISTINCT FROM e.%1$I', k), ' AND ') FROM jsonb_object_keys(w->'expect') AS k))
    INTO found_one USING w->'expect', w->>'id';
  IF found_one IS NULL THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = w->>'table';
  END IF;
END $$;

-- Removes exactly one row.
CREATE FUNCTION write_remove(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE removed integer;
BEGIN
  EXECUTE format('DELETE FROM %I WHERE id = $1', w->>'table') USING w->>'id';
  GET DIAGNOSTICS removed = ROW_COUNT;
  IF removed <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = w->>'table';
  END IF;
END $$;

-- Keeps an answer under its idempotency key. A key that has expired is free again. A few others of the platform that
-- have expired go with each one that comes, so that the table does not grow without end.
CREATE FUNCTION write_keep(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE kept integer;
BEGIN
  INSERT INTO idempotency_keys AS k SELECT * FROM jsonb_populate_record(NULL::idempotency_keys, w->'row')
    ON CONFLICT (scope, key) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status,
      body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at
    WHERE k.expires_at <= excluded.created_at;
  GET DIAGNOSTICS kept = ROW_COUNT;
  IF kept <> 1 THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'idempotency_keys_pkey';
  END IF;
  DELETE FROM idempotency_keys WHERE (scope, key) IN (
    SELECT scope, key FROM idempotency_keys
    WHERE platform_id = w->'row'->>'platform_id' AND expires_at <= (w->'row'->>'created_at')::timestamptz
    ORDER BY expires_at LIMIT 2 FOR UPDATE SKIP LOCKED);
END $$;

-- Appends an event, numbered per object. With balanceOf, its data shows the balances of that account as they are by now
-- in this transaction: whoever decided on the write could not know them.
CREATE FUNCTION write_event(w jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
  SELECT w->>'id', w->>'platformId', w->>'type', w->>'objectId',
    coalesce((SELECT max(sequence) FROM events WHERE object_id = w->>'objectId'), 0) + 1,
    coalesce((SELECT jsonb_set(jsonb_set(w->'data', '{balance,amount}', to_jsonb(a.posted - a.held)),
      '{totalBalance,amount}', to_jsonb(a.posted)) FROM ledger_accounts a WHERE a.id = w->>'balanceOf'), w->'data'),
    (w->>'at')::timestamptz
$$;

CREATE FUNCTION commit_write_sets(sets jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE results jsonb := '[]'; write_set jsonb; w jsonb; guard_name text;
BEGIN
  -- The accounts of the whole batch are locked in one order, so that two batches cannot block each other.
  PERFORM 1 FROM ledger_accounts WHERE id IN (
      SELECT coalesce(e->>'account', w1->>'account')
      FROM jsonb_array_elements(sets) AS s, jsonb_array_elements(s) AS w1
      LEFT JOIN LATERAL jsonb_array_elements(w1->'entries') AS e ON true
      WHERE w1->>'write' IN ('post', 'hold', 'capture', 'void'))
    ORDER BY id FOR UPDATE;
  FOR write_set IN SELECT value FROM jsonb_array_elements(sets) LOOP
    BEGIN
      FOR w IN SELECT value FROM jsonb_array_elements(write_set) LOOP
        CASE w->>'write'
          WHEN 'insert' THEN PERFORM write_insert(w);
          WHEN 'update' THEN PERFORM write_update(w);
          WHEN 'expect' THEN PERFORM write_expect(w);
          WHEN 'remove' THEN PERFORM write_remove(w);
          WHEN 'keep' THEN PERFORM write_keep(w);
          WHEN 'event' THEN PERFORM write_event(w);
          WHEN 'open' THEN PERFORM ledger_open(w);
          WHEN 'post' THEN PERFORM ledger_post(w);
          WHEN 'hold' THEN PERFORM ledger_hold(w);
          WHEN 'capture' THEN PERFORM ledger_capture(w);
          WHEN 'void' THEN PERFORM ledger_void(w);
        END CASE;
      END LOOP;
      results := results || 'null'::jsonb;
    EXCEPTION
      WHEN unique_violation THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        results := results || jsonb_build_object('guard', 'unique', 'name', guard_name);
      WHEN check_violation THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        IF guard_name IS DISTINCT FROM 'ledger_accounts_overdraft' THEN RAISE; END IF;
        results := results || jsonb_build_object('guard', 'overdraft', 'name', guard_name);
      WHEN SQLSTATE 'CS001' THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        results := results || jsonb_build_object('guard', 'expectation', 'name', guard_name);
    END;
  END LOOP;
  RETURN results;
END $$;
`
