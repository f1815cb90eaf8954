import { expect } from 'vitest'
import { uuidOf } from '../../src/db/engine/ids.ts'
import type { Database } from '../../src/db/engine/port.ts'

/**
 * What all balances of a platform must be, by the states of its transactions, quotes and deposits alone, when nothing is under
 * way: each row an account, its currency and an amount on the account's credit side.
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

/** All but the accounts of rails, which have what the bank has. */
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

/** Checks every balance but the rail's to the unit, when nothing is under way. */
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
