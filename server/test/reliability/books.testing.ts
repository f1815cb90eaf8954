import { expect } from 'vitest'
import { uuidOf } from '../../src/db/engine/ids.ts'
import type { Database } from '../../src/db/engine/port.ts'

interface AccountRow {
  readonly id: string
  readonly currency: string
  readonly mayOverdraw: boolean
  /** On the normal side of the account. */
  readonly posted: bigint
  readonly held: bigint
  /** The balance computed from entries and pending holds. */
  readonly rebuilt: bigint
  readonly pending: bigint
  /** The balance computed from the transactions. Missing for the platform's own accounts. */
  readonly explained: bigint | null
  readonly explainedHeld: bigint | null
  /** Credits less debits. */
  readonly signed: bigint
}

/**
 * One statement, so one snapshot: balances as stored, as computed from entries and holds, and as computed from the states of
 * the transactions. The amount of a payment counts as paid until its refund is completed.
 */
const ACCOUNTS = `
  WITH entries AS (
    SELECT account_id, sum(amount)::bigint AS amount FROM ledger_entries GROUP BY 1
  ), holds AS (
    SELECT debit_account_id AS account_id, sum(amount)::bigint AS held
    FROM ledger_transfers WHERE platform_id = $1 AND state = 'pending' GROUP BY 1
  ), own AS (SELECT * FROM transactions WHERE platform_id = $1), moves AS (
    SELECT destination_account_id AS account, received_amount AS posted, 0 AS held FROM own
      WHERE kind = 'TRANSFER_IN' AND state = 'COMPLETED'
    UNION ALL SELECT source_account_id, - sent_amount, 0 FROM own WHERE kind = 'TRANSFER_OUT' AND state = 'COMPLETED'
    UNION ALL SELECT source_account_id, 0, sent_amount FROM own WHERE kind = 'TRANSFER_OUT' AND state = 'PENDING'
    UNION ALL SELECT source_account_id, - sent_amount, 0 FROM own WHERE kind = 'QUOTE'
      AND (state = 'COMPLETED' OR state = 'FAILED' AND refund->>'status' <> 'COMPLETED')
    UNION ALL SELECT source_account_id, 0, sent_amount FROM own WHERE kind = 'QUOTE' AND state = 'PROCESSING'
    UNION ALL SELECT destination_account_id, received_amount, 0 FROM own WHERE kind = 'QUOTE' AND state = 'COMPLETED'
    UNION ALL SELECT account_id, amount, 0 FROM ledger_entries WHERE platform_id = $1 AND cause = 'sandbox_fund'
  ), explained AS (
    SELECT account, sum(posted)::bigint AS posted, sum(held)::bigint AS held FROM moves GROUP BY 1
  )
  SELECT a.id, a.currency, a.may_overdraw AS "mayOverdraw", a.posted, a.held,
    coalesce(e.amount, 0) * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END AS rebuilt,
    coalesce(h.held, 0) AS pending,
    CASE WHEN a.may_overdraw THEN NULL ELSE coalesce(x.posted, 0) END AS explained,
    CASE WHEN a.may_overdraw THEN NULL ELSE coalesce(x.held, 0) END AS "explainedHeld",
    a.posted * CASE a.normal_side WHEN 'credit' THEN 1 ELSE -1 END AS signed
  FROM ledger_accounts a LEFT JOIN entries e ON e.account_id = a.id LEFT JOIN holds h ON h.account_id = a.id
    LEFT JOIN explained x ON x.account = a.id
  WHERE a.platform_id = $1 ORDER BY a.id`

/**
 * Reads all balances in one snapshot and checks the invariants: per currency all accounts sum to zero, nothing is negative,
 * and the balances match the entries, the holds and the transactions.
 */
export async function expectSoundBalances(
  db: Database,
  platformId: string,
): Promise<ReadonlyMap<string, AccountRow>> {
  const { rows } = await db.query<AccountRow>(ACCOUNTS, [uuidOf(platformId)])
  const wrong = rows.filter(
    ({ mayOverdraw, posted, held, rebuilt, pending, explained, explainedHeld }) =>
      posted !== rebuilt ||
      held !== pending ||
      held < 0n ||
      (!mayOverdraw && posted < held) ||
      (explained !== null && posted !== explained) ||
      (explainedHeld !== null && held !== explainedHeld),
  )
  expect(wrong, 'accounts whose balance is not what it must be').toEqual([])
  const sums = new Map<string, bigint>()
  for (const { currency, signed } of rows) sums.set(currency, (sums.get(currency) ?? 0n) + signed)
  expect(
    [...sums].filter(([, sum]) => sum !== 0n),
    'currencies whose accounts do not sum to zero',
  ).toEqual([])
  return new Map(rows.map((row) => [row.id, row]))
}

interface TransactionRow {
  readonly id: string
  readonly kind: 'QUOTE' | 'TRANSFER_IN' | 'TRANSFER_OUT' | 'RECEIPT'
  readonly state: string
  readonly quote: string | null
  readonly quoteState: string | null
  readonly pull: 'PENDING' | 'PULLED' | 'FAILED' | 'RETURNED' | null
  readonly source: string | null
  readonly destination: string | null
  readonly sent: bigint
  readonly sentCurrency: string
  readonly received: bigint
  readonly receivedCurrency: string
  readonly fees: bigint | null
  readonly refund: 'PENDING' | 'COMPLETED' | 'FAILED' | null
  readonly wasSettled: boolean
  readonly fundedAmount: bigint | null
  /** What was debited and credited to each account in all, `<account> <amount>`; the platform's own by name and currency. */
  readonly entries: readonly string[] | null
  readonly holds: readonly { readonly state: string; readonly amount: number }[] | null
}

const TRANSACTIONS = `
  SELECT t.id, t.kind, t.state, t.quote_id AS quote, q.state AS "quoteState", q.pull_state AS pull, t.source_account_id AS source,
    t.destination_account_id AS destination, t.sent_amount AS sent, t.sent_currency AS "sentCurrency",
    t.received_amount AS received, t.received_currency AS "receivedCurrency", t.fees, t.refund->>'status' AS refund,
    t.settled_at IS NOT NULL AS "wasSettled", (t.details->>'fundedAmount')::bigint AS "fundedAmount",
    (SELECT jsonb_agg(coalesce(a.name || ' ' || a.currency, 'InternalAccount:' || a.id) || ' ' || sum) FROM (
      SELECT e.account_id, sum(e.amount) AS sum FROM ledger_entries e
      WHERE e.cause_id IN (t.id, t.quote_id) GROUP BY e.account_id, sign(e.amount)) AS x
      JOIN ledger_accounts a ON a.id = x.account_id AND a.platform_id = t.platform_id) AS entries,
    (SELECT jsonb_agg(jsonb_build_object('state', h.state, 'amount', h.amount)) FROM ledger_transfers h
      WHERE h.id = t.hold_id) AS holds
  FROM transactions t LEFT JOIN quotes q ON q.id = t.quote_id WHERE t.platform_id = $1 ORDER BY t.id`

type Entries = readonly (readonly [account: string, amount: bigint])[]

/** The expected movements of a finished transaction. */
function expectedTransfers(t: TransactionRow): Entries[] {
  const own = (system: string, currency = t.sentCurrency) => `${system} ${currency}`
  if (t.kind === 'RECEIPT') return []
  if (t.kind === 'TRANSFER_IN' || t.kind === 'TRANSFER_OUT') {
    if (t.state !== 'COMPLETED') return []
    const [account, amount] = t.kind === 'TRANSFER_IN' ? [t.destination!, t.received] : [t.source!, -t.sent]
    return [
      [
        [account, amount],
        [own('rail'), -amount],
      ],
    ]
  }
  const payer = own('clearing')
  const isConverted = t.sentCurrency !== t.receivedCurrency
  const paid: Entries = [
    [own('fees'), t.fees!],
    ...(isConverted
      ? ([
          [own('fx'), t.sent - t.fees!],
          [own('fx', t.receivedCurrency), -t.received],
        ] as const)
      : []),
    [
      t.destination?.startsWith('InternalAccount:') ? t.destination : own('rail', t.receivedCurrency),
      t.received,
    ],
  ]
  const arrived: Entries[] = [
    [
      [paysFromHere(t) ? t.source! : own('rail'), -t.sent],
      [payer, t.sent],
    ],
  ]
  const takenBack: Entries[] =
    t.pull === 'RETURNED'
      ? [
          [
            [own('rail'), t.sent],
            [own('receivables'), -t.sent],
          ],
        ]
      : []
  // A payment that the payer's bank has already taken back is not refunded as well.
  const undelivered = own(t.refund === null ? 'receivables' : 'refunds')
  const settled: Entries = [[payer, -t.sent], ...paid]
  const back: Entries[] =
    t.refund === 'COMPLETED'
      ? [
          [
            [own('refunds'), -(t.fundedAmount ?? t.sent)],
            [paysFromHere(t) ? t.source! : own('rail'), t.fundedAmount ?? t.sent],
          ],
        ]
      : []
  if (t.state === 'COMPLETED') return [...arrived, settled, ...takenBack]
  if (t.state !== 'FAILED' || (t.refund === null && t.pull !== 'RETURNED')) return []
  if (t.fundedAmount !== null && t.pull === null)
    return [
      [
        [own('rail'), -t.fundedAmount],
        [own('refunds'), t.fundedAmount],
      ],
      ...back,
    ]
  if (!t.wasSettled)
    return [
      ...arrived,
      [
        [payer, -t.sent],
        [undelivered, t.sent],
      ],
      ...back,
      ...takenBack,
    ]
  const reversed: Entries = [
    [undelivered, t.sent],
    ...paid.map(([account, amount]) => [account, -amount] as const),
  ]
  return [...arrived, settled, reversed, ...back, ...takenBack]
}

/** Whether an internal account pays the quote; otherwise its money is pulled or paid in. */
function paysFromHere({ source }: TransactionRow): boolean {
  return source?.startsWith('InternalAccount:') ?? false
}

/** What movements debit and credit to each account in all. */
function linesOf(movements: readonly Entries[]): string[] {
  const sums = new Map<string, bigint>()
  for (const [account, amount] of movements.flat()) {
    const side = `${account} ${amount < 0n ? '-' : ''}`
    sums.set(side, (sums.get(side) ?? 0n) + (amount < 0n ? -amount : amount))
  }
  return [...sums]
    .filter(([, amount]) => amount > 0n)
    .map(([side, amount]) => `${side}${amount}`)
    .sort()
}

/** A hold exists where an internal account was to pay; it was captured whole or not at all. */
function expectedHold(t: TransactionRow): string[] {
  const { kind, state, sent, refund } = t
  const holds = kind === 'TRANSFER_OUT' || (kind === 'QUOTE' && paysFromHere(t))
  if (!holds || state === 'PENDING' || state === 'EXPIRED') return []
  const isTaken = state === 'COMPLETED' || refund !== null
  return [`${isTaken ? 'posted' : 'voided'} ${sent}`]
}

const FINAL_STATES = new Set(['COMPLETED', 'FAILED', 'EXPIRED', 'REJECTED', 'REFUNDED'])

/**
 * Checks the end state: every transaction is in a final state and has moved exactly what that state says, once; every hold
 * is resolved; events report each end once, without gaps, and the last one
 * of an account shows its balance. Returns the requested transactions: all but receipts.
 */
export async function expectSettledBooks(
  db: Database,
  platformId: string,
): Promise<ReadonlyMap<string, TransactionRow>> {
  await expectSoundBalances(db, platformId)
  await expectNone(db, platformId, 'due work that is left', JOBS)
  const { rows } = await db.query<TransactionRow>(TRANSACTIONS, [uuidOf(platformId)])
  const wrong = rows.flatMap((t) => {
    const expected = {
      isFinal: true,
      refundIsPending: false,
      quoteIsAlike: true,
      entries: linesOf(expectedTransfers(t)),
      holds: expectedHold(t),
    }
    const found = {
      isFinal: FINAL_STATES.has(t.state),
      refundIsPending: t.refund === 'PENDING',
      // A payment that was returned later leaves its quote completed.
      quoteIsAlike: t.quote === null || t.quoteState === (t.wasSettled ? 'COMPLETED' : t.state),
      entries: [...(t.entries ?? [])].sort(),
      holds: (t.holds ?? []).map(({ state, amount }) => `${state} ${amount}`),
    }
    return JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [{ id: t.id, state: t.state, found, expected }]
  })
  expect(wrong, 'transactions whose state and movements differ').toEqual([])
  await expectNone(db, platformId, 'holds that are not resolved', PENDING_HOLDS)
  await expectNone(db, platformId, 'movements without a transaction', ORPHANS)
  await expectNone(db, platformId, 'objects whose events have gaps', GAPS)
  await expectNone(db, platformId, 'transactions whose end is not told of exactly once', TOLD)
  await expectNone(db, platformId, 'accounts whose last event shows another balance', SHOWN)
  await expectNone(db, platformId, 'receipts that do not add up to what was paid here', RECEIPTS)
  return new Map(rows.filter(({ kind }) => kind !== 'RECEIPT').map((row) => [row.id, row]))
}

async function expectNone(db: Database, platformId: string, what: string, sql: string): Promise<void> {
  const { rows } = await db.query(sql, [uuidOf(platformId)])
  expect(rows, what).toEqual([])
}

/** All jobs but those that wait for a webhook endpoint. */
const JOBS = `SELECT * FROM jobs WHERE platform_id = $1 AND kind <> 'webhook.deliver'`

const PENDING_HOLDS = `SELECT * FROM ledger_transfers WHERE platform_id = $1 AND state = 'pending'`

const ORPHANS = `
  SELECT m.id, m.cause, m.cause_id FROM ledger_transfers m
  WHERE m.platform_id = $1 AND m.cause <> 'sandbox_fund'
    AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = m.cause_id)
    AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.quote_id = m.cause_id)`

const GAPS = `
  SELECT object_id, count(*)::int AS events, max(sequence) AS last FROM events WHERE platform_id = $1
  GROUP BY 1 HAVING max(sequence) <> count(*) OR min(sequence) <> 1`

const TOLD = `
  SELECT t.id, t.state, count(e.id)::int AS events FROM transactions t
  LEFT JOIN events e ON e.object_id = t.id AND e.type LIKE '%\\_PAYMENT.' || t.state
  WHERE t.platform_id = $1 GROUP BY 1, 2 HAVING count(e.id) <> 1`

const SHOWN = `
  SELECT a.id, a.posted, a.held, e.available, e.posted AS shown
  FROM ledger_accounts a JOIN LATERAL (
    SELECT available, posted FROM events WHERE object_id = a.id AND type = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'
    ORDER BY sequence DESC LIMIT 1) AS e ON true
  WHERE a.platform_id = $1 AND (e.available IS DISTINCT FROM a.posted - a.held OR e.posted IS DISTINCT FROM a.posted)`

/** Every payment by another customer's internal account has a receipt. */
const RECEIPTS = `
  SELECT a.id, paid.sum AS paid, told.sum AS told FROM internal_accounts a
  CROSS JOIN LATERAL (SELECT coalesce(sum(t.received_amount), 0) AS sum, count(*) AS n FROM transactions t
    WHERE t.destination_account_id = a.id AND t.kind = 'QUOTE' AND t.state = 'COMPLETED'
      AND t.customer_id IS DISTINCT FROM a.customer_id) AS paid
  CROSS JOIN LATERAL (SELECT coalesce(sum(t.received_amount), 0) AS sum, count(*) AS n FROM transactions t
    WHERE t.destination_account_id = a.id AND t.kind = 'RECEIPT' AND t.source_identifier IS NULL) AS told
  WHERE a.platform_id = $1 AND (paid.sum <> told.sum OR paid.n <> told.n)`
