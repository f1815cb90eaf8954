import { expect } from 'vitest'
import { checkBooks } from '../../src/operation/proofs/store.ts'
import { extractUuid } from '../../src/storage/engine/ids.ts'
import type { Database } from '../../src/storage/engine/port.ts'

interface AccountRow {
  readonly id: string
  readonly mayOverdraw: boolean
  /** On the normal side of the account. */
  readonly posted: bigint
  readonly held: bigint
  /** The balance computed from the transactions. */
  readonly explained: bigint
  readonly explainedHeld: bigint
}

/**
 * Reads the balances as stored and as computed from the states of the transactions, in one statement and so in one
 * snapshot. The amount of a payment counts as paid until its refund is completed.
 */
const ACCOUNTS = `
  WITH own AS (SELECT * FROM transactions WHERE platform_id = $1), moves AS (
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
  SELECT a.id, a.may_overdraw AS "mayOverdraw", a.posted, a.held,
    coalesce(x.posted, 0) AS explained, coalesce(x.held, 0) AS "explainedHeld"
  FROM ledger_accounts a LEFT JOIN explained x ON x.account = a.id
  WHERE a.platform_id = $1 ORDER BY a.id`

/**
 * Checks that the books agree with themselves, as `books verify` does, and that the balances of customers and of the
 * platform follow from the transactions.
 */
export async function expectSoundBalances(
  db: Database,
  platformId: string,
): Promise<ReadonlyMap<string, AccountRow>> {
  expect(await checkBooks(db), 'findings of the books').toEqual([])
  const { rows } = await db.query<AccountRow>(ACCOUNTS, [extractUuid(platformId)])
  const wrong = rows.filter(
    ({ mayOverdraw, posted, held, explained, explainedHeld }) =>
      !mayOverdraw && (posted !== explained || held !== explainedHeld),
  )
  expect(wrong, 'accounts whose balance does not follow from the transactions').toEqual([])
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
  /** Its rows of the ledger, each as `formatMovement()` writes it. */
  readonly movements: readonly string[]
}

const TRANSACTIONS = `
  WITH places AS (
    SELECT id, coalesce(name || ' ' || currency, 'InternalAccount:' || id) AS name FROM ledger_accounts WHERE platform_id = $1
  )
  SELECT t.id, t.kind, t.state, t.quote_id AS quote, q.state AS "quoteState", q.pull_state AS pull, t.source_account_id AS source,
    t.destination_account_id AS destination, t.sent_amount AS sent, t.sent_currency AS "sentCurrency",
    t.received_amount AS received, t.received_currency AS "receivedCurrency", t.fees, t.refund->>'status' AS refund,
    t.settled_at IS NOT NULL AS "wasSettled", (t.details->>'fundedAmount')::bigint AS "fundedAmount",
    coalesce((SELECT jsonb_agg(concat(m.state, ' ', m.amount, ' ', debit.name,
        CASE WHEN m.state <> 'voided' THEN ' > ' || coalesce(credit.name, 'no account') END,
        CASE WHEN m.id = t.hold_id THEN ' held' END))
      FROM ledger_transfers m LEFT JOIN places debit ON debit.id = m.debit_account_id
        LEFT JOIN places credit ON credit.id = m.credit_account_id
      WHERE m.cause_id IN (t.id, t.quote_id)), '[]') AS movements
  FROM transactions t LEFT JOIN quotes q ON q.id = t.quote_id WHERE t.platform_id = $1 ORDER BY t.id`

/** A row of the ledger: the amount that it moves, or has held, from one account to another. */
interface Movement {
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** For a hold: posted or voided. Absent otherwise. */
  readonly hold?: 'posted' | 'voided'
}

/**
 * A voided hold names only the payer: the other side is one of the platform's own accounts, which has no row
 * before its first posting.
 */
function formatMovement({ from, to, amount, hold }: Movement): string {
  const paid = hold === 'voided' ? from : `${from} > ${to}`
  return `${hold ?? 'posted'} ${amount} ${paid}${hold === undefined ? '' : ' held'}`
}

/** Names one of the platform's system accounts. */
function formatSystemAccount(system: string, currency: string): string {
  return `${system} ${currency}`
}

/** Lists all rows that the ledger must have for a finished transaction. */
function listExpectedMovements(t: TransactionRow): Movement[] {
  if (t.kind === 'RECEIPT') return []
  if (t.kind === 'TRANSFER_IN') {
    const arrival = {
      from: formatSystemAccount('rail', t.receivedCurrency),
      to: t.destination!,
      amount: t.received,
    }
    return t.state === 'COMPLETED' ? [arrival] : []
  }
  if (t.kind === 'TRANSFER_OUT') {
    const hold = t.state === 'COMPLETED' ? 'posted' : 'voided'
    return [{ from: t.source!, to: formatSystemAccount('rail', t.sentCurrency), amount: t.sent, hold }]
  }
  return [...listFunding(t), ...listDelivery(t), ...listReturns(t)]
}

/** Lists the movements that fund a quote: none if the quote expired. */
function listFunding(t: TransactionRow): Movement[] {
  const clearing = formatSystemAccount('clearing', t.sentCurrency)
  const isFunded = t.state === 'COMPLETED' || t.refund !== null || t.pull === 'RETURNED'
  if (isPaidInternally(t)) {
    if (t.state === 'EXPIRED') return []
    return [{ from: t.source!, to: clearing, amount: t.sent, hold: isFunded ? 'posted' : 'voided' }]
  }
  if (!isFunded || wasFundedWithoutEffect(t)) return []
  return [{ from: formatSystemAccount('rail', t.sentCurrency), to: clearing, amount: t.sent }]
}

/** True if money was paid in for a quote that could not take it. */
function wasFundedWithoutEffect(t: TransactionRow): boolean {
  return t.state === 'FAILED' && t.fundedAmount !== null && t.pull === null
}

/**
 * Lists the movements of a delivery: the fees, and the remaining amount to the payee. If the payment was returned later, each
 * movement also exists in reverse.
 */
function listDelivery(t: TransactionRow): Movement[] {
  if (t.state !== 'COMPLETED' && !t.wasSettled) return []
  const delivered = t.sent - t.fees!
  const clearing = formatSystemAccount('clearing', t.sentCurrency)
  const payee = t.destination?.startsWith('InternalAccount:')
    ? t.destination
    : formatSystemAccount('rail', t.receivedCurrency)
  const [sold, bought] = [
    formatSystemAccount('fx', t.sentCurrency),
    formatSystemAccount('fx', t.receivedCurrency),
  ]
  const isConverted = t.sentCurrency !== t.receivedCurrency
  const paid: Movement[] = [
    ...(t.fees! > 0n
      ? [{ from: clearing, to: formatSystemAccount('fees', t.sentCurrency), amount: t.fees! }]
      : []),
    { from: clearing, to: isConverted ? sold : payee, amount: delivered },
    ...(isConverted ? [{ from: bought, to: payee, amount: t.received }] : []),
  ]
  if (t.state === 'COMPLETED') return paid
  const reversed = paid.map(({ from, to, amount }) => ({
    from: to,
    to: from === clearing ? findUndeliveredAccount(t) : from,
    amount,
  }))
  return [...paid, ...reversed]
}

/**
 * Returns the account for undelivered money. If the payer's bank has already taken the money back, the payment is not
 * refunded as well.
 */
function findUndeliveredAccount(t: TransactionRow): string {
  return formatSystemAccount(t.refund === null ? 'receivables' : 'refunds', t.sentCurrency)
}

/** Lists the movements of undelivered money, and of money that the payer's bank takes back. */
function listReturns(t: TransactionRow): Movement[] {
  const [rail, refunds] = [
    formatSystemAccount('rail', t.sentCurrency),
    formatSystemAccount('refunds', t.sentCurrency),
  ]
  const amount = t.fundedAmount ?? t.sent
  const payer = isPaidInternally(t) ? t.source! : rail
  const isRetained = t.state === 'FAILED' && (t.refund !== null || t.pull === 'RETURNED')
  const undelivered: Movement[] = !isRetained
    ? []
    : wasFundedWithoutEffect(t)
      ? [{ from: rail, to: refunds, amount }]
      : t.wasSettled
        ? []
        : [
            {
              from: formatSystemAccount('clearing', t.sentCurrency),
              to: findUndeliveredAccount(t),
              amount: t.sent,
            },
          ]
  return [
    ...undelivered,
    ...(isRetained && t.refund === 'COMPLETED' ? [{ from: refunds, to: payer, amount }] : []),
    ...(t.pull === 'RETURNED'
      ? [{ from: formatSystemAccount('receivables', t.sentCurrency), to: rail, amount: t.sent }]
      : []),
  ]
}

/** True if an internal account pays the quote; otherwise its money is pulled or paid in. */
function isPaidInternally({ source }: TransactionRow): boolean {
  return source?.startsWith('InternalAccount:') ?? false
}

const FINAL_STATES = new Set(['COMPLETED', 'FAILED', 'EXPIRED', 'REJECTED', 'REFUNDED'])

/**
 * Checks that every transaction is in a final state, that the ledger has exactly the rows of that state, that every hold is
 * resolved, and that events report each end once. Returns the requested transactions, without receipts.
 */
export async function expectSettledBooks(
  db: Database,
  platformId: string,
): Promise<ReadonlyMap<string, TransactionRow>> {
  await expectSoundBalances(db, platformId)
  await expectNone(db, platformId, 'due work that is left', JOBS)
  const { rows } = await db.query<TransactionRow>(TRANSACTIONS, [extractUuid(platformId)])
  const wrong = rows.flatMap((t) => {
    const expected = {
      isFinal: true,
      refundIsPending: false,
      quoteMatches: true,
      movements: listExpectedMovements(t).map(formatMovement).sort(),
    }
    const found = {
      isFinal: FINAL_STATES.has(t.state),
      refundIsPending: t.refund === 'PENDING',
      // A payment returned later leaves its quote completed.
      quoteMatches: t.quote === null || t.quoteState === (t.wasSettled ? 'COMPLETED' : t.state),
      movements: t.movements.toSorted(),
    }
    return JSON.stringify(found) === JSON.stringify(expected)
      ? []
      : [{ id: t.id, state: t.state, found, expected }]
  })
  expect(wrong, 'transactions whose state and movements differ').toEqual([])
  await expectNone(db, platformId, 'holds that are not resolved', PENDING_HOLDS)
  await expectNone(db, platformId, 'movements without a transaction', ORPHANS)
  await expectNone(db, platformId, 'transactions whose end is not told of exactly once', WITHOUT_FINAL_EVENT)
  await expectNone(db, platformId, 'accounts whose last event shows another balance', OUTDATED_EVENTS)
  await expectNone(db, platformId, 'receipts that do not add up to what was paid here', WRONG_RECEIPTS)
  return new Map(rows.filter(({ kind }) => kind !== 'RECEIPT').map((row) => [row.id, row]))
}

export async function expectNone(db: Database, platformId: string, what: string, sql: string): Promise<void> {
  const { rows } = await db.query(sql, [extractUuid(platformId)])
  expect(rows, what).toEqual([])
}

/** All jobs but those that wait for a webhook endpoint. */
const JOBS = `SELECT * FROM jobs WHERE platform_id = $1`

const PENDING_HOLDS = `SELECT * FROM ledger_transfers WHERE platform_id = $1 AND state = 'pending'`

const ORPHANS = `
  SELECT m.id, m.cause, m.cause_id FROM ledger_transfers m
  WHERE m.platform_id = $1 AND m.cause <> 'sandbox_fund'
    AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.id = m.cause_id)
    AND NOT EXISTS (SELECT 1 FROM transactions t WHERE t.quote_id = m.cause_id)`

const WITHOUT_FINAL_EVENT = `
  SELECT t.id, t.state, count(e.id)::int AS events FROM transactions t
  LEFT JOIN events e ON e.object_id = t.id AND e.type LIKE '%\\_PAYMENT.' || t.state
  WHERE t.platform_id = $1 GROUP BY 1, 2 HAVING count(e.id) <> 1`

const OUTDATED_EVENTS = `
  SELECT a.id, a.posted, a.held, e.available, e.posted AS shown
  FROM ledger_accounts a JOIN LATERAL (
    SELECT available, posted FROM events WHERE object_id = a.id AND type = 'INTERNAL_ACCOUNT.BALANCE_UPDATED'
    ORDER BY sequence DESC LIMIT 1) AS e ON true
  WHERE a.platform_id = $1 AND (e.available IS DISTINCT FROM a.posted - a.held OR e.posted IS DISTINCT FROM a.posted)`

/** Every payment by another customer's internal account has a receipt. */
const WRONG_RECEIPTS = `
  SELECT a.id, paid.sum AS paid, told.sum AS told FROM internal_accounts a
  CROSS JOIN LATERAL (SELECT coalesce(sum(t.received_amount), 0) AS sum, count(*) AS n FROM transactions t
    WHERE t.destination_account_id = a.id AND t.kind = 'QUOTE' AND t.state = 'COMPLETED'
      AND t.customer_id IS DISTINCT FROM a.customer_id) AS paid
  CROSS JOIN LATERAL (SELECT coalesce(sum(t.received_amount), 0) AS sum, count(*) AS n FROM transactions t
    WHERE t.destination_account_id = a.id AND t.kind = 'RECEIPT' AND t.source_identifier IS NULL) AS told
  WHERE a.platform_id = $1 AND (paid.sum <> told.sum OR paid.n <> told.n)`
