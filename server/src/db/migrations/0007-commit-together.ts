/**
 * `commit_together` writes many write sets at once, a statement per table where `commit_write_sets` has one per write.
 * It does what that function would do with the same sets in the same order, or it raises and nothing is written:
 * CS002 where a guard failed, its detail the places of the writes that it may have failed for. Which sets may share a
 * call, and what its argument looks like, is in `db/batch.ts`. Decision 0017.
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

CREATE FUNCTION commit_together(batch jsonb) RETURNS void LANGUAGE plpgsql
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
  IF batch ? 'opens' THEN
    INSERT INTO ledger_accounts (id, platform_id, owner, currency, normal_side, may_overdraw, posted, held)
      SELECT id, platform_id, owner, currency, normal_side, may_overdraw, 0, 0
      FROM jsonb_populate_recordset(NULL::ledger_accounts, batch->'opens') ORDER BY id ON CONFLICT (id) DO NOTHING;
  END IF;

  -- Locked in the order of their ids, as commit_write_sets does it.
  IF batch ? 'accounts' THEN
    ids := ARRAY(SELECT jsonb_array_elements_text(batch->'accounts'));
    SELECT array_agg(a.id ORDER BY place), array_agg(CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END ORDER BY place),
      array_agg(a.currency ORDER BY place), array_agg(a.platform_id ORDER BY place), array_agg(a.may_overdraw ORDER BY place),
      array_agg(a.posted ORDER BY place), array_agg(a.held ORDER BY place)
    INTO account_ids, signs, currencies, platform_ids, overdrafts, posted_before, held_before
    FROM (SELECT *, array_position(ids, id) AS place FROM ledger_accounts WHERE id = ANY (ids) ORDER BY id FOR UPDATE) AS a;
    IF coalesce(cardinality(account_ids), 0) <> cardinality(ids) THEN
      RAISE EXCEPTION 'a write names an account that is not open' USING ERRCODE = 'foreign_key_violation';
    END IF;
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
    EXECUTE format('WITH changed AS (
        UPDATE %1$I AS t SET (%2$s) = (
          SELECT %2$s FROM jsonb_populate_record(NULL::%1$I, $3[array_position($2, t.id)]->''set''))
        WHERE t.id = ANY ($2) AND jsonb_populate_record(t, $3[array_position($2, t.id)]->''expect'') = t
        RETURNING $1[array_position($2, t.id)] AS n)
      SELECT array_agg(n) FROM changed', part->>'table',
      (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(rows[1]->'set') AS k))
      INTO done USING places, ids, rows;
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
      INSERT INTO idempotency_keys AS k SELECT * FROM jsonb_populate_recordset(NULL::idempotency_keys, batch->'keeps')
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

  IF batch ? 'transfers' THEN
    INSERT INTO ledger_transfers SELECT * FROM jsonb_populate_recordset(NULL::ledger_transfers, batch->'transfers');
    INSERT INTO ledger_entries (transfer_id, line, account_id, currency, amount, created_at)
      SELECT transfer_id, line,
        -- Of another platform is as not there.
        CASE platform_id WHEN platform_ids[account] THEN account_ids[account] END, currencies[account], amount, created_at
      FROM jsonb_to_recordset(batch->'entries') AS e (transfer_id text, platform_id text, line integer, account integer,
        amount bigint, created_at timestamptz);
  END IF;

  -- Balances, write by write: what each account had before the batch and the sum of what has moved it so far. An event
  -- that shows a balance is a write that moves nothing.
  IF account_ids IS NOT NULL THEN
    WITH steps AS (
      SELECT m.n, m.account, (sum(m.amount) * signs[m.account])::bigint AS posted, sum(m.held)::bigint AS held,
        bool_or(m.shown) AS shown
      FROM (
        SELECT n, account, amount, held, shown FROM jsonb_to_recordset(batch->'moves')
          AS m (n integer, account integer, amount bigint, held bigint, shown boolean)
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

  IF batch ? 'events' THEN
    INSERT INTO events (id, platform_id, type, object_id, sequence, data, created_at)
      SELECT e.id, e.platform_id, e.type, e.object_id,
        coalesce((SELECT max(sequence) FROM events WHERE object_id = e.object_id), 0)
          + row_number() OVER (PARTITION BY e.object_id ORDER BY e.n),
        CASE WHEN e.shown IS NULL THEN e.data ELSE
          jsonb_set(jsonb_set(e.data, '{balance,amount}', to_jsonb(shown_posted[e.shown] - shown_held[e.shown])),
            '{totalBalance,amount}', to_jsonb(shown_posted[e.shown])) END,
        e.at
      FROM jsonb_to_recordset(batch->'events') AS e (n integer, id text, platform_id text, type text, object_id text,
        data jsonb, shown integer, at timestamptz)
      ORDER BY e.n;
  END IF;
END $$;

-- Rows of these change after they were written, in columns without an index. With room beside them, that is one page and
-- no index entry.
ALTER TABLE transactions SET (fillfactor = 60);
ALTER TABLE quotes SET (fillfactor = 60);
ALTER TABLE ledger_holds SET (fillfactor = 60);
ALTER TABLE ledger_accounts SET (fillfactor = 50);

-- Due work is claimed lane by lane (jobs/lanes.ts): a backlog of one is not read through for the work of another.
DROP INDEX jobs_due;
CREATE INDEX jobs_due_main ON jobs (platform_id, due_at, id) WHERE kind NOT IN ('message.deliver', 'webhook.deliver');
CREATE INDEX jobs_due_messages ON jobs (platform_id, due_at, id) WHERE kind = 'message.deliver';
CREATE INDEX jobs_due_webhooks ON jobs (platform_id, due_at, id) WHERE kind = 'webhook.deliver';
`
