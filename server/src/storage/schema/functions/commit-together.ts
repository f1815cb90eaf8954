import { EXPECTED, INSERTED } from '../../rows/row-columns.ts'

/**
 * Writes many write sets together, with one statement per table; every commit is a call of this function
 * (decision 0017). If a guard fails, it raises an error and writes nothing: CS002 from refuse_together, CS001
 * from a trigger, reconciliation_match_sums or ledger_close, a unique violation, or CS008 from
 * refuse_moved_feed. Plans that scan whole tables are disabled, because a cached plan may be older than the
 * rows of its table.
 */
export const commitTogether = `
CREATE OR REPLACE FUNCTION commit_together(
  -- Infrequent writes of a batch, as statements in their order: inserts, which come first, and steps; in addition the matches that
  -- are compared with the ledger and the customer whose accounts are closed, last. Null if it has only others.
  batch jsonb,
  -- Accounts that may have to be opened first, as JSON.
  opens text,
  -- The accounts of the ledger, each once, by id; arguments below name an account by its place in this array.
  accounts uuid[],
  ${INSERTED.map((table) => `${table}_rows ${table}[],`).join(' ')}
  key_writes integer[], key_rows idempotency_keys[],
  removal_writes integer[], removal_jobs uuid[],
  -- Transactions that reach a final state.
  end_writes integer[], end_ids uuid[], end_expected text[], end_states text[], end_settled timestamptz[],
  end_updated timestamptz[],
  -- Payments that a rail has, or has delivered; a reference and a time of delivery only if the rail reported them.
  said_writes integer[], said_ids uuid[], said_expected text[], said_states text[], said_references text[],
  said_delivered timestamptz[], said_updated timestamptz[],
  -- A transfer's credited account has a place only if it is posted.
  transfer_rows ledger_transfers[], transfer_debits integer[], transfer_credits integer[],
  -- Pending transfers that are posted or voided; the credited account has a place only if they are posted.
  step_writes integer[], step_transfers uuid[], step_debits integer[], step_credits integer[], step_amounts bigint[],
  step_states text[], step_times timestamptz[],
  -- The effect of each write on an account, in the order of the writes, and the event that shows the resulting balance.
  move_writes integer[], move_accounts integer[], move_amounts bigint[], move_helds bigint[], move_events integer[],
  -- The sequence of a row is its number among the events of its object in this batch, which follow its earlier ones; null: the
  -- database counts them.
  event_rows events[], event_bases integer[],
  -- Account records that may have to be stored: events refer to them instead of data.
  record_rows event_records[]
) RETURNS void LANGUAGE plpgsql
  SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off
  SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  part jsonb; places integer[]; ids uuid[]; rows jsonb[]; times timestamptz[]; done integer[]; keys text[]; gone uuid[]; acct integer; changed integer;
  guard text;
  -- One element per account, in the order of accounts.
  spots tid[]; signs integer[]; currencies text[]; platform_ids uuid[]; overdrafts boolean[]; closed boolean[];
  posted_now bigint[]; held_now bigint[]; counts integer[];
  -- One element per event, in the order of event_rows.
  shown_available bigint[]; shown_posted bigint[]; shown_sequences integer[];
BEGIN
  PERFORM refuse_moved_feed();
  -- Locks the accounts in the order of their ids, so that two commits cannot block each other. An account that a write opens usually exists
  -- already.
  IF cardinality(accounts) > 0 THEN
    FOR tries IN 1..2 LOOP
      SELECT array_agg(l.spot), array_agg(CASE l.normal_side WHEN 'credit' THEN 1 ELSE -1 END), array_agg(l.currency),
        array_agg(l.platform_id), array_agg(l.may_overdraw), array_agg(l.is_closed), array_agg(l.posted), array_agg(l.held),
        array_agg(l.event_count)
      INTO spots, signs, currencies, platform_ids, overdrafts, closed, posted_now, held_now, counts
      FROM (SELECT ctid AS spot, * FROM ledger_accounts WHERE id = ANY (accounts) ORDER BY id FOR UPDATE) AS l;
      EXIT WHEN cardinality(spots) = cardinality(accounts);
      IF tries = 2 OR opens IS NULL THEN
        RAISE EXCEPTION 'a write names an account that is not open' USING ERRCODE = 'foreign_key_violation';
      END IF;
      INSERT INTO ledger_accounts (id, platform_id, owner, name, currency, normal_side, may_overdraw, posted, held)
        SELECT id, platform_id, owner, name, currency, normal_side, may_overdraw, 0, 0
        FROM jsonb_populate_recordset(NULL::ledger_accounts, opens::jsonb) ORDER BY id ON CONFLICT (id) DO NOTHING;
    END LOOP;
  END IF;

  IF batch IS NOT NULL THEN
    IF batch ? 'sealedUnder' THEN
      PERFORM refuse_older_generation((batch->>'sealedUnder')::bigint);
    END IF;
    FOR part IN SELECT value FROM jsonb_array_elements(batch->'inserts') LOOP
      PERFORM write_insert(part);
    END LOOP;
  END IF;
${INSERTED.map(
  (table) => `  IF cardinality(${table}_rows) > 0 THEN
    INSERT INTO ${table} SELECT * FROM unnest(${table}_rows);
  END IF;`,
).join('\n')}

  -- Dynamic statements are planned each time. So the updates of every signed payment have separate static statements,
  -- and the most frequent one, of a transaction that reaches a final state, comes as arrays below.
  IF batch IS NOT NULL THEN
    FOR part IN SELECT value FROM jsonb_array_elements(batch->'steps') LOOP
      IF part->>'write' = 'insert' THEN
        PERFORM write_insert(part);
      ELSIF part->>'write' = 'update' THEN
        SELECT array_agg((r->>'n')::integer ORDER BY place), array_agg((r->>'id')::uuid ORDER BY place), array_agg(r ORDER BY place)
          INTO places, ids, rows FROM jsonb_array_elements(part->'rows') WITH ORDINALITY AS r (r, place);
        CASE part->>'shape'
          WHEN 'quotes state,updated_at' THEN
            times := ARRAY(SELECT (r->'set'->>'updated_at')::timestamptz FROM unnest(rows) AS r);
            WITH changed AS (
              UPDATE quotes AS t SET state = u.r->'set'->>'state', updated_at = u.at
              FROM unnest(places, ids, rows, times) AS u (n, id, r, at)
              WHERE t.id = u.id AND row_of(t, u.r->'expect') = t RETURNING u.n)
            SELECT array_agg(n) INTO done FROM changed;
          WHEN 'transactions hold_id,state,updated_at' THEN
            times := ARRAY(SELECT (r->'set'->>'updated_at')::timestamptz FROM unnest(rows) AS r);
            WITH changed AS (
              UPDATE transactions AS t SET hold_id = (u.r->'set'->>'hold_id')::uuid, state = u.r->'set'->>'state', updated_at = u.at
              FROM unnest(places, ids, rows, times) AS u (n, id, r, at)
              WHERE t.id = u.id AND row_of(t, u.r->'expect') = t RETURNING u.n)
            SELECT array_agg(n) INTO done FROM changed;
          WHEN 'signing_requests consumed_at,session_id,stamp' THEN
            times := ARRAY(SELECT (r->'set'->>'consumed_at')::timestamptz FROM unnest(rows) AS r);
            WITH changed AS (
              UPDATE signing_requests AS t SET consumed_at = u.at, session_id = (u.r->'set'->>'session_id')::uuid,
                stamp = u.r->'set'->>'stamp'
              FROM unnest(places, ids, rows, times) AS u (n, id, r, at)
              WHERE t.id = u.id AND row_of(t, u.r->'expect') = t RETURNING u.n)
            SELECT array_agg(n) INTO done FROM changed;
          ELSE
            EXECUTE format('WITH changed AS (
                UPDATE %1$I AS t SET (%2$s) = (
                  SELECT %2$s FROM row_of(NULL::%1$I, $3[array_position($2, t.id)]->''set''))
                WHERE t.id = ANY ($2) AND row_of(t, $3[array_position($2, t.id)]->''expect'') = t
                RETURNING $1[array_position($2, t.id)] AS n)
              SELECT array_agg(n) FROM changed', part->>'table',
              (SELECT string_agg(quote_ident(k), ', ') FROM jsonb_object_keys(rows[1]->'set') AS k))
              INTO done USING places, ids, rows;
        END CASE;
        IF coalesce(cardinality(done), 0) <> cardinality(ids) THEN
          PERFORM refuse_together(part->>'table', places, done);
        END IF;
      ELSE
        -- Several writes may expect the same row.
        CASE part->>'table'
${EXPECTED.map(
  (table) => `          WHEN '${table}' THEN
            WITH found AS (
              SELECT r.n FROM jsonb_to_recordset(part->'rows') AS r (n integer, id uuid, expect jsonb)
                JOIN ${table} AS t ON t.id = r.id
              WHERE jsonb_populate_record(t, r.expect) = t FOR SHARE OF t)
            SELECT array_agg(n) INTO done FROM found;`,
).join('\n')}
          ELSE
            EXECUTE format('WITH found AS (
                SELECT r.n FROM jsonb_to_recordset($1) AS r (n integer, id uuid, expect jsonb) JOIN %1$I AS t ON t.id = r.id
                WHERE jsonb_populate_record(t, r.expect) = t FOR SHARE OF t)
              SELECT array_agg(n) FROM found', part->>'table') INTO done USING part->'rows';
        END CASE;
        IF coalesce(cardinality(done), 0) <> jsonb_array_length(part->'rows') THEN
          PERFORM refuse_together(part->>'table',
            ARRAY(SELECT (r->>'n')::integer FROM jsonb_array_elements(part->'rows') AS r), done);
        END IF;
      END IF;
    END LOOP;
  END IF;
  IF cardinality(end_writes) > 0 THEN
    WITH ended AS (
      UPDATE transactions AS t SET state = e.state, settled_at = e.settled_at, updated_at = e.updated_at
      FROM unnest(end_writes, end_ids, end_expected, end_states, end_settled, end_updated)
        AS e (n, id, expected, state, settled_at, updated_at)
      WHERE t.id = e.id AND t.state = e.expected RETURNING e.n)
    SELECT array_agg(n) INTO done FROM ended;
    IF coalesce(cardinality(done), 0) <> cardinality(end_writes) THEN
      PERFORM refuse_together('transactions', end_writes, done);
    END IF;
  END IF;

  IF cardinality(said_writes) > 0 THEN
    WITH said AS (
      UPDATE rail_payments AS t SET state = s.state, rail_reference = coalesce(s.reference, t.rail_reference),
        delivered_at = coalesce(s.delivered_at, t.delivered_at), updated_at = s.updated_at
      FROM unnest(said_writes, said_ids, said_expected, said_states, said_references, said_delivered, said_updated)
        AS s (n, id, expected, state, reference, delivered_at, updated_at)
      WHERE t.id = s.id AND t.state = s.expected RETURNING s.n)
    SELECT array_agg(n) INTO done FROM said;
    IF coalesce(cardinality(done), 0) <> cardinality(said_writes) THEN
      PERFORM refuse_together('rail_payments', said_writes, done);
    END IF;
  END IF;

  IF cardinality(removal_writes) > 0 THEN
    WITH removed AS (DELETE FROM jobs WHERE id = ANY (removal_jobs) RETURNING id)
    SELECT array_agg(id) INTO gone FROM removed;
    IF coalesce(cardinality(gone), 0) <> cardinality(removal_writes) THEN
      PERFORM refuse_together('jobs', removal_writes, ARRAY(
        SELECT n FROM unnest(removal_writes, removal_jobs) AS r (n, job) WHERE job = ANY (gone)));
    END IF;
  END IF;

  IF cardinality(key_writes) > 0 THEN
    WITH kept AS (
      INSERT INTO idempotency_keys AS k
        (digest, scope, key, platform_id, request_hash, status, body, created_at, expires_at)
      SELECT key_digest(scope, key), scope, key, platform_id, request_hash, status, body, created_at, expires_at
      FROM unnest(key_rows)
      ON CONFLICT (digest) DO UPDATE SET request_hash = excluded.request_hash, status = excluded.status,
        body = excluded.body, created_at = excluded.created_at, expires_at = excluded.expires_at
      WHERE k.expires_at <= excluded.created_at AND k.scope = excluded.scope AND k.key = excluded.key
      RETURNING k.scope, k.key)
    SELECT array_agg(k.scope || E'\\n' || k.key) INTO keys FROM kept AS k;
    IF coalesce(cardinality(keys), 0) <> cardinality(key_writes) THEN
      PERFORM refuse_together('idempotency_keys_pkey', key_writes, ARRAY(
        SELECT key_writes[place] FROM unnest(key_rows) WITH ORDINALITY
          AS r (digest, scope, key, platform_id, request_hash, status, body, created_at, expires_at, place)
        WHERE scope || E'\\n' || key = ANY (keys)));
    END IF;
  END IF;

  IF cardinality(transfer_rows) > 0 THEN
    INSERT INTO ledger_transfers
      SELECT id, platform_id, debit_account_id, credit_account_id,
        -- An account of another platform or currency makes it null, which the column refuses.
        CASE WHEN platform_id = platform_ids[debit] AND currency = currencies[debit]
          AND (credit IS NULL OR (platform_id = platform_ids[credit] AND currency = currencies[credit])) THEN currency END,
        amount, state, cause, cause_id, created_at, ended_at
      FROM ROWS FROM (unnest(transfer_rows), unnest(transfer_debits), unnest(transfer_credits))
        AS t (id, platform_id, debit_account_id, credit_account_id, currency, amount, state, cause, cause_id, created_at,
          ended_at, debit, credit);
  END IF;
  IF cardinality(step_writes) > 0 THEN
    WITH ended AS (
      UPDATE ledger_transfers AS t SET state = s.state, ended_at = s.at
      FROM unnest(step_writes, step_transfers, step_debits, step_credits, step_amounts, step_states, step_times)
        AS s (n, id, debit, credit, amount, state, at)
      WHERE t.id = s.id AND t.state = 'pending' AND t.amount = s.amount AND t.debit_account_id = accounts[s.debit]
        AND (s.credit IS NULL OR (t.credit_account_id = accounts[s.credit] AND t.platform_id = platform_ids[s.credit]
          AND t.currency = currencies[s.credit]))
      RETURNING s.n)
    SELECT array_agg(n) INTO done FROM ended;
    IF coalesce(cardinality(done), 0) <> cardinality(step_writes) THEN
      PERFORM refuse_together('ledger_transfers', step_writes, done);
    END IF;
  END IF;

  -- Computes the balances write by write. An event that shows a balance is a write that moves nothing.
  IF spots IS NOT NULL THEN
    shown_available := array_fill(NULL::bigint, ARRAY[cardinality(event_rows)]);
    shown_posted := shown_available;
    shown_sequences := array_fill(NULL::integer, ARRAY[cardinality(event_rows)]);
    done := '{}';
    FOR m IN 1..cardinality(move_writes) LOOP
      acct := move_accounts[m];
      posted_now[acct] := posted_now[acct] + move_amounts[m] * signs[acct];
      held_now[acct] := held_now[acct] + move_helds[m];
      IF posted_now[acct] < held_now[acct] AND NOT overdrafts[acct] THEN
        guard := coalesce(guard, 'ledger_accounts_overdraft');
        done := done || move_writes[m];
      ELSIF closed[acct] AND (posted_now[acct] <> 0 OR held_now[acct] <> 0) THEN
        guard := coalesce(guard, 'ledger_accounts_closed');
        done := done || move_writes[m];
      END IF;
      IF move_events[m] > 0 THEN
        shown_available[move_events[m]] := posted_now[acct] - held_now[acct];
        shown_posted[move_events[m]] := posted_now[acct];
        counts[acct] := counts[acct] + 1;
        shown_sequences[move_events[m]] := counts[acct];
      END IF;
    END LOOP;
    IF cardinality(done) > 0 THEN
      PERFORM refuse_together(guard, done, '{}');
    END IF;
    UPDATE ledger_accounts AS l SET posted = b.posted, held = b.held, event_count = b.event_count
      FROM unnest(spots, posted_now, held_now, counts) AS b (spot, posted, held, event_count) WHERE l.ctid = b.spot;
    GET DIAGNOSTICS changed = ROW_COUNT;
    IF changed <> cardinality(spots) THEN
      RAISE EXCEPTION 'an account is not where it was locked' USING ERRCODE = 'serialization_failure';
    END IF;
  END IF;

  IF cardinality(record_rows) > 0 THEN
    INSERT INTO event_records SELECT * FROM unnest(record_rows) ORDER BY digest ON CONFLICT (digest) DO NOTHING;
  END IF;
  IF cardinality(event_rows) > 0 THEN
    INSERT INTO events (id, platform_id, type, object_id, sequence, data, record, available, posted, traceparent, created_at)
      SELECT id, platform_id, type, e.object_id,
        coalesce(numbered, coalesce(base, last_sequence(e.object_id, id)) + sequence),
        data, record, now_available, now_posted, traceparent, created_at
      FROM ROWS FROM (unnest(event_rows), unnest(event_bases), unnest(shown_available), unnest(shown_posted),
          unnest(shown_sequences))
        AS e (id, position, platform_id, type, object_id, sequence, data, record, available, posted, traceparent, created_at, committed_in,
          base, now_available, now_posted, numbered);
  END IF;

  IF batch ? 'matches' THEN
    FOR part IN SELECT value FROM jsonb_array_elements(batch->'matches') LOOP
      PERFORM reconciliation_match_sums((part #>> '{}')::uuid);
    END LOOP;
  END IF;
  IF batch ? 'closes' THEN
    PERFORM ledger_close((batch->>'closes')::uuid);
  END IF;
END $$;
`
