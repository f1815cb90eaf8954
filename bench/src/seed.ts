import { ID_KINDS } from '@countersign/contract/core/ids'
import { toSystemAccountId } from '@countersign/server/kernel/ledger/accounts'
import type { SidesQuery } from '@countersign/server/operation/reconciliations/store'
import { extractUuid, idOf } from '@countersign/server/storage/engine/ids'
import type { Database } from '@countersign/server/storage/engine/port'

/** An account that pays, and the bank account that it pays. */
export interface Payer {
  readonly accountId: string
  readonly bankAccountId: string
}

/** The initial balance of each account in cents: more than a run can spend. */
const FUNDS = 1_000_000_000

/** The prefix of the ids generated here. */
const SEEDED = '0190b000-0000-7000-8000-'

/** The last two digits of an id of this kind. */
const buildIdDigits = (kind: keyof typeof ID_KINDS) => ID_KINDS[kind].toString(16).padStart(2, '0')

const createIds = (kind: keyof typeof ID_KINDS) =>
  `('${SEEDED}' || lpad(n::text, 10, '0') || '${buildIdDigits(kind)}')::uuid`

export interface PayerOptions {
  /** The rail through which the money arrived, if rails have names. */
  readonly rail?: string
  /** Bank account numbers, used in turn: payer `n`, counted from 0, has number `n % numbers.length`. */
  readonly numbers: readonly string[]
}

const SANDBOX_PAYERS: PayerOptions = { numbers: ['000123456789'] }

/**
 * Creates customers with SQL, because the API would take minutes. Each has a funded dollar account and a bank
 * account. The money is one ledger transfer per account, so the ledger balances; returns the payers in order.
 */
export async function seedPayers(
  db: Database,
  count: number,
  { rail: name, numbers }: PayerOptions = SANDBOX_PAYERS,
): Promise<Payer[]> {
  const platform = (await db.query<{ id: string }>('SELECT id FROM platforms LIMIT 1')).rows[0]!
  const rail = extractUuid(toSystemAccountId(platform.id, 'rail', 'USD', name))
  const number = `(ARRAY['${numbers.join("', '")}'])[1 + (n - 1) % ${numbers.length}]`
  await db.script(`
WITH n AS (SELECT n FROM generate_series(1, ${count}) AS n), p AS (SELECT id FROM platforms LIMIT 1),
customers AS (
  INSERT INTO customers (id, platform_id, platform_customer_id, customer_type, verification_status, currencies, uma_address,
    details, version, created_at, updated_at)
  SELECT ${createIds('Customer')}, p.id, 'payer-' || n, 'INDIVIDUAL', 'APPROVED', '["USD"]', '$payer-' || n || '@bench.example',
    '{}', 1, now(), now() FROM n, p),
internal AS (
  INSERT INTO internal_accounts (id, platform_id, customer_id, type, currency, status, private_enabled, credentials_version,
    created_at, updated_at)
  SELECT ${createIds('InternalAccount')}, p.id, ${createIds('Customer')}, 'INTERNAL_FIAT', 'USD', 'ACTIVE', false, 1, now(), now()
  FROM n, p),
external AS (
  INSERT INTO external_accounts (id, platform_id, customer_id, currency, account_type, account_info, fingerprint, identifier,
    status, default_uma_deposit, changes, created_at, updated_at)
  SELECT ${createIds('ExternalAccount')}, p.id, ${createIds('Customer')}, 'USD', 'USD_ACCOUNT', '{"accountType": "USD_ACCOUNT",
    "routingNumber": "021000021", "beneficiary": {"beneficiaryType": "INDIVIDUAL", "fullName": "Ada Lovelace"}}'
    || jsonb_build_object('accountNumber', ${number}), 'bench-' || n, ${number}, 'ACTIVE', false, 0, now(), now() FROM n, p)
INSERT INTO ledger_accounts (id, platform_id, owner, name, currency, normal_side, may_overdraw, posted, held)
  SELECT ${createIds('InternalAccount')}, p.id, ${createIds('Customer')}, NULL, 'USD', 'credit', false, ${FUNDS}, 0 FROM n, p
  UNION ALL SELECT '${rail}', id, id, '${name === undefined ? 'rail' : `rail:${name}`}', 'USD', 'debit', true, ${FUNDS}::bigint * ${count}, 0 FROM p;

INSERT INTO ledger_transfers (id, platform_id, debit_account_id, credit_account_id, currency, amount, state, cause, cause_id,
    created_at, ended_at)
  SELECT ${createIds('LedgerTransfer')}, p.id, '${rail}', ${createIds('InternalAccount')}, 'USD', ${FUNDS}, 'posted',
    'sandbox_fund', ${createIds('InternalAccount')}, now(), now() FROM generate_series(1, ${count}) AS n, (SELECT id FROM platforms LIMIT 1) AS p;
ANALYZE;`)
  const { rows } = await db.query<{ id: string; bank: string }>(
    `SELECT ${createIds('InternalAccount')} AS id, ${createIds('ExternalAccount')} AS bank FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  return rows.map(({ id, bank }) => ({ accountId: id, bankAccountId: bank }))
}

/** Creates an ACTIVE card for each of the first payers, also with SQL. Returns the card ids. */
export async function seedCards(db: Database, count: number): Promise<string[]> {
  await db.script(`
INSERT INTO cards (id, platform_id, cardholder_id, platform_card_id, state, currency, funding_sources, brand, last4, exp_month,
    exp_year, pan_embed_url, processor_ref, issuer_ref, version, created_at, updated_at)
  SELECT ${createIds('Card')}, p.id, ${createIds('Customer')}, 'card-' || n, 'ACTIVE', 'USD', ARRAY[${createIds('InternalAccount')}], 'VISA',
    lpad((n % 10000)::text, 4, '0'), 1, 2099, '/sandbox/cards/' || n, 'bench-' || n, 'bench-' || n, 2, now(), now()
  FROM generate_series(1, ${count}) AS n, (SELECT id FROM platforms LIMIT 1) AS p;
ANALYZE cards;`)
  const { rows } = await db.query<{ id: string }>(
    `SELECT ${createIds('Card')} AS id FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  return rows.map(({ id }) => id)
}

const BANK = 'bench-bank'
const DAY = '2026-03-02'
const NOON = `${DAY}T12:00:00Z`
const HOUR_MS = 60 * 60 * 1000

/** A rail's day, in the form that `selectSides` takes. */
export interface SeededDay {
  readonly platform: { readonly id: string }
  readonly query: SidesQuery
}

/**
 * Creates with SQL a statement and as many payments as it has lines, each with its transaction and ledger
 * transfer. Each line names a payment. Every `oddEvery`th line has a different amount than its payment.
 */
export async function seedStatement(db: Database, lines: number, oddEvery: number): Promise<SeededDay> {
  const platform = (await db.query<{ id: string }>('SELECT id FROM platforms LIMIT 1')).rows[0]!
  const accountId = toSystemAccountId(platform.id, 'rail', 'EUR', BANK)
  const rail = extractUuid(accountId)
  const series = `generate_series(1, ${lines}) AS n, (SELECT id FROM platforms LIMIT 1) AS p`
  const odd = `CASE WHEN n % ${oddEvery} = 0 THEN 1 ELSE 0 END`
  const sum = `(SELECT sum(1000 + n) FROM generate_series(1, ${lines}) AS n)`
  const stated = `(SELECT - sum(1000 + n + ${odd}) FROM generate_series(1, ${lines}) AS n)`
  const payer = `(SELECT ${createIds('InternalAccount')} FROM (SELECT 1 AS n) AS first)`
  const statement = `(SELECT ${createIds('RailStatement')} FROM (SELECT 1 AS n) AS first)`
  const inserts = [
    `INSERT INTO ledger_accounts (id, platform_id, owner, name, currency, normal_side, may_overdraw, posted, held)
       SELECT '${rail}', id, id, 'rail:${BANK}', 'EUR', 'debit', true, - ${sum}, 0 FROM platforms
       UNION ALL SELECT ${payer}, id, id, NULL, 'EUR', 'credit', true, - ${sum}, 0 FROM platforms`,
    `INSERT INTO transactions (id, platform_id, kind, type, direction, state, sent_amount, sent_currency, reference, details, created_at, updated_at)
       SELECT ${createIds('Transaction')}, p.id, 'TRANSFER_OUT', 'OUTGOING', 'DEBIT', 'COMPLETED', 1000 + n, 'EUR', 'bench-' || n, '{}', '${NOON}', '${NOON}'
       FROM ${series}`,
    `INSERT INTO ledger_transfers (id, platform_id, debit_account_id, credit_account_id, currency, amount, state, cause, cause_id, created_at, ended_at)
       SELECT ${createIds('LedgerTransfer')}, p.id, ${payer}, '${rail}', 'EUR', 1000 + n, 'posted', 'transfer_out', ${createIds('Transaction')}, '${NOON}', '${NOON}'
       FROM ${series}`,
    `INSERT INTO rail_statements (id, platform_id, rail, currency, date, state, rail_reference, opening, closing, entry_sum, entry_count, received_at,
         created_at, updated_at)
       SELECT ${statement}, id, '${BANK}', 'EUR', '${DAY}', 'DIFFERENT', 'bench-1', 0, ${stated}, ${stated}, ${lines}, '${NOON}', '${NOON}', '${NOON}'
       FROM platforms`,
    `INSERT INTO rail_statement_entries (id, platform_id, statement_id, place, rail_reference, kind, amount, item_id, booked_at)
       SELECT ${createIds('StatementEntry')}, p.id, ${statement}, n, 'bench-' || n, 'PAYMENT', - (1000 + n + ${odd}), ${createIds('Transaction')}, '${NOON}'
       FROM ${series}`,
    'ANALYZE',
  ]
  // Runs one statement at a time, because each takes seconds on a busy machine.
  for (const insert of inserts) await db.script(insert)
  const { rows } = await db.query<{ id: string }>(`SELECT ${statement} AS id`)
  const since = new Date(Date.parse(NOON) - HOUR_MS)
  const cut = new Date(Date.parse(NOON) + 12 * HOUR_MS)
  return {
    platform,
    query: {
      rail: BANK,
      currency: 'EUR',
      date: DAY,
      statementId: idOf(rows[0]!.id),
      accountId,
      cut,
      since,
      carried: [],
    },
  }
}

/** `wearInLog` needs these settings, which also prevent checkpoints during a run. */
export const LOG_SETTINGS = { min_wal_size: '2GB', max_wal_size: '4GB' }

/**
 * Makes a new cluster behave like one that has been running for a while and reuses its log files. Creating a
 * 16 MB file delays every commit by tens of milliseconds, and a new cluster creates many of them.
 */
export async function fillLog(db: Database): Promise<void> {
  await db.script(
    `CREATE TABLE worn_in AS SELECT n, repeat(md5(n::text), 30) AS text FROM generate_series(1, 1200000) AS n`,
  )
  await db.script('DROP TABLE worn_in')
  await db.script('CHECKPOINT')
}
