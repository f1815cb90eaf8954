import { expect } from 'vitest'
import { railEventId } from '../../src/money/rails/rail-ids.ts'
import { uuidOf } from '../../src/storage/engine/ids.ts'
import type { Database } from '../../src/storage/engine/port.ts'
import type { RailWorld } from './rails.testing.ts'

/** The bank's records: its orders, its entries, and the events that it has sent. */
export interface BankBooks {
  readonly payments: readonly BankOrder[]
  readonly pulls: readonly BankOrder[]
  readonly entries: readonly BankEntry[]
  readonly waiting: readonly unknown[]
  readonly handedOver: readonly string[]
}

export interface BankOrder {
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

export async function bankBooks(world: RailWorld): Promise<BankBooks> {
  const data = async (what: string) => (await world.callBank('GET', `/${what}`)).body.data
  const payments: BankOrder[] = await data('payments')
  const pulls: BankOrder[] = await data('pulls')
  const deposits: { deposit: { depositId: string; amount: BankOrder['amount'] } }[] = await data('deposits')
  const currencies = new Map<string, string>([
    ...payments.map(({ id, amount }) => [`PAYMENT ${id}`, amount.currency] as const),
    ...pulls.map(({ id, amount }) => [`PULL ${id}`, amount.currency] as const),
    ...deposits.map(({ deposit }) => [`DEPOSIT ${deposit.depositId}`, deposit.amount.currency] as const),
  ])
  const entries: Omit<BankEntry, 'currency'>[] = await data('entries')
  return {
    payments,
    pulls,
    entries: entries.map((entry) => {
      const name = `${entry.kind.replace(/_.*/, '')} ${entry.id ?? entry.depositId}`
      return { ...entry, currency: currencies.get(name)! }
    }),
    waiting: await data('events'),
    handedOver: await world.eventsHandedOver(),
  }
}

/**
 * Checks that the bank has each payment at most once, that its state of each matches the state here, and that
 * all balances follow from that to the unit. Nothing is in progress any more.
 */
export async function expectExplainedBooks(
  db: Database,
  platformId: string,
  bank: BankBooks,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  expectOnceAtBank(bank)
  await expectNothingUnderWay(db, platformId, bank)
  await expectOrdersAgree(db, platformId, bank, acknowledged)
  await expectMoneyAgrees(db, platformId, bank)
  await expectBalancesExplained(db, platformId)
}

/** Money leaves or arrives at most once for an order, and comes back at most once, and only after that. */
function expectOnceAtBank({ payments, pulls, entries }: BankBooks): void {
  const booked = new Map<string, string[]>()
  for (const { id, kind } of entries)
    if (id) booked.set(id + kind.slice(0, 4), [...(booked.get(id + kind.slice(0, 4)) ?? []), kind])
  const wrong = [...booked].filter(([, kinds]) => {
    const [first, second, ...more] = kinds
    return more.length > 0 || first!.endsWith('_RETURN') || (second && second !== `${first}_RETURN`)
  })
  expect(wrong, 'orders that the bank has booked more than once').toEqual([])
  expect([...payments, ...pulls].filter(({ bookings }) => bookings > 1)).toEqual([])
}

async function expectNothingUnderWay(db: Database, platformId: string, bank: BankBooks): Promise<void> {
  expect(bank.waiting, 'events that the bank could not hand over').toEqual([])
  const { rows: recorded } = await db.query<{ id: string }>('SELECT id FROM rail_events')
  const known = new Set(recorded.map(({ id }) => id))
  expect(
    bank.handedOver.filter((id) => !known.has(railEventId('example-bank', id))),
    'events that were received and not recorded',
  ).toEqual([])
  await expectNone(db, platformId, 'reports that wait for a person', WAITING)
  await expectNone(db, platformId, 'payments that no rail has answered', OPEN_PAYMENTS)
  await expectNone(db, platformId, 'jobs that failed or are left', JOBS)
  await expectNone(db, platformId, 'transactions under way', UNDER_WAY)
  await expectNone(db, platformId, 'deposits under way', MOVING_DEPOSITS)
  await expectNone(db, platformId, 'holds that are not resolved', PENDING_HOLDS)
}

const WAITING = `SELECT reason, body FROM rail_events WHERE platform_id = $1 AND state = 'WAITING'`

const OPEN_PAYMENTS = `SELECT * FROM rail_payments WHERE platform_id = $1 AND state IN ('GIVEN', 'ACCEPTED')`

/** A quote that has ended expires later without effect. */
const JOBS = `SELECT * FROM jobs WHERE platform_id = $1 AND kind <> 'quote.expire'`

const UNDER_WAY = `
  SELECT id, kind, state, refund FROM transactions WHERE platform_id = $1
    AND (state IN ('PENDING', 'PROCESSING', 'APPROVED') OR refund->>'status' = 'PENDING')`

const MOVING_DEPOSITS = `SELECT * FROM deposits WHERE platform_id = $1 AND state IN ('PENDING', 'RETURNING')`

const PENDING_HOLDS = `SELECT * FROM ledger_transfers WHERE platform_id = $1 AND state = 'pending'`

async function expectNone(db: Database, platformId: string, what: string, sql: string): Promise<void> {
  const { rows } = await db.query(sql, [uuidOf(platformId)])
  expect(rows, what).toEqual([])
}

interface CarriedRow {
  readonly id: string
  readonly kind: 'QUOTE' | 'TRANSFER_IN' | 'TRANSFER_OUT'
  readonly state: string
  readonly pull: string | null
  readonly refund: string | null
  readonly wasSettled: boolean
  readonly pays: boolean
}

const CARRIED = `
  SELECT t.id, t.kind, t.state, q.pull_state AS pull, t.refund->>'status' AS refund, t.settled_at IS NOT NULL AS "wasSettled",
    t.destination_account_id IN (SELECT id FROM external_accounts) AS pays
  FROM transactions t LEFT JOIN quotes q ON q.id = t.quote_id WHERE t.platform_id = $1 AND t.kind <> 'RECEIPT'`

/** The bank's state of an order, by its state here. */
async function expectOrdersAgree(
  db: Database,
  platformId: string,
  { payments, pulls }: BankBooks,
  acknowledged: ReadonlySet<string>,
): Promise<void> {
  const { rows } = await db.query<CarriedRow>(CARRIED, [uuidOf(platformId)])
  expect(rows.map(({ id }) => id).sort(), 'what was acknowledged').toEqual([...acknowledged].sort())
  const paid = new Map(payments.map(({ id, status }) => [id, status]))
  const pulled = new Map(pulls.map(({ id, status }) => [id, status]))
  const wrong = rows
    .map((row) => ({ row, payment: paid.get(row.id), pull: pulled.get(row.id) }))
    .filter(({ row, payment, pull }) => !isAgreed(row, payment, pull))
  expect(wrong, 'transactions that the bank knows otherwise').toEqual([])
  const ours = new Set(rows.map(({ id }) => id))
  expect(
    [...paid.keys(), ...pulled.keys()].filter((id) => id.startsWith('Transaction:') && !ours.has(id)),
  ).toEqual([])
}

function isAgreed(
  { kind, state, pull: pullState, pays }: CarriedRow,
  payment?: string,
  pull?: string,
): boolean {
  if (kind === 'TRANSFER_OUT') return state === 'COMPLETED' ? payment === 'DELIVERED' : hasFailed(payment)
  if (kind === 'TRANSFER_IN') return state === 'COMPLETED' ? pull === 'DELIVERED' : hasFailed(pull)
  const isPulledRightly =
    pullState === null ? pull === undefined : pullState === 'PULLED' ? pull === 'DELIVERED' : hasFailed(pull)
  if (!isPulledRightly) return false
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

/** The record here for an id at the bank. */
const NAMES = `
  SELECT d.rail_reference AS name, coalesce(q.id, d.id) AS of
  FROM deposits d LEFT JOIN transactions q ON q.id = d.transaction_id AND q.kind = 'QUOTE' WHERE d.platform_id = $1
  UNION ALL SELECT 'Deposit:' || d.id, coalesce(q.id, d.id)
  FROM deposits d LEFT JOIN transactions q ON q.id = d.transaction_id AND q.kind = 'QUOTE' WHERE d.platform_id = $1
  UNION ALL SELECT 'Quote:' || quote_id, id FROM transactions WHERE platform_id = $1 AND quote_id IS NOT NULL`

/** The ledger's accounts of the rail equal the bank's: for each payment and deposit, and so in total. */
async function expectMoneyAgrees(db: Database, platformId: string, { entries }: BankBooks): Promise<void> {
  const parameters = [uuidOf(platformId)]
  const { rows: moved } = await db.query<RailMoney>(RAIL_MONEY, parameters)
  const { rows: names } = await db.query<{ name: string; of: string }>(NAMES, parameters)
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
  const left = [...differences].filter(([, amount]) => amount !== 0n)
  expect(
    left.map(([of, amount]) => `${of} ${amount}`),
    'units that the ledger and the bank do not agree about',
  ).toEqual([])
}

/**
 * The required balances of a platform, only from the states of its transactions, quotes and deposits, when
 * nothing is in progress: each row an account, its currency and an amount on the account's credit side.
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

/** All accounts except the rails', which must equal the bank's. */
const WRONG = `
  WITH explained AS (SELECT account, currency, sum(amount)::bigint AS amount FROM (${EXPLAINED}) AS rows GROUP BY 1, 2),
  booked AS (
    SELECT coalesce(name, id::text) AS account, currency, posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END AS amount
    FROM ledger_accounts WHERE platform_id = $1 AND (name IS NULL OR name NOT LIKE 'rail%')
  )
  SELECT account, currency, coalesce(booked.amount, 0) AS booked, coalesce(explained.amount, 0) AS explained
  FROM booked FULL JOIN explained USING (account, currency)
  WHERE coalesce(booked.amount, 0) <> coalesce(explained.amount, 0)`

/** A balance that is not the sum of its entries, that is below zero, or that has something held. */
const UNSOUND = `
  SELECT a.id, a.name, a.currency, a.posted, a.held, coalesce(e.amount, 0) AS entries FROM ledger_accounts a
  LEFT JOIN (SELECT account_id, sum(amount)::bigint AS amount FROM ledger_entries GROUP BY 1) e ON e.account_id = a.id
  WHERE a.platform_id = $1 AND (a.held <> 0 OR NOT a.may_overdraw AND a.posted < 0
    OR a.posted <> coalesce(e.amount, 0) * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END)`

const UNBALANCED = `
  SELECT currency, sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END)::bigint AS sum
  FROM ledger_accounts WHERE platform_id = $1 GROUP BY 1
  HAVING sum(posted * CASE normal_side WHEN 'credit' THEN 1 ELSE -1 END) <> 0`

/** Checks every balance but the rail's to the unit, when nothing is in progress. */
export async function expectBalancesExplained(db: Database, platformId: string): Promise<void> {
  for (const [what, sql] of [
    ['balances that are not sound', UNSOUND],
    ['currencies whose accounts do not sum to zero', UNBALANCED],
    ['balances that the records do not explain', WRONG],
  ] as const) {
    const { rows } = await db.query(sql, [uuidOf(platformId)])
    expect(rows, what).toEqual([])
  }
}
