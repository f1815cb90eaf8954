/**
 * The double-entry ledger. Amounts of entries are signed: a credit is positive, a debit negative, so the entries of a
 * transfer sum to zero per currency. Balances of an account are kept on its normal side. What must never happen is
 * refused by the database itself: an entry changed or removed, a transfer that does not balance, an account overdrawn.
 */
export const ledger = `
CREATE TABLE ledger_accounts (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  owner text NOT NULL,
  currency text NOT NULL,
  normal_side text NOT NULL CHECK (normal_side IN ('debit', 'credit')),
  may_overdraw boolean NOT NULL,
  posted bigint NOT NULL,
  held bigint NOT NULL,
  CONSTRAINT ledger_accounts_overdraft CHECK (may_overdraw OR posted - held >= 0),
  CONSTRAINT ledger_accounts_held CHECK (held >= 0)
);

CREATE TABLE ledger_transfers (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  cause text NOT NULL,
  cause_id text NOT NULL,
  created_at timestamptz NOT NULL
);
CREATE INDEX ledger_transfers_cause ON ledger_transfers (cause_id);

CREATE TABLE ledger_entries (
  transfer_id text NOT NULL REFERENCES ledger_transfers,
  line integer NOT NULL,
  account_id text NOT NULL REFERENCES ledger_accounts,
  currency text NOT NULL,
  amount bigint NOT NULL CHECK (amount <> 0),
  created_at timestamptz NOT NULL,
  PRIMARY KEY (transfer_id, line)
);
CREATE INDEX ledger_entries_account ON ledger_entries (account_id, created_at);

CREATE TABLE ledger_holds (
  id text PRIMARY KEY,
  platform_id text NOT NULL REFERENCES platforms,
  account_id text NOT NULL REFERENCES ledger_accounts,
  amount bigint NOT NULL CHECK (amount > 0),
  captured bigint NOT NULL CHECK (captured >= 0),
  state text NOT NULL CHECK (state IN ('pending', 'posted', 'voided')),
  cause text NOT NULL,
  cause_id text NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL
);
CREATE INDEX ledger_holds_cause ON ledger_holds (cause_id);

CREATE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'restrict_violation';
END $$;
CREATE TRIGGER ledger_entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entries
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only();
CREATE TRIGGER ledger_transfers_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_transfers
  FOR EACH STATEMENT EXECUTE FUNCTION ledger_append_only();

CREATE FUNCTION ledger_entries_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT 1 FROM added GROUP BY transfer_id, currency HAVING sum(amount) <> 0) THEN
    RAISE EXCEPTION 'the entries of a transfer must sum to zero per currency' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries
  REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_entries_balance();

-- Opens an account. Opening one that is open already does nothing.
CREATE FUNCTION ledger_open(w jsonb) RETURNS void LANGUAGE sql AS $$
  INSERT INTO ledger_accounts (id, platform_id, owner, currency, normal_side, may_overdraw, posted, held)
  VALUES (w->>'id', w->>'platformId', w->>'owner', w->>'currency', w->>'normalSide', (w->>'mayOverdraw')::boolean, 0, 0)
  ON CONFLICT (id) DO NOTHING
$$;

-- Posts a transfer: its row, its entries, the balances of its accounts.
CREATE FUNCTION ledger_post(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE expected integer := jsonb_array_length(w->'entries'); moved integer;
BEGIN
  INSERT INTO ledger_transfers VALUES
    (w->>'id', w->>'platformId', w->>'cause', w->>'causeId', (w->>'at')::timestamptz);
  INSERT INTO ledger_entries (transfer_id, line, account_id, currency, amount, created_at)
    SELECT w->>'id', e.line, a.id, a.currency, (e.value->>'amount')::bigint, (w->>'at')::timestamptz
    FROM jsonb_array_elements(w->'entries') WITH ORDINALITY AS e (value, line)
    JOIN ledger_accounts a ON a.id = e.value->>'account' AND a.platform_id = w->>'platformId';
  GET DIAGNOSTICS moved = ROW_COUNT;
  IF moved <> expected THEN
    RAISE EXCEPTION 'a transfer names an account that is not open' USING ERRCODE = 'foreign_key_violation';
  END IF;
  UPDATE ledger_accounts a SET posted = a.posted + CASE a.normal_side WHEN 'credit' THEN e.amount ELSE -e.amount END
    FROM (SELECT v.value->>'account' AS account, sum((v.value->>'amount')::bigint)::bigint AS amount
          FROM jsonb_array_elements(w->'entries') AS v GROUP BY 1) e
    WHERE a.id = e.account;
END $$;

-- Sets money of an account aside for a later capture or void.
CREATE FUNCTION ledger_hold(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO ledger_holds VALUES (w->>'id', w->>'platformId', w->>'account', (w->>'amount')::bigint, 0, 'pending',
    w->>'cause', w->>'causeId', (w->>'at')::timestamptz, (w->>'at')::timestamptz);
  UPDATE ledger_accounts SET held = held + (w->>'amount')::bigint WHERE id = w->>'account';
END $$;

-- Captures part, all or more of a pending hold. The captured money leaves by a transfer of the same write set.
-- With final, what is left of the hold is released.
CREATE FUNCTION ledger_capture(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE hold ledger_holds; taken bigint := (w->>'amount')::bigint; final boolean := (w->>'final')::boolean; left_over bigint;
BEGIN
  SELECT * INTO hold FROM ledger_holds WHERE id = w->>'hold' AND state = 'pending' FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'ledger_holds';
  END IF;
  left_over := greatest(hold.amount - hold.captured, 0);
  UPDATE ledger_holds SET captured = captured + taken, updated_at = (w->>'at')::timestamptz,
    state = CASE WHEN final OR taken >= left_over THEN 'posted' ELSE 'pending' END WHERE id = hold.id;
  UPDATE ledger_accounts SET held = held - CASE WHEN final THEN left_over ELSE least(taken, left_over) END
    WHERE id = hold.account_id;
END $$;

-- Gives the rest of a pending hold back to its account.
CREATE FUNCTION ledger_void(w jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE hold ledger_holds;
BEGIN
  UPDATE ledger_holds SET state = 'voided', updated_at = (w->>'at')::timestamptz
    WHERE id = w->>'hold' AND state = 'pending' RETURNING * INTO hold;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'expectation' USING ERRCODE = 'CS001', CONSTRAINT = 'ledger_holds';
  END IF;
  UPDATE ledger_accounts SET held = held - greatest(hold.amount - hold.captured, 0) WHERE id = hold.account_id;
END $$;
`
