/**
 * Personal data in each column, as data for `columns-of-….ts`. Each column is named once, except columns of
 * ids, times and booleans. A test compares this with the database, so every new column needs a decision.
 */
export interface TableColumns {
  /** Columns that reveal nothing about an erased customer: states, amounts, our own words, keys. */
  readonly plain: string
  /** Kept personal columns, with the reason. */
  readonly kept?: Readonly<Record<string, string>>
  /** Other treatment of personal columns. */
  readonly erased?: readonly ErasedRows[]
  /** Columns with a separate erasure step, by its name in `steps.ts`. */
  readonly apart?: Readonly<Record<string, string>>
}

/** Rows of a table, and the new values of their personal columns. */
export interface ErasedRows {
  /** Meaning of `$1` in `rows`: the customer, or record ids of some of its payments. */
  readonly by: 'customer' | 'payments'
  /** SQL condition that selects the rows. */
  readonly rows: string
  /** New values by column, in SQL that can be applied repeatedly. If absent, the rows are removed. */
  readonly set?: Readonly<Record<string, string>>
  /** Erased as soon as the erasure is requested, because no law requires keeping it. */
  readonly isEarly?: true
}

export const ERASED = `'erased'`
/** An UMA address that nobody has. */
export const ERASED_UMA_ADDRESS = '$erased@erased.invalid'
/** Replaces JSON whose properties are never read. */
export const ERASED_RECORD = '{"isErased": true}'
/** Not a sealed value: it names a data key that will never exist, so nobody tries to open it. */
export const ERASED_SEAL = `'\\xffffffff'::bytea`

/** The accounts of the customer `$1`. */
export const OWN_ACCOUNTS = '(SELECT id FROM internal_accounts WHERE customer_id = $1)'

/** Replaces a string with a fixed word, and keeps null. */
export function wordFor(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN ${ERASED} END`
}

/** Replaces an identifier of a payer or payee, which is shown as an UMA address if it is one. */
export function identifierFor(column: string): string {
  return `CASE WHEN ${column} LIKE '$%' THEN '${ERASED_UMA_ADDRESS}' WHEN ${column} IS NOT NULL THEN ${ERASED} END`
}
