/**
 * Writes an array of write sets one after the other, and returns one result per set: the exact path of the
 * committer. Each set runs in its own subtransaction, so a set whose guard fails leaves nothing behind and
 * does not affect the others. A result is null if the set was written, else `{guard, name}` of the failed
 * guard.
 */
export const commitWriteSets = `
CREATE OR REPLACE FUNCTION commit_write_sets(sets jsonb) RETURNS jsonb LANGUAGE plpgsql AS $$
DECLARE results jsonb := '[]'; write_set jsonb; w jsonb; guard_name text;
BEGIN
  PERFORM refuse_moved_feed();
  -- Locks the accounts of the whole batch in one order, so that two batches cannot block each other.
  PERFORM 1 FROM ledger_accounts WHERE id IN (
      SELECT side FROM jsonb_array_elements(sets) AS s, jsonb_array_elements(s) AS w1,
        unnest(ARRAY[w1->>'debit', w1->>'credit', w1->>'objectId']::uuid[]) AS side
      WHERE w1->>'write' IN ('transfer', 'end') OR w1->'ofAccount' IS NOT NULL)
    ORDER BY id FOR UPDATE;
  FOR write_set IN SELECT value FROM jsonb_array_elements(sets) LOOP
    BEGIN
      FOR w IN SELECT value FROM jsonb_array_elements(write_set) LOOP
        CASE w->>'write'
          WHEN 'insert' THEN PERFORM write_insert(w);
          WHEN 'update' THEN PERFORM write_update(w);
          WHEN 'expect' THEN PERFORM write_expect(w);
          WHEN 'remove' THEN PERFORM write_remove(w);
          WHEN 'newestKey' THEN PERFORM refuse_older_generation((w->>'generation')::bigint);
          WHEN 'keep' THEN PERFORM write_keep(w);
          WHEN 'event' THEN PERFORM write_event(w);
          WHEN 'open' THEN PERFORM ledger_open(w);
          WHEN 'close' THEN PERFORM ledger_close(w);
          WHEN 'transfer' THEN PERFORM ledger_transfer(w);
          WHEN 'end' THEN PERFORM ledger_end(w);
        END CASE;
      END LOOP;
      results := results || 'null'::jsonb;
    EXCEPTION
      WHEN unique_violation THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        results := results || jsonb_build_object('guard', 'unique', 'name', guard_name);
      WHEN check_violation THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        CASE coalesce(guard_name, '')
          WHEN 'ledger_accounts_overdraft' THEN
            results := results || jsonb_build_object('guard', 'overdraft', 'name', guard_name);
          WHEN 'ledger_accounts_closed' THEN
            results := results || jsonb_build_object('guard', 'expectation', 'name', guard_name);
          ELSE RAISE;
        END CASE;
      WHEN SQLSTATE 'CS001' THEN
        GET STACKED DIAGNOSTICS guard_name = CONSTRAINT_NAME;
        results := results || jsonb_build_object('guard', 'expectation', 'name', guard_name);
    END;
  END LOOP;
  RETURN results;
END $$;
`
