import { ID_KINDS } from '@countersign/contract/core/ids'
import { systemAccountId } from '@countersign/server/kernel/ledger/accounts'
import { uuidOf } from '@countersign/server/storage/engine/ids'
import type { Database } from '@countersign/server/storage/engine/port'

/** An account that pays, and its destination. */
export interface Payer {
  readonly accountId: string
  readonly bankAccountId: string
}

/** The initial balance of each account: more cents than a run can spend. */
const FUNDS = 1_000_000_000

/** The first characters of the ids that are made here. */
const SEEDED = '0190b000-0000-7000-8000-'

/** The last two digits of the ids of a kind. */
const digitsOf = (kind: keyof typeof ID_KINDS) => ID_KINDS[kind].toString(16).padStart(2, '0')

const ids = (kind: keyof typeof ID_KINDS) =>
  `('${SEEDED}' || lpad(n::text, 10, '0') || '${digitsOf(kind)}')::uuid`

export interface Paying {
  /** The rail that has brought the money, where rails have names. */
  readonly rail?: string
  /** The numbers of the bank accounts, one after the other: payer `n`, from 0, has number `n % numbers.length`. */
  readonly numbers: readonly string[]
}

const BY_SANDBOX: Paying = { numbers: ['000123456789'] }

/**
 * Writes a number of customers by SQL, each with a funded dollar account and a bank account: over the API it would take
 * minutes. The money is one transfer of the ledger, so the books balance. Returns them in the order of their numbers.
 */
export async function seedPayers(
  db: Database,
  count: number,
  { rail: name, numbers }: Paying = BY_SANDBOX,
): Promise<Payer[]> {
  const platform = (await db.query<{ id: string }>('SELECT id FROM platforms LIMIT 1')).rows[0]!
  const rail = uuidOf(systemAccountId(platform.id, 'rail', 'USD', name))
  const number = `(ARRAY['${numbers.join("', '")}'])[1 + (n - 1) % ${numbers.length}]`
  await db.script(`
WITH n AS (SELECT n FROM generate_series(1, ${count}) AS n), p AS (SELECT id FROM platforms LIMIT 1),
customers AS (
  INSERT INTO customers (id, platform_id, platform_customer_id, customer_type, verification_status, currencies, uma_address,
    details, version, created_at, updated_at)
  SELECT ${ids('Customer')}, p.id, 'payer-' || n, 'INDIVIDUAL', 'APPROVED', '["USD"]', '$payer-' || n || '@bench.example',
    '{}', 1, now(), now() FROM n, p),
internal AS (
  INSERT INTO internal_accounts (id, platform_id, customer_id, type, currency, status, private_enabled, credentials_version,
    created_at, updated_at)
  SELECT ${ids('InternalAccount')}, p.id, ${ids('Customer')}, 'INTERNAL_FIAT', 'USD', 'ACTIVE', false, 1, now(), now()
  FROM n, p),
external AS (
  INSERT INTO external_accounts (id, platform_id, customer_id, currency, account_type, account_info, fingerprint, identifier,
    status, default_uma_deposit, changes, created_at, updated_at)
  SELECT ${ids('ExternalAccount')}, p.id, ${ids('Customer')}, 'USD', 'USD_ACCOUNT', '{"accountType": "USD_ACCOUNT",
    "routingNumber": "021000021", "beneficiary": {"beneficiaryType": "INDIVIDUAL", "fullName": "Ada Lovelace"}}'
    || jsonb_build_object('accountNumber', ${number}), 'bench-' || n, ${number}, 'ACTIVE', false, 0, now(), now() FROM n, p)
INSERT INTO ledger_accounts (id, platform_id, owner, name, currency, normal_side, may_overdraw, posted, held)
  SELECT ${ids('InternalAccount')}, p.id, ${ids('Customer')}, NULL, 'USD', 'credit', false, ${FUNDS}, 0 FROM n, p
  UNION ALL SELECT '${rail}', id, id, '${name === undefined ? 'rail' : `rail:${name}`}', 'USD', 'debit', true, ${FUNDS}::bigint * ${count}, 0 FROM p;

INSERT INTO ledger_transfers (id, platform_id, debit_account_id, credit_account_id, currency, amount, state, cause, cause_id,
    created_at, ended_at)
  SELECT ${ids('LedgerTransfer')}, p.id, '${rail}', ${ids('InternalAccount')}, 'USD', ${FUNDS}, 'posted',
    'sandbox_fund', ${ids('InternalAccount')}, now(), now() FROM generate_series(1, ${count}) AS n, (SELECT id FROM platforms LIMIT 1) AS p;
ANALYZE;`)
  const { rows } = await db.query<{ id: string; bank: string }>(
    `SELECT ${ids('InternalAccount')} AS id, ${ids('ExternalAccount')} AS bank FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  return rows.map(({ id, bank }) => ({ accountId: id, bankAccountId: bank }))
}

/** Writes an ACTIVE card for each of the first payers, also by SQL. Returns their ids. */
export async function seedCards(db: Database, count: number): Promise<string[]> {
  await db.script(`
INSERT INTO cards (id, platform_id, cardholder_id, platform_card_id, state, currency, funding_sources, brand, last4, exp_month,
    exp_year, pan_embed_url, processor_ref, issuer_ref, version, created_at, updated_at)
  SELECT ${ids('Card')}, p.id, ${ids('Customer')}, 'card-' || n, 'ACTIVE', 'USD', ARRAY[${ids('InternalAccount')}], 'VISA',
    lpad((n % 10000)::text, 4, '0'), 1, 2099, '/sandbox/cards/' || n, 'bench-' || n, 'bench-' || n, 2, now(), now()
  FROM generate_series(1, ${count}) AS n, (SELECT id FROM platforms LIMIT 1) AS p;
ANALYZE cards;`)
  const { rows } = await db.query<{ id: string }>(
    `SELECT ${ids('Card')} AS id FROM generate_series(1, $1::int) AS n`,
    [count],
  )
  return rows.map(({ id }) => id)
}

/** `wearInLog` needs these settings, and with them no checkpoint interrupts a run. */
export const LOG_SETTINGS = { min_wal_size: '2GB', max_wal_size: '4GB' }

/**
 * Makes a new cluster behave like one that has run for a while, whose log reuses files. Creating a file of 16
 * MB delays every commit by tens of milliseconds, and a new cluster creates many.
 */
export async function wearInLog(db: Database): Promise<void> {
  await db.script(
    `CREATE TABLE worn_in AS SELECT n, repeat(md5(n::text), 30) AS text FROM generate_series(1, 1200000) AS n`,
  )
  await db.script('DROP TABLE worn_in')
  await db.script('CHECKPOINT')
}
