/**
 * Columns whose names end in `_id` but that hold other strings: names from other systems, and deciders of
 * several kinds.
 */
const TEXTS: ReadonlySet<string> = new Set([
  'client_id',
  'correlation_id',
  'decider_id',
  'platform_account_id',
  'platform_card_id',
  'platform_customer_id',
  'provider_account_id',
  'webauthn_id',
])

/** Columns that hold ids but have a different kind of name. */
const OTHER_NAMES: ReadonlySet<string> = new Set([
  'digest_records',
  'event_ids',
  'funding_sources',
  'owner',
  'transfer_ids',
])

const isIdByColumn = new Map<string, boolean>()

/**
 * True if columns of this name hold ids, which are `uuid` or `uuid[]` in the database. A test compares this
 * with the database.
 */
export function isIdColumn(column: string): boolean {
  let isId = isIdByColumn.get(column)
  if (isId === undefined) {
    isId = column === 'id' || OTHER_NAMES.has(column) || (column.endsWith('_id') && !TEXTS.has(column))
    isIdByColumn.set(column, isId)
  }
  return isId
}
