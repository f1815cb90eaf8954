import type { Database } from '../engine/port.ts'
import { AUDIT_EVENT_ERASED } from './columns-of-customers.ts'
import { OWN_RECORDS } from './erase-events.ts'
import { buildEraseStatement, eraseRows, ROWS_MAX } from './erase-rows.ts'
import { OWN_ACCOUNTS, OWN_DEPOSITS } from './table-columns.ts'

/** Audit events that name the customer, or only one of its records. */
const AUDIT_EVENTS = [
  'customer_id = $1',
  `customer_id IS NULL AND object_id IN (
    SELECT id FROM ${OWN_RECORDS} AS own (id)
    UNION ALL SELECT id FROM ${OWN_DEPOSITS} AS deposits (id)
    UNION ALL SELECT id FROM documents WHERE customer_id = $1
    UNION ALL SELECT id FROM external_accounts WHERE customer_id = $1
    UNION ALL SELECT id FROM sessions WHERE account_id IN ${OWN_ACCOUNTS}
    UNION ALL SELECT k.id FROM delegated_keys AS k JOIN cards AS c ON c.id = k.card_id WHERE c.cardholder_id = $1)`,
].map((rows) => ({ sql: buildEraseStatement('audit_events', { rows, set: AUDIT_EVENT_ERASED }) }))

export async function eraseAuditEvents(db: Database, customer: string): Promise<number> {
  let rowCount = 0
  for (const statement of AUDIT_EVENTS) rowCount += await eraseRows(db, statement, customer)
  return rowCount
}

/**
 * Counts of messages to the customer's addresses and numbers, in the form used by `mailboxOf`. Also removes
 * expired counts, which may belong to an earlier address of the customer.
 */
const COUNTS = `
DELETE FROM message_counts WHERE ctid = ANY (ARRAY(SELECT ctid FROM message_counts
WHERE platform_id = (SELECT platform_id FROM customers WHERE id = $1) AND recipient <> '' AND (day < $2 OR recipient IN (
  SELECT regexp_replace(lower(contact), '^([^+@]+)\\+[^@]*@', '\\1@') FROM (
    SELECT email FROM customers WHERE id = $1
    UNION ALL SELECT details->>'phoneNumber' FROM customers WHERE id = $1
    UNION ALL SELECT contact FROM contact_codes WHERE customer_id = $1
    UNION ALL SELECT contact FROM credentials WHERE account_id IN ${OWN_ACCOUNTS}
    UNION ALL SELECT recipient FROM messages WHERE customer_id = $1) AS known (contact)
  WHERE contact IS NOT NULL)) LIMIT $3))`

const DAYS_OF_USE_MS = 2 * 24 * 3_600_000

export async function eraseMessageCounts(db: Database, customer: string, now: Date): Promise<number> {
  const before = new Date(now.getTime() - DAYS_OF_USE_MS)
  return (await db.query(COUNTS, [customer, before, ROWS_MAX])).affected
}

/** A generated UMA address reveals nothing, and is never assigned to another customer. */
const UMA_ADDRESS = String.raw`CASE WHEN uma_address ~ '^\$[0-9a-f]{16}@' THEN uma_address
  ELSE '$erased-' || replace(id::text, '-', '') || '@erased.invalid' END`

const CUSTOMER = {
  sql: buildEraseStatement('customers', {
    rows: 'id = $1',
    set: {
      platform_customer_id: 'id::text',
      region: 'NULL',
      email: 'NULL',
      uma_address: UMA_ADDRESS,
      details: "'{}'",
    },
  }),
}

/** Erases the customer's own row. Must come last, because it leads to the customer's other records. */
export async function eraseCustomer(db: Database, customer: string): Promise<number> {
  return eraseRows(db, CUSTOMER, customer)
}
