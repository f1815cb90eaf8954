import { InternalAccount } from '@countersign/contract/accounts/internal-accounts'
import { findEventDataSchema } from '@countersign/contract/events/webhooks'
import { extractUuid } from '../engine/ids.ts'
import type { Database } from '../engine/port.ts'
import { LONG, ROWS_MAX } from './erase-rows.ts'
import { ERASED_MARK, redactPaymentSide, redactRecord, type Side, withoutAddress } from './redacted.ts'
import { OWN_ACCOUNTS } from './table-columns.ts'

/** The customer's (`$1`) objects whose events are erased, except payments. */
export const OWN_RECORDS = `(
  SELECT $1::uuid
  UNION ALL SELECT id FROM internal_accounts WHERE customer_id = $1
  UNION ALL SELECT id FROM verifications WHERE customer_id = $1
  UNION ALL SELECT id FROM beneficial_owners WHERE customer_id = $1
  UNION ALL SELECT id FROM credentials WHERE account_id IN ${OWN_ACCOUNTS}
  UNION ALL SELECT id FROM cards WHERE cardholder_id = $1
  UNION ALL SELECT t.id FROM card_transactions AS t JOIN cards AS c ON c.id = t.card_id WHERE c.cardholder_id = $1
  UNION ALL SELECT id FROM payment_schedules WHERE customer_id = $1
  UNION ALL SELECT id FROM funds_holds WHERE customer_id = $1
  UNION ALL SELECT id FROM agents WHERE customer_id = $1
  UNION ALL SELECT x.id FROM agent_actions AS x JOIN agents AS a ON a.id = x.agent_id WHERE a.customer_id = $1
  UNION ALL SELECT id FROM account_changes WHERE customer_id = $1
  UNION ALL SELECT id FROM account_verifications WHERE customer_id = $1
  UNION ALL SELECT id FROM invitations WHERE customer_id = $1)`

/** Invitations by other customers of the platform that the customer `$1` has claimed. */
const CLAIMED = `(
  SELECT id FROM invitations WHERE customer_id <> $1
    AND (platform_id, invitee_uma) = (SELECT platform_id, uma_address FROM customers WHERE id = $1))`

interface StoredEvent {
  readonly id: string
  readonly type: string
  readonly data: string
}

/**
 * Erases a batch of events that are about the customer's records or mention the customer. Payment events are
 * handled elsewhere. Returns the number of events found.
 */
export async function eraseEvents(db: Database, customer: string, umaAddress: string): Promise<number> {
  const named = `object_id IN ${CLAIMED} AND position($4 in data) > 0`
  return (
    (await eraseSome(db, `object_id IN ${OWN_RECORDS}`, customer, redactEvent)) +
    (await eraseSome(db, named, customer, ({ data }) => withoutAddress(data, umaAddress), umaAddress)) +
    (await eraseAttempts(db, `object_id IN ${OWN_RECORDS}`, customer))
  )
}

function redactEvent({ type, data }: StoredEvent): string {
  return redactRecord(data, findEventDataSchema(type))
}

const OF_OBJECTS = 'object_id = ANY ($1::uuid[])'

/** Erases all events about these records, which are payments of the customer. */
export async function eraseRecordEvents(db: Database, objects: readonly string[]): Promise<number> {
  for (let total = 0; ; ) {
    const eventCount =
      (await eraseSome(db, OF_OBJECTS, objects, redactEvent)) + (await eraseAttempts(db, OF_OBJECTS, objects))
    total += eventCount
    if (eventCount < ROWS_MAX) return total
  }
}

/** Erases all events about other customers' payments that name the customer as payer or payee. */
export async function eraseOtherCustomersEvents(
  db: Database,
  objects: readonly string[],
  side: Side,
): Promise<number> {
  const { rows: events } = await db.query<StoredEvent>(
    `SELECT id, type, data FROM events WHERE ${OF_OBJECTS} AND data IS NOT NULL AND NOT starts_with(data, $2)`,
    [objects, ERASED_MARK],
  )
  const redacted = events.map(({ id, data }) => ({ id, before: data, data: redactPaymentSide(data, side) }))
  const changed = redacted.filter(({ before, data }) => before !== data)
  await rewrite(db, changed)
  return changed.length + (await eraseAttempts(db, OF_OBJECTS, objects))
}

async function rewrite(db: Database, events: readonly Pick<StoredEvent, 'id' | 'data'>[]): Promise<void> {
  if (events.length === 0) return
  await db.query(
    'UPDATE events AS e SET data = n.data FROM unnest($1::uuid[], $2::text[]) AS n (id, data) WHERE e.id = n.id',
    [events.map(({ id }) => extractUuid(id)), events.map(({ data }) => data)],
  )
}

async function eraseSome(
  db: Database,
  rows: string,
  of: string | readonly string[],
  redact: (event: StoredEvent) => string,
  ...parameters: readonly string[]
): Promise<number> {
  const found = await db.query<StoredEvent>(
    `SELECT id, type, data FROM events WHERE ${rows} AND data IS NOT NULL AND NOT starts_with(data, $2) LIMIT $3`,
    [of, ERASED_MARK, ROWS_MAX, ...parameters],
    LONG,
  )
  await rewrite(
    db,
    found.rows.map((event) => ({ id: event.id, data: redact(event) })),
  )
  return found.rows.length
}

/** The responses of endpoints may repeat the events sent to them. */
async function eraseAttempts(db: Database, rows: string, of: string | readonly string[]): Promise<number> {
  const { affected } = await db.query(
    `UPDATE webhook_attempts SET answer = NULL WHERE (event_id, attempt) IN (
       SELECT a.event_id, a.attempt FROM webhook_attempts AS a JOIN events AS e ON e.id = a.event_id
       WHERE e.${rows} AND a.answer IS NOT NULL LIMIT $2)`,
    [of, ROWS_MAX],
    LONG,
  )
  return affected
}

/**
 * Each account shown in events is stored once. Its digest still belongs to the original text, but nothing
 * compares them.
 */
export async function eraseEventRecords(db: Database, customer: string): Promise<number> {
  const { rows } = await db.query<{ digest: Uint8Array; text: string }>(
    `SELECT digest, text FROM event_records
     WHERE digest IN (SELECT record FROM events WHERE object_id IN ${OWN_ACCOUNTS} AND record IS NOT NULL)
       AND NOT starts_with(text, $2) LIMIT $3`,
    [customer, ERASED_MARK, ROWS_MAX],
  )
  if (rows.length > 0)
    await db.query(
      `UPDATE event_records AS r SET text = n.text FROM unnest($1::text[], $2::text[]) AS n (digest, text)
       WHERE r.digest = decode(n.digest, 'hex')`,
      [
        rows.map(({ digest }) => Buffer.from(digest).toString('hex')),
        rows.map(({ text }) => redactRecord(text, InternalAccount)),
      ],
    )
  return rows.length
}
