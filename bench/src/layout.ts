/**
 * All that depends on the layout of the tables in what the benches of payments ask a server's database, beside its seeds (`seed.ts`,
 * `copies.ts`).
 */

/** Finds due work: a payment that has not settled has some. */
export const DUE_WORK = 'SELECT 1 FROM jobs WHERE due_at <= now() LIMIT 1'

/** How many payments have settled after `$1` and by `$2`. */
export const SETTLED = `SELECT count(*)::float8 AS count FROM transactions
  WHERE settled_at > $1 AND settled_at <= $2 AND type = 'OUTGOING'`

/** How a table grows (`more-copies.ts`): columns that differ in a copy, as SQL; all others are as in the row that is copied. */
export interface Growing {
  readonly name: string
  readonly order: string
  readonly changed: Readonly<Record<string, string>>
}

/**
 * Functions for `GROWING`: a time, and an id that begins with its time, `k` spans earlier; an account or a customer, which for copies
 * is never the second payer's; a reference that no other row has.
 */
export const GROWING_FUNCTIONS = `
CREATE FUNCTION pg_temp.earlier(at timestamptz, k integer, span_ms bigint) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS
  $$SELECT at - k * span_ms * interval '1 ms'$$;
CREATE FUNCTION pg_temp.earlier_hex(hex text, k integer, span_ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$SELECT lpad(to_hex(('x' || hex)::bit(48)::bigint - k * span_ms), 12, '0')$$;
CREATE FUNCTION pg_temp.earlier_id(id text, k integer, span_ms bigint) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$SELECT split_part(id, ':', 1) || ':' || substr(hex, 1, 8) || '-' || substr(hex, 9) || substr(split_part(id, ':', 2), 14)
    FROM pg_temp.earlier_hex(substr(split_part(id, ':', 2), 1, 8) || substr(split_part(id, ':', 2), 10, 4), k, span_ms) AS hex$$;
CREATE FUNCTION pg_temp.not_busy(id text, k integer) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$SELECT CASE k WHEN 0 THEN id ELSE regexp_replace(id, '000000000002$', '000000000003') END$$;
CREATE FUNCTION pg_temp.other_reference(reference text, k integer) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$SELECT CASE k WHEN 0 THEN reference ELSE 'CS' || upper(left(md5(reference || k), 12)) END$$;`

const earlier = (column: string) => `pg_temp.earlier(${column}, k, span_ms)`
const earlierId = (column: string) => `pg_temp.earlier_id(${column}, k, span_ms)`
const notBusy = (column: string) => `pg_temp.not_busy(${column}, k)`

/** What pages of transactions, transfers out and the history of an account read, without the seeds' own rows. */
export const GROWING: readonly Growing[] = [
  {
    name: 'transactions',
    order: 'created_at',
    changed: {
      id: earlierId('id'),
      customer_id: notBusy('customer_id'),
      source_account_id: notBusy('source_account_id'),
      destination_account_id: notBusy('destination_account_id'),
      reference: 'pg_temp.other_reference(reference, k)',
      hold_id: earlierId('hold_id'),
      settled_at: earlier('settled_at'),
      created_at: earlier('created_at'),
      updated_at: earlier('updated_at'),
    },
  },
  {
    name: 'ledger_holds',
    order: 'created_at',
    changed: {
      id: earlierId('id'),
      account_id: notBusy('account_id'),
      cause_id: earlierId('cause_id'),
      created_at: earlier('created_at'),
      updated_at: earlier('updated_at'),
    },
  },
  {
    name: 'ledger_transfers',
    order: 'created_at',
    changed: {
      id: earlierId('id'),
      cause_id: earlierId('cause_id'),
      created_at: earlier('created_at'),
    },
  },
  {
    name: 'ledger_entries',
    order: 'created_at',
    changed: {
      transfer_id: earlierId('transfer_id'),
      account_id: notBusy('account_id'),
      created_at: earlier('created_at'),
    },
  },
]

/** Rows of those tables that are not copied: the money that the seeds began with. */
export const NOT_GROWING: Readonly<Record<string, string>> = {
  ledger_transfers: "id = 'LedgerTransfer:funds'",
  ledger_entries: "transfer_id = 'LedgerTransfer:funds'",
}

/** Makes the balances the sums of their entries. */
export const SUM_BALANCES = `
UPDATE ledger_accounts AS a SET posted = CASE normal_side WHEN 'credit' THEN amount ELSE - amount END
  FROM (SELECT account_id, sum(amount) AS amount FROM ledger_entries GROUP BY 1) AS e WHERE e.account_id = a.id;`

/**
 * Gives the fees account `count` entries: copies of the only one that it has, of a payment that the server has made and settled,
 * each of a transfer of its own, one per second before it. The other entries of those transfers are left out.
 */
export const copyFee = (count: number) => `
CREATE TEMP TABLE fee ON COMMIT DROP AS
  SELECT e.*, t.platform_id, t.cause, t.cause_id FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
    JOIN ledger_transfers t ON t.id = e.transfer_id WHERE a.id LIKE 'Ledger:fees:%';
INSERT INTO ledger_transfers (id, platform_id, cause, cause_id, created_at)
  SELECT pg_temp.earlier_id(transfer_id, k, 1000), platform_id, cause, cause_id, pg_temp.earlier(created_at, k, 1000)
  FROM fee, generate_series(${count - 1}, 1, -1) AS k;
INSERT INTO ledger_entries (transfer_id, line, account_id, currency, amount, created_at)
  SELECT pg_temp.earlier_id(transfer_id, k, 1000), line, account_id, currency, amount, pg_temp.earlier(created_at, k, 1000)
  FROM fee, generate_series(${count - 1}, 1, -1) AS k;`
