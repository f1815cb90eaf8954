import { expect } from 'vitest'
import { deriveRailEventId } from '../../src/money/rails/rail-ids.ts'
import { extractUuid } from '../../src/storage/engine/ids.ts'
import type { Database } from '../../src/storage/engine/port.ts'
import { expectNone } from './books.testing.ts'
import type { RailWorld } from './rails.testing.ts'

/** The bank's records: its orders, its entries, and the events that it has sent. */
interface BankBooks {
  readonly payments: readonly BankOrder[]
  readonly pulls: readonly BankOrder[]
  readonly entries: readonly BankEntry[]
  readonly pendingEvents: readonly unknown[]
  readonly deliveredEvents: readonly string[]
}

interface BankOrder {
  readonly id: string
  readonly status: string
  readonly bookings: number
  readonly amount: { readonly value: string; readonly currency: string }
}

interface BankEntry {
  readonly kind: string
  readonly currency: string
  /** Signed: + is money in. */
  readonly amount: string
  readonly id?: string
  readonly depositId?: string
}

export async function readBankBooks(world: RailWorld): Promise<BankBooks> {
  const readList = async (what: string) => (await world.callBank('GET', `/${what}`)).body.data
  const payments: BankOrder[] = await readList('payments')
  const pulls: BankOrder[] = await readList('pulls')
  const deposits: { deposit: { depositId: string; amount: BankOrder['amount'] } }[] =
    await readList('deposits')
  const currencies = new Map<string, string>([
    ...payments.map(({ id, amount }) => [`PAYMENT ${id}`, amount.currency] as const),
    ...pulls.map(({ id, amount }) => [`PULL ${id}`, amount.currency] as const),
    ...deposits.map(({ deposit }) => [`DEPOSIT ${deposit.depositId}`, deposit.amount.currency] as const),
  ])
  const entries: Omit<BankEntry, 'currency'>[] = await readList('entries')
  return {
    payments,
    pulls,
    entries: entries.map((entry) => {
      const name = `${entry.kind.replace(/_.*/, '')} ${entry.id ?? entry.depositId}`
      return { ...entry, currency: currencies.get(name)! }
    }),
    pendingEvents: await readList('events'),
    deliveredEvents: await world.listDeliveredEvents(),
  }
}

/**
 * Checks, when nothing is in progress, that the bank has each payment at most once, that both sides agree on its
 * state, and that all balances follow from the states to the unit.
 */
export async function expectExplainedBooks(
  db: Database,
  platformId: string,
  bank: BankBooks,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  expectOnceAtBank(bank)
  await expectNothingInProgress(db, platformId, bank)
  await expectOrdersAgree(db, platformId, bank, acknowledged)
  await expectMoneyAgrees(db, platformId, bank)
  await expectBalancesExplained(db, platformId)
}

/** Checks that the bank books each order at most once, and its return at most once and only afterwards. */
function expectOnceAtBank({ payments, pulls, entries }: BankBooks): void {
  const booked = new Map<string, string[]>()
  for (const { id, kind } of entries)
    if (id) booked.set(id + kind.slice(0, 4), [...(booked.get(id + kind.slice(0, 4)) ?? []), kind])
  const wrong = [...booked].filter(([, kinds]) => {
    const [first, second, ...further] = kinds
    return further.length > 0 || first!.endsWith('_RETURN') || (second && second !== `${first}_RETURN`)
  })
  expect(wrong, 'orders that the bank has booked more than once').toEqual([])
  expect([...payments, ...pulls].filter(({ bookings }) => bookings > 1)).toEqual([])
}

async function expectNothingInProgress(db: Database, platformId: string, bank: BankBooks): Promise<void> {
  expect(bank.pendingEvents, 'events that the bank could not hand over').toEqual([])
  const { rows: recorded } = await db.query<{ id: string }>('SELECT id FROM rail_events')
  const known = new Set(recorded.map(({ id }) => id))
  expect(
    bank.deliveredEvents.filter((id) => !known.has(deriveRailEventId('example-bank', id))),
    'events that were received and not recorded',
  ).toEqual([])
  await expectNone(db, platformId, 'reports that wait for a person', WAITING_REPORTS)
  await expectNone(db, platformId, 'payments that no rail has answered', OPEN_PAYMENTS)
  await expectNone(db, platformId, 'jobs that failed or are left', JOBS)
  await expectNone(db, platformId, 'transactions under way', OPEN_TRANSACTIONS)
  await expectNone(db, platformId, 'deposits under way', MOVING_DEPOSITS)
  await expectNone(db, platformId, 'holds that are not resolved', PENDING_HOLDS)
}

const WAITING_REPORTS = `SELECT reason, body FROM rail_events WHERE platform_id = $1 AND state = 'WAITING'`

const OPEN_PAYMENTS = `SELECT * FROM rail_payments WHERE platform_id = $1 AND state IN ('GIVEN', 'ACCEPTED')`

/** Without the expiry of quotes, which has no effect on a quote that has ended. */
const JOBS = `SELECT * FROM jobs WHERE platform_id = $1 AND kind <> 'quote.expire'`

const OPEN_TRANSACTIONS = `
  SELECT id, kind, state, refund FROM transactions WHERE platform_id = $1
    AND (state IN ('PENDING', 'PROCESSING', 'APPROVED') OR refund->>'status' = 'PENDING')`

const MOVING_DEPOSITS = `SELECT * FROM deposits WHERE platform_id = $1 AND state IN ('PENDING', 'RETURNING')`

const PENDING_HOLDS = `SELECT * FROM ledger_transfers WHERE platform_id = $1 AND state = 'pending'`

interface TransactionRow {
  readonly id: string
  readonly kind: 'QUOTE' | 'TRANSFER_IN' | 'TRANSFER_OUT'
  readonly state: string
  readonly pull: string | null
  readonly refund: string | null
  readonly wasSettled: boolean
  readonly pays: boolean
}

const TRANSACTIONS = `
  SELECT t.id, t.kind, t.state, q.pull_state AS pull, t.refund->>'status' AS refund, t.settled_at IS NOT NULL AS "wasSettled",
    t.destination_account_id IN (SELECT id FROM external_accounts) AS pays
  FROM transactions t LEFT JOIN quotes q ON q.id = t.quote_id WHERE t.platform_id = $1 AND t.kind <> 'RECEIPT'`

/** Checks that the bank's state of each order matches the state of its transaction. */
async function expectOrdersAgree(
  db: Database,
  platformId: string,
  { payments, pulls }: BankBooks,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await db.query<TransactionRow>(TRANSACTIONS, [extractUuid(platformId)])
  expect(rows.map(({ id }) => id).sort(), 'what was acknowledged').toEqual([...acknowledged].sort())
  const paid = new Map(payments.map(({ id, status }) => [id, status]))
  const pulled = new Map(pulls.map(({ id, status }) => [id, status]))
  const wrong = rows
    .map((row) => ({ row, payment: paid.get(row.id), pull: pulled.get(row.id) }))
    .filter(({ row, payment, pull }) => !matchesBank(row, payment, pull))
  expect(wrong, 'transactions that the bank knows otherwise').toEqual([])
  const knownIds = new Set(rows.map(({ id }) => id))
  expect(
    [...paid.keys(), ...pulled.keys()].filter((id) => id.startsWith('Transaction:') && !knownIds.has(id)),
  ).toEqual([])
}

function matchesBank(
  { kind, state, pull: pullState, pays }: TransactionRow,
  payment?: string,
  pull?: string,
): boolean {
  if (kind === 'TRANSFER_OUT') return state === 'COMPLETED' ? payment === 'DELIVERED' : hasFailed(payment)
  if (kind === 'TRANSFER_IN') return state === 'COMPLETED' ? pull === 'DELIVERED' : hasFailed(pull)
  const doesPullMatch =
    pullState === null ? pull === undefined : pullState === 'PULLED' ? pull === 'DELIVERED' : hasFailed(pull)
  if (!doesPullMatch) return false
  if (!pays) return payment === undefined
  if (state === 'COMPLETED') return payment === 'DELIVERED'
  return payment === undefined || hasFailed(payment)
}

function hasFailed(status: string | undefined): boolean {
  return status === 'FAILED' || status === 'RETURNED' || status === 'CANCELLED'
}

interface RailMoney {
  /** The payment, the pull or the deposit whose money moved. */
  readonly of: string
  readonly currency: string
  readonly amount: bigint
}

/** All movements of the accounts of the rail, by their transaction or deposit: + is money in. */
const RAIL_MONEY = `
  SELECT coalesce(dq.id, d.id, t.id, q.id, m.cause_id) AS of, e.currency, - sum(e.amount)::bigint AS amount
  FROM ledger_entries e JOIN ledger_accounts a ON a.id = e.account_id
    JOIN ledger_transfers m ON m.id = e.transfer_id
    LEFT JOIN transactions t ON t.id = m.cause_id
    LEFT JOIN transactions q ON q.quote_id = m.cause_id
    LEFT JOIN deposits d ON d.id = m.cause_id
    LEFT JOIN transactions dq ON dq.id = d.transaction_id AND dq.kind = 'QUOTE'
  WHERE a.platform_id = $1 AND a.name = 'rail:example-bank'
  GROUP BY 1, 2`

/** Maps the bank's ids to the records in the database. */
const RECORD_NAMES = `
  SELECT d.rail_reference AS name, coalesce(q.id, d.id) AS of
  FROM deposits d LEFT JOIN transactions q ON q.id = d.transaction_id AND q.kind = 'QUOTE' WHERE d.platform_id = $1
  UNION ALL SELECT 'Deposit:' || d.id, coalesce(q.id, d.id)
  FROM deposits d LEFT JOIN transactions q ON q.id = d.transaction_id AND q.kind = 'QUOTE' WHERE d.platform_id = $1
  UNION ALL SELECT 'Quote:' || quote_id, id FROM transactions WHERE platform_id = $1 AND quote_id IS NOT NULL`

/** Checks that the rail's ledger accounts equal the bank's entries, for each payment and deposit. */
async function expectMoneyAgrees(db: Database, platformId: string, { entries }: BankBooks): Promise<void> {
  const parameters = [extractUuid(platformId)]
  const { rows: moved } = await db.query<RailMoney>(RAIL_MONEY, parameters)
  const { rows: names } = await db.query<{ name: string; of: string }>(RECORD_NAMES, parameters)
  const named = new Map(names.map(({ name, of }) => [name, of]))
  const differences = new Map<string, bigint>()
  const count = (of: string, currency: string, amount: bigint) => {
    const key = `${of} ${currency}`
    differences.set(key, (differences.get(key) ?? 0n) + amount)
  }
  for (const { of, currency, amount } of moved) count(of, currency, amount)
  for (const { id, depositId, currency, amount } of entries) {
    const name = id ?? depositId ?? ''
    count(named.get(name) ?? name, currency, -BigInt(amount))
  }
  const unexplained = [...differences].filter(([, amount]) => amount !== 0n)
  expect(
    unexplained.map(([of, amount]) => `${of} ${amount}`),
    'units that the ledger and the bank do not agree about',
  ).toEqual([])
}

/**
 * The expected balances of a platform when nothing is in progress, computed only from the states of its transactions,
 * quotes and deposits. Each row has an account, its currency and an amount on the credit side.
 */
const EXPLAINED = `
  WITH own AS (
    SELECT t.*, q.pull_state AS pull, t.refund->>'status' AS refunded,
      coalesce((t.details->'counterparty'->>'shortfall')::bigint, 0) AS shortfall,
      t.source_account_id IN (SELECT id FROM internal_accounts) AS pays_from_here,
      t.destination_account_id IN (SELECT id FROM internal_accounts) AS pays_here
    FROM transactions t LEFT JOIN quotes q ON q.id = t.quote_id WHERE t.platform_id = $1 AND t.kind <> 'RECEIPT'
  ), deposited AS (
    SELECT d.*, coalesce((d.details->>'shortfall')::bigint, 0) AS shortfall, t.kind = 'QUOTE' AS is_funding,
      t.refund->>'status' AS refunded
    FROM deposits d LEFT JOIN transactions t ON t.id = d.transaction_id WHERE d.platform_id = $1
  )
  SELECT account_id::text AS account, currency, amount FROM deposited WHERE state = 'CREDITED'
  -- What an account no longer had when it was taken back is owed, and the account has spent it.
  UNION ALL SELECT account_id::text, currency, shortfall FROM deposited WHERE state = 'REVERSED' AND account_id IS NOT NULL
  UNION ALL SELECT 'receivables', currency, - shortfall FROM deposited WHERE state = 'REVERSED'
  UNION ALL SELECT 'receivables', currency, - amount FROM deposited
    WHERE state = 'REVERSED' AND is_funding AND refunded IS DISTINCT FROM 'COMPLETED' AND reason IS DISTINCT FROM 'RETURN_FAILED'
  UNION ALL SELECT 'suspense', currency, amount FROM deposited WHERE state = 'SUSPENSE'
  UNION ALL SELECT destination_account_id::text, received_currency, received_amount FROM own
    WHERE kind = 'TRANSFER_IN' AND state = 'COMPLETED'
  UNION ALL SELECT destination_account_id::text, received_currency, shortfall FROM own
    WHERE kind = 'TRANSFER_IN' AND state <> 'COMPLETED'
  UNION ALL SELECT 'receivables', received_currency, - shortfall FROM own WHERE kind = 'TRANSFER_IN' AND state <> 'COMPLETED'
  UNION ALL SELECT source_account_id::text, sent_currency, - sent_amount FROM own
    WHERE kind = 'TRANSFER_OUT' AND state = 'COMPLETED'
  UNION ALL SELECT source_account_id::text, sent_currency, - sent_amount FROM own WHERE kind = 'QUOTE' AND pays_from_here
    AND (state = 'COMPLETED' OR refunded <> 'COMPLETED')
  UNION ALL SELECT destination_account_id::text, received_currency, received_amount FROM own
    WHERE kind = 'QUOTE' AND pays_here AND state = 'COMPLETED'
  UNION ALL SELECT 'fees', sent_currency, fees FROM own WHERE kind = 'QUOTE' AND state = 'COMPLETED'
  UNION ALL SELECT 'fx', sent_currency, sent_amount - fees FROM own
    WHERE kind = 'QUOTE' AND state = 'COMPLETED' AND sent_currency <> received_currency
  UNION ALL SELECT 'fx', received_currency, - received_amount FROM own
    WHERE kind = 'QUOTE' AND state = 'COMPLETED' AND sent_currency <> received_currency
  -- A pull that was taken back is owed, unless the undelivered money covers it.
  UNION ALL SELECT 'receivables', sent_currency, - sent_amount FROM own
    WHERE kind = 'QUOTE' AND pull = 'RETURNED' AND (state = 'COMPLETED' OR refunded IS NOT NULL)
  -- The money of a refund that did not arrive: of a deposit it is in suspense instead.
  UNION ALL SELECT 'refunds', sent_currency, sent_amount FROM own
    WHERE kind = 'QUOTE' AND refunded = 'FAILED' AND details->>'deposit' IS NULL`

/** Without the accounts of the rails, which are compared with the bank. */
const WRONG_BALANCES = `
  WITH explained AS (SELECT account, currency, sum(amount)::bigint AS amount FROM (${EXPLAINED}) AS rows GROUP BY 1, 2),
  booked AS (
    SELECT coalesce(name, id::text) AS account, currency, posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END AS amount
    FROM ledger_accounts WHERE platform_id = $1 AND (name IS NULL OR name NOT LIKE 'rail%')
  )
  SELECT account, currency, coalesce(booked.amount, 0) AS booked, coalesce(explained.amount, 0) AS explained
  FROM booked FULL JOIN explained USING (account, currency)
  WHERE coalesce(booked.amount, 0) <> coalesce(explained.amount, 0)`

/** Finds balances that differ from the sum of their entries, are below zero or have holds. */
const UNSOUND_BALANCES = `
  SELECT a.id, a.name, a.currency, a.posted, a.held, coalesce(e.amount, 0) AS entries FROM ledger_accounts a
  LEFT JOIN (SELECT account_id, sum(amount)::bigint AS amount FROM ledger_entries GROUP BY 1) e ON e.account_id = a.id
  WHERE a.platform_id = $1 AND (a.held <> 0 OR NOT a.may_overdraw AND a.posted < 0
    OR a.posted <> coalesce(e.amount, 0) * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END)`

const UNBALANCED_CURRENCIES = `
  SELECT currency, sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END)::bigint AS sum
  FROM ledger_accounts WHERE platform_id = $1 GROUP BY 1
  HAVING sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END) <> 0`

/** Checks every balance except the rail's to the unit, when nothing is in progress. */
async function expectBalancesExplained(db: Database, platformId: string): Promise<void> {
  for (const [what, sql] of [
    ['balances that are not sound', UNSOUND_BALANCES],
    ['currencies whose accounts do not sum to zero', UNBALANCED_CURRENCIES],
    ['balances that the records do not explain', WRONG_BALANCES],
  ] as const) {
    const { rows } = await db.query(sql, [extractUuid(platformId)])
    expect(rows, what).toEqual([])
  }
}
