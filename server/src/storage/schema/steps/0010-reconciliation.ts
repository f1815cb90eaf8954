/** What banks say that went through, held against the ledger. Decision 0044. */
export const reconciliation = `
-- A day of a rail in one currency. The id follows from the three, so there is one row for each. It is there before its statement.
CREATE TABLE rail_statements (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL REFERENCES platforms,
  rail text NOT NULL,
  currency text NOT NULL,
  -- 2026-03-01, by the calendar of the bank.
  date text NOT NULL,
  -- WAITING: for the statement. BOOKING: its entries are being applied. The other two say whether there are differences.
  state text NOT NULL CHECK (state IN ('WAITING', 'BOOKING', 'BALANCED', 'DIFFERENT')),
  -- The statement: the bank's own name for it, its balances, and the sum and the number of its entries.
  rail_reference text,
  opening bigint,
  closing bigint,
  entry_sum bigint,
  entry_count integer,
  -- What its fees sum to, and what the rails file makes of its payments; null where that names no costs.
  charged bigint,
  expected_costs bigint,
  -- Entries up to this place were applied.
  booked_count integer NOT NULL DEFAULT 0,
  -- The ledger's account of the rail as of the statement, and what it has moved since.
  balance bigint,
  later bigint,
  -- Each with its reason, since when, and by how much; the sum is that of all, also of those beyond the first thousand.
  differences jsonb NOT NULL DEFAULT '[]',
  difference_count integer NOT NULL DEFAULT 0,
  -- Movements of the ledger from this time on may be new to the next statement.
  movements_since timestamptz,
  received_at timestamptz,
  reconciled_at timestamptz,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  CONSTRAINT rail_statements_arrived CHECK
    (num_nonnulls(rail_reference, opening, closing, entry_sum, entry_count, received_at) = CASE state WHEN 'WAITING' THEN 0 ELSE 6 END)
) WITH (fillfactor = 80);
CREATE INDEX rail_statements_page ON rail_statements (platform_id, created_at DESC, id DESC);
CREATE INDEX rail_statements_day ON rail_statements (platform_id, rail, currency, date);

-- The entries of statements. The id follows from the rail and the bank's own name for the entry, so each counts once.
CREATE TABLE rail_statement_entries (
  id uuid PRIMARY KEY,
  platform_id uuid NOT NULL,
  statement_id uuid NOT NULL REFERENCES rail_statements,
  -- From 1, in the order in which entries are applied: what goes back comes after what it takes back.
  place integer NOT NULL,
  rail_reference text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('PAYMENT', 'PAYMENT_RETURN', 'PULL', 'PULL_RETURN', 'DEPOSIT', 'DEPOSIT_REVERSAL', 'FEE',
    'INTEREST', 'OTHER')),
  amount bigint NOT NULL,
  -- The payment, pull or deposit that it names.
  item_id uuid,
  -- Why it belongs to nothing.
  reason text CHECK (reason IN ('REPEATED_ENTRY', 'UNEXPLAINED')),
  text text,
  -- What it tells of a deposit.
  deposit jsonb,
  booked_at timestamptz NOT NULL
);
CREATE UNIQUE INDEX rail_statement_entries_place ON rail_statement_entries (statement_id, place);
CREATE INDEX rail_statement_entries_item ON rail_statement_entries (item_id) WHERE item_id IS NOT NULL;
CREATE INDEX rail_statement_entries_open ON rail_statement_entries (statement_id) WHERE reason IS NOT NULL;
`
