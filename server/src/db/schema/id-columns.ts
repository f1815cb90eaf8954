/** Columns that end in `_id` and hold a text: names of others, and what several kinds of decider are known by. */
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

/** Columns that hold ids under another name. */
const OTHER_NAMES: ReadonlySet<string> = new Set(['funding_sources', 'owner'])

/** Tables whose `id` is a text: the code of an invitation, the digest of an identity token. */
const TABLES_OF_TEXTS: ReadonlySet<string> = new Set(['invitations', 'used_id_tokens'])

const isIdName = new Map<string, boolean>()

/**
 * Whether a column holds ids: `uuid`, or `uuid[]`, in the database. Without its table, a column `id` does. A test holds this
 * against the columns of the database.
 */
export function isIdColumn(column: string, table?: string): boolean {
  if (column === 'id') return table === undefined || !TABLES_OF_TEXTS.has(table)
  let isId = isIdName.get(column)
  if (isId === undefined) {
    isId = OTHER_NAMES.has(column) || (column.endsWith('_id') && !TEXTS.has(column))
    isIdName.set(column, isId)
  }
  return isId
}
