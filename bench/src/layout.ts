import { SEEDED } from './seed.ts'

/**
 * All that depends on the layout of the tables in what the benches of payments ask a server's database, beside its seeds (`seed.ts`,
 * `copies.ts`).
 */

/** Finds due work: a payment that has not settled has some. */
export const DUE_WORK = 'SELECT 1 FROM jobs WHERE due_at <= now() LIMIT 1'

/** Finds payouts that a rail has not ended, and due work. */
export const OPEN_PAYOUTS = `SELECT 1 FROM rail_payments WHERE state IN ('GIVEN', 'ACCEPTED')
  UNION ALL SELECT 1 FROM jobs WHERE due_at <= now() LIMIT 1`

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
CREATE FUNCTION pg_temp.earlier_id(id uuid, k integer, span_ms bigint) RETURNS uuid LANGUAGE sql IMMUTABLE AS
  $$SELECT (lpad(to_hex(('x' || left(hex, 12))::bit(48)::bigint - k * span_ms), 12, '0') || substr(hex, 13))::uuid
    FROM replace(id::text, '-', '') AS hex$$;
CREATE FUNCTION pg_temp.not_busy(id uuid, k integer) RETURNS uuid LANGUAGE sql IMMUTABLE AS
  $$SELECT CASE k WHEN 0 THEN id ELSE replace(id::text, '${SEEDED}0000000002', '${SEEDED}0000000003')::uuid END$$;
CREATE FUNCTION pg_temp.other_reference(reference text, k integer) RETURNS text LANGUAGE sql IMMUTABLE AS
  $$SELECT CASE k WHEN 0 THEN reference ELSE 'CS' || upper(left(md5(reference || k), 12)) END$$;`

export const DROP_GROWING_FUNCTIONS =
  'DROP FUNCTION pg_temp.earlier, pg_temp.earlier_id, pg_temp.not_busy, pg_temp.other_reference;'

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
    name: 'ledger_transfers',
    order: 'created_at',
    changed: {
      id: earlierId('id'),
      debit_account_id: notBusy('debit_account_id'),
      cause_id: earlierId('cause_id'),
      created_at: earlier('created_at'),
      ended_at: earlier('ended_at'),
    },
  },
]

/** Rows of those tables that are not copied: the money that the seeds began with. */
export const NOT_GROWING: Readonly<Record<string, string>> = { ledger_transfers: "cause = 'sandbox_fund'" }

/** Makes the balances the sums of their entries. */
export const SUM_BALANCES = `
UPDATE ledger_accounts AS a SET posted = CASE normal_side WHEN 'credit' THEN amount ELSE - amount END
  FROM (SELECT account_id, sum(amount) AS amount FROM ledger_entries GROUP BY 1) AS e WHERE e.account_id = a.id;`

/** Makes the accounts know how many events they have. */
export const COUNT_EVENTS = `
UPDATE ledger_accounts AS a SET event_count = last
  FROM (SELECT object_id, max(sequence) AS last FROM events GROUP BY 1) AS e WHERE e.object_id = a.id;`

/**
 * Gives the fees account `count` entries: copies of the only transfer to it, of a payment that the server has made and settled, one
 * per second before it. The other transfers of those payments are left out.
 */
export const copyFee = (count: number) => `
INSERT INTO ledger_transfers (id, platform_id, debit_account_id, credit_account_id, currency, amount, state, cause, cause_id,
    created_at, ended_at)
  SELECT pg_temp.earlier_id(t.id, k, 1000), t.platform_id, debit_account_id, credit_account_id, t.currency, amount, state, cause,
    cause_id, pg_temp.earlier(created_at, k, 1000), pg_temp.earlier(ended_at, k, 1000)
  FROM ledger_transfers t JOIN ledger_accounts a ON a.id = credit_account_id AND a.name = 'fees',
    generate_series(${count - 1}, 1, -1) AS k;`
