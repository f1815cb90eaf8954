/**
 * `commit_together` writes many write sets at once, a statement per table where `commit_write_sets` has one per write.
 * It does what that function would do with the same sets in the same order, or it raises and nothing is written:
 * CS002 where a guard failed, its detail the places of the writes that it may have failed for. Which sets may share a
 * call, and what its arguments look like, is in `db/batch.ts`. Decision 0017.
 *
 * A connection keeps the plans of static statements, which may have been made when a table was empty. So each finds the
 * rows it changes by an array of ids, for which there is one plan only, and has no join that could be turned around.
 * Places in the arrays stand for the join.
 */
export const commitTogether = `
-- A part of a batch was not done as it was meant: the writes of \`parts\` that are not among \`done\`.
CREATE FUNCTION refuse_together(parts jsonb, done integer[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a guard failed' USING ERRCODE = 'CS002', DETAIL = (
    SELECT coalesce(jsonb_agg(p->'n'), '[]') FROM jsonb_array_elements(parts) AS p
    WHERE NOT (p->>'n')::integer = ANY (coalesce(done, '{}')));
END $$;

CREATE FUNCTION commit_together(
  batch jsonb, bodies text[], account_list text[],
  move_writes integer[], move_accounts integer[], move_amounts bigint[], move_helds bigint[], move_shown boolean[],
  transfer_ids text[], transfer_platforms text[], transfer_causes text[], transfer_cause_ids text[],
  transfer_times timestamptz[],
  entry_transfers integer[], entry_lines integer[], entry_accounts integer[], entry_amounts bigint[],
  event_ids text[], event_platforms text[], event_types text[], event_objects text[], event_numbers integer[],
  event_data text[], event_shown integer[], event_times timestamptz[]
) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  part jsonb; places integer[]; ids text[]; rows jsonb[]; done integer[]; keys text[];
  -- The ledger's accounts, in the order of the argument.
  account_ids text[]; signs integer[]; currencies text[]; platform_ids text[]; overdrafts boolean[];
  posted_before bigint[]; held_before bigint[];
  -- What captures and voids release, by account.
  released_n integer[]; released_account integer[]; released_held bigint[];
  moved_posted bigint[]; moved_held bigint[]; shown_posted bigint[]; shown_held bigint[];
BEGIN
  -- Locked in the order of their ids, as commit_write_sets does it. What a write opens is there, but for the first time.
  IF cardinality(account_list) > 0 THEN
    FOR tries IN 1..2 LOOP
      SELECT array_agg(a.id ORDER BY place), array_agg(CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END ORDER BY place),
        array_agg(a.currency ORDER BY place), array_agg(a.platform_id ORDER BY place), array_agg(a.may_overdraw ORDER BY place),
        array_agg(a.posted ORDER BY place), array_agg(a.held ORDER BY place)
      INTO account_ids, signs, currencies, platform_ids, overdrafts, posted_before, held_before
      FROM (SELECT *, array_position(account_list, id) AS place FROM ledger_accounts
            WHERE id = ANY (account_list) ORDER BY id FOR UPDATE) AS a;
      EXIT WHEN cardinality(account_ids) = cardinality(account_list);
      IF tries = 2 OR NOT batch ? 'opens' THEN
        RAISE EXCEPTION 'a write names an account that is not open' USING ERRCODE = 'foreign_key_violation';
      END IF;
      INSERT INTO ledger_accounts (id, platform_id, owner, currency, normal_side, may_overdraw, posted, held)
        SELECT id, platform_id, owner, currency, normal_side, may_overdraw, 0, 0
        FROM jsonb_populate_recordset(NULL::ledger_accounts, batch->'opens') ORDER BY id ON CONFLICT (id) DO NOTHING;
    END LOOP;
  END IF;

  FOR part IN SELECT value FROM jsonb_array_elements(batch->'inserts') LOOP
    CASE part->>'table'
      WHEN 'transactions' THEN
        INSERT INTO transactions SELECT * FROM jsonb_populate_recordset(NULL::transactions, part->'rows');
      WHEN 'jobs' THEN
        INSERT INTO jobs SELECT * FROM jsonb_populate_recordset(NULL::jobs, part->'rows');
      WHEN 'quotes' THEN
        INSERT INTO quotes SELECT * FROM jsonb_populate_recordset(NULL::quotes, part->'rows');
      WHEN 'signing_requests' THEN
        INSERT INTO signing_requests SELECT * FROM jsonb_populate_recordset(NULL::signing_requests, part->'rows');
      ELSE
        EXECUTE format('INSERT INTO %1$I (%2$s) SELECT %2$s FROM jsonb_populate_recordset(NULL::%1$I, $1)',
          part->>'table', (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(part->'rows'->0) AS k))
          USING part->'rows';
    END CASE;
  END LOOP;

  FOR part IN SELECT value FROM jsonb_array_elements(batch->'updates') LOOP
    SELECT array_agg((r->>'n')::integer ORDER BY place), array_agg(r->>'id' ORDER BY place), array_agg(r ORDER BY place)
      INTO places, ids, rows FROM jsonb_array_elements(part->'rows') WITH ORDINALITY AS r (r, place);
    -- Most of all updates end a transaction. A statement that is built has to be planned each time.
    IF part->>'shape' = 'transactions settled_at,state,updated_at' THEN
      WITH changed AS (
        UPDATE transactions AS t SET (settled_at, state, updated_at) = (
          SELECT n.settled_at, n.state, n.updated_at
          FROM jsonb_to_record(rows[array_position(ids, t.id)]->'set')
            AS n (settled_at timestamptz, state text, updated_at timestamptz))
        WHERE t.id = ANY (ids) AND jsonb_populate_record(t, rows[array_position(ids, t.id)]->'expect') = t
        RETURNING places[array_position(ids, t.id)] AS n)
      SELECT array_agg(n) INTO done FROM changed;
    ELSE
    EXECUTE format('WITH changed AS (
        UPDATE %1$I AS t SET (%2$s) = (
          SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $3[array_position($2, t.id)]->''set''))
        WHERE t.id = ANY ($2) AND jsonb_populate_record(t, $3[array_position($2, t.id)]->''expect'') = t
        RETURNING $1[array_position($2, t.id)] AS n)
      SELECT array_agg(n) FROM changed', part->>'table',
      (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(rows[1]->'set') AS k))
      INTO done USING places, ids, rows;
    END IF;
    IF coalesce(cardinality(done), 0) <> cardinality(ids) THEN
      PERFORM refuse_together(part->'rows', done);
    END IF;
  END LOOP;

  -- Several may expect the same row.
  FOR part IN SELECT value FROM jsonb_array_elements(batch->'expects') LOOP
    EXECUTE format('WITH found AS (
        SELECT r.n FROM jsonb_to_recordset($1) AS r (n integer, id text, expect jsonb) JOIN %1$I AS t ON t.id = r.id
        WHERE jsonb_populate_record(t, r.expect) = t FOR SHARE OF t)
      SELECT array_agg(n) FROM found', part->>'table') INTO done USING part->'rows';
    IF coalesce(cardinality(done), 0) <> jsonb_array_length(part->'rows') THEN
      PERFORM refuse_together(part->'rows', done);
    END IF;
  END LOOP;

  IF batch ? 'removes' THEN
    SELECT array_agg((r->>'n')::integer ORDER BY place), array_agg(r->>'id' ORDER BY place)
      INTO places, ids FROM jsonb_array_elements(batch->'removes') WITH ORDINALITY AS r (r, place);
    WITH removed AS (DELETE FROM jobs WHERE id = ANY (ids) RETURNING places[array_position(ids, id)] AS n)
    SELECT array_agg(n) INTO done FROM removed;
    IF coalesce(cardinality(done), 0) <> cardinality(ids) THEN
      PERFORM refuse_together(batch->'removes', done);
    END IF;
  END IF;

  IF batch ? 'keeps' THEN
    WITH kept AS (
      INSERT INTO idempotency_keys AS k (scope, key, platform_id, request_hash, status, body, created_at, expires_at)
      SELECT scope, key, platform_id, request_hash, status, bodies[body], created_at, expires_at
      FROM jsonb_to_recordset(batch->'keeps') AS r (scope text, key text, platform_id text, request_hash bytea,
        status integer, body integer, created_at timestamptz, expires_at timestamptz)
      ON CONFLICT (scope, key) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status,
        body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at <= excluded.created_at RETURNING k.scope, k.key)
    SELECT array_agg(k.scope || E'\\n' || k.key) INTO keys FROM kept AS k;
    IF coalesce(cardinality(keys), 0) <> jsonb_array_length(batch->'keeps') THEN
      PERFORM refuse_together(batch->'keeps', ARRAY(
        SELECT r.n FROM jsonb_to_recordset(batch->'keeps') AS r (n integer, scope text, key text)
        WHERE r.scope || E'\\n' || r.key = ANY (keys)));
    END IF;
    DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
      SELECT e.place
      FROM (SELECT platform_id, max(created_at) AS now, count(*) AS keeps
            FROM jsonb_to_recordset(batch->'keeps') AS r (platform_id text, created_at timestamptz) GROUP BY 1) AS p
      CROSS JOIN LATERAL (
        SELECT ctid AS place FROM idempotency_keys WHERE platform_id = p.platform_id AND expires_at <= p.now
        ORDER BY expires_at LIMIT 2 * p.keeps FOR UPDATE SKIP LOCKED) AS e));
  END IF;

  IF batch ? 'holds' THEN
    INSERT INTO ledger_holds SELECT id, platform_id, account_ids[account], amount, 0, 'pending', cause, cause_id, at, at
      FROM jsonb_to_recordset(batch->'holds') AS h (id text, platform_id text, account integer, amount bigint, cause text,
        cause_id text, at timestamptz);
  END IF;

  IF batch ? 'captures' THEN
    SELECT array_agg((r->>'n')::integer ORDER BY place), array_agg(r->>'hold' ORDER BY place), array_agg(r ORDER BY place)
      INTO places, ids, rows FROM jsonb_array_elements(batch->'captures') WITH ORDINALITY AS r (r, place);
    WITH captured AS (
      UPDATE ledger_holds AS h SET captured = h.captured + (rows[array_position(ids, h.id)]->>'amount')::bigint,
        updated_at = (rows[array_position(ids, h.id)]->>'at')::timestamptz,
        state = CASE WHEN (rows[array_position(ids, h.id)]->>'final')::boolean
          OR (rows[array_position(ids, h.id)]->>'amount')::bigint >= greatest(h.amount - h.captured, 0)
          THEN 'posted' ELSE 'pending' END
      WHERE h.id = ANY (ids) AND h.state = 'pending'
        AND h.account_id = account_ids[(rows[array_position(ids, h.id)]->>'account')::integer]
      RETURNING array_position(ids, h.id) AS place, h.amount, h.captured),
    released AS (
      SELECT places[c.place] AS n, (w->>'account')::integer AS account,
        -- What was left of the hold before this.
        greatest(c.amount - (c.captured - (w->>'amount')::bigint), 0) AS left_over,
        (w->>'amount')::bigint AS taken, (w->>'final')::boolean AS final
      FROM captured AS c CROSS JOIN LATERAL (SELECT rows[c.place] AS w) AS w)
    SELECT array_agg(n), array_agg(account), array_agg(- CASE WHEN final THEN left_over ELSE least(taken, left_over) END)
      INTO released_n, released_account, released_held FROM released;
    IF coalesce(cardinality(released_n), 0) <> cardinality(ids) THEN
      PERFORM refuse_together(batch->'captures', released_n);
    END IF;
  END IF;

  IF batch ? 'voids' THEN
    SELECT array_agg((r->>'n')::integer ORDER BY place), array_agg(r->>'hold' ORDER BY place), array_agg(r ORDER BY place)
      INTO places, ids, rows FROM jsonb_array_elements(batch->'voids') WITH ORDINALITY AS r (r, place);
    WITH voided AS (
      UPDATE ledger_holds AS h SET state = 'voided', updated_at = (rows[array_position(ids, h.id)]->>'at')::timestamptz
      WHERE h.id = ANY (ids) AND h.state = 'pending'
        AND h.account_id = account_ids[(rows[array_position(ids, h.id)]->>'account')::integer]
      RETURNING array_position(ids, h.id) AS place, greatest(h.amount - h.captured, 0) AS left_over)
    SELECT array_agg(places[place]), released_n || array_agg(places[place]),
        released_account || array_agg((rows[place]->>'account')::integer), released_held || array_agg(- left_over)
      INTO done, released_n, released_account, released_held FROM voided;
    IF coalesce(cardinality(done), 0) <> cardinality(ids) THEN
      PERFORM refuse_together(batch->'voids', done);
    END IF;
  END IF;

  IF cardinality(transfer_ids) > 0 THEN
    INSERT INTO ledger_transfers (id, platform_id, cause, cause_id, created_at)
      SELECT * FROM unnest(transfer_ids, transfer_platforms, transfer_causes, transfer_cause_ids, transfer_times);
    INSERT INTO ledger_entries (transfer_id, line, account_id, currency, amount, created_at)
      SELECT transfer_ids[transfer], line,
        -- Of another platform is as not there.
        CASE transfer_platforms[transfer] WHEN platform_ids[account] THEN account_ids[account] END, currencies[account], amount,
        transfer_times[transfer]
      FROM unnest(entry_transfers, entry_lines, entry_accounts, entry_amounts) AS e (transfer, line, account, amount);
  END IF;

  -- Balances, write by write: what each account had before the batch and the sum of what has moved it so far. An event
  -- that shows a balance is a write that moves nothing.
  IF account_ids IS NOT NULL THEN
    WITH steps AS (
      SELECT m.n, m.account, (sum(m.amount) * signs[m.account])::bigint AS posted, sum(m.held)::bigint AS held,
        bool_or(m.shown) AS shown
      FROM (
        SELECT * FROM unnest(move_writes, move_accounts, move_amounts, move_helds, move_shown)
          AS m (n, account, amount, held, shown)
        UNION ALL SELECT n, account, 0, held, false FROM unnest(released_n, released_account, released_held)
          AS r (n, account, held)) AS m
      GROUP BY m.account, m.n),
    running AS (
      SELECT n, account, shown, posted, held,
        (posted_before[account] + sum(posted) OVER so_far)::bigint AS posted_then,
        (held_before[account] + sum(held) OVER so_far)::bigint AS held_then
      FROM steps WINDOW so_far AS (PARTITION BY account ORDER BY n)),
    totals AS (SELECT account, sum(posted)::bigint AS posted, sum(held)::bigint AS held FROM steps GROUP BY account)
    SELECT array_agg(posted_then ORDER BY n) FILTER (WHERE shown), array_agg(held_then ORDER BY n) FILTER (WHERE shown),
      array_agg(n) FILTER (WHERE held_then < 0 OR (posted_then < held_then AND NOT overdrafts[account])),
      (SELECT array_agg(coalesce(t.posted, 0) ORDER BY a) FROM generate_subscripts(account_ids, 1) AS a
        LEFT JOIN totals AS t ON t.account = a),
      (SELECT array_agg(coalesce(t.held, 0) ORDER BY a) FROM generate_subscripts(account_ids, 1) AS a
        LEFT JOIN totals AS t ON t.account = a)
    INTO shown_posted, shown_held, done, moved_posted, moved_held FROM running;
    IF done IS NOT NULL THEN
      RAISE EXCEPTION 'a guard failed' USING ERRCODE = 'CS002', DETAIL = to_jsonb(done);
    END IF;
    UPDATE ledger_accounts SET posted = posted + moved_posted[array_position(account_ids, id)],
        held = held + moved_held[array_position(account_ids, id)]
      WHERE id = ANY (account_ids) AND (moved_posted[array_position(account_ids, id)] <> 0
        OR moved_held[array_position(account_ids, id)] <> 0);
  END IF;

  IF cardinality(event_ids) > 0 THEN
    INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
      SELECT id, platform_id, type, e.object_id,
        coalesce((SELECT max(sequence) FROM events WHERE object_id = e.object_id), 0) + number,
        (CASE WHEN shown IS NULL THEN data ELSE
          replace(replace(data, '"balance":{"amount":0', '"balance":{"amount":' || shown_posted[shown] - shown_held[shown]),
            '"totalBalance":{"amount":0', '"totalBalance":{"amount":' || shown_posted[shown]) END)::json,
        at
      FROM unnest(event_ids, event_platforms, event_types, event_objects, event_numbers, event_data, event_shown, event_times)
        AS e (id, platform_id, type, object_id, number, data, shown, at);
  END IF;
END $$;

-- Rows of these change after they were written, in columns without an index. With room beside them, that is one page and
-- no index entry.
ALTER TABLE transactions SET (fillfactor = 50);
ALTER TABLE quotes SET (fillfactor = 60);
ALTER TABLE ledger_holds SET (fillfactor = 50);
ALTER TABLE ledger_accounts SET (fillfactor = 50);

-- Due work is claimed lane by lane (jobs/lanes.ts): a backlog of one is not read through for the work of another.
DROP INDEX jobs_due;
DROP INDEX jobs_platform_due;
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id) WHERE kind NOT IN ('message.deliver', 'webhook.deliver');
CREATE INDEX jobs_due_messages ON jobs (platform_id, due_at, id) WHERE kind = 'message.deliver';
CREATE INDEX jobs_due_webhooks ON jobs (platform_id, due_at, id) WHERE kind = 'webhook.deliver';

-- What every payment adds refers to rows that its write set has read or locks anyway, and that nobody may delete. A check
-- of each reference would cost as much as the row (decision 0017).
ALTER TABLE transactions DROP CONSTRAINT transactions_platform_id_fkey;
ALTER TABLE transactions DROP CONSTRAINT transactions_customer_id_fkey;
ALTER TABLE events DROP CONSTRAINT events_platform_id_fkey;
ALTER TABLE jobs DROP CONSTRAINT jobs_platform_id_fkey;
ALTER TABLE idempotency_keys DROP CONSTRAINT idempotency_keys_platform_id_fkey;
ALTER TABLE ledger_transfers DROP CONSTRAINT ledger_transfers_platform_id_fkey;
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_transfer_id_fkey;
ALTER TABLE ledger_entries DROP CONSTRAINT ledger_entries_account_id_fkey;
ALTER TABLE ledger_holds DROP CONSTRAINT ledger_holds_platform_id_fkey;
ALTER TABLE ledger_holds DROP CONSTRAINT ledger_holds_account_id_fkey;

CREATE FUNCTION never_deleted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'rows of % are never deleted', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER platforms_never_deleted BEFORE DELETE OR TRUNCATE ON platforms
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();
CREATE TRIGGER customers_never_deleted BEFORE DELETE OR TRUNCATE ON customers
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();
CREATE TRIGGER ledger_accounts_never_deleted BEFORE DELETE OR TRUNCATE ON ledger_accounts
  FOR EACH STATEMENT EXECUTE FUNCTION never_deleted();

-- The reference was what refused an account that is not open.
CREATE OR REPLACE FUNCTION ledger_hold(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_holds VALUES (w->>'id', w->>'platformId', w->>'account', (w->>'amount')::bigint, 0, 'pending',
    w->>'cause', w->>'causeId', (w->>'at')::timestamptz, (w->>'at')::timestamptz);
  UPDATE ledger_accounts SET held = held + (w->>'amount')::bigint WHERE id = w->>'account';
  IF NOT FOUND THEN
    RAISE EXCEPTION 'a hold names an account that is not open' USING ERRCODE = 'foreign_key_violation';
  END IF;
END $$;

-- An event is written once, read now and then, and never looked into: as it was sent it costs least.
ALTER TABLE events ALTER COLUMN data TYPE json USING data::json;
CREATE OR REPLACE FUNCTION write_event(w jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
  SELECT w->>'id', w->>'platformId', w->>'type', w->>'objectId',
    coalesce((SELECT max(sequence) FROM events WHERE object_id = w->>'objectId'), 0) + 1,
    coalesce((SELECT jsonb_set(jsonb_set(w->'data', '{balance,amount}', to_jsonb(a.posted - a.held)),
      '{totalBalance,amount}', to_jsonb(a.posted)) FROM ledger_accounts a WHERE a.id = w->>'balanceOf'), w->'data')::json,
    (w->>'at')::timestamptz
$$;
`
