/**
 * The personal data in each column, as data for the files `columns-of-….ts`. Every column is listed once,
 * except ids, times and booleans. A test compares the lists with the database, so each new column requires a
 * decision.
 */
export interface TableColumns {
  /** Columns that reveal nothing about an erased customer: states, amounts, our own text, keys. */
  readonly plain: string
  /** Personal columns that are kept, with the reason. */
  readonly kept?: Readonly<Record<string, string>>
  /** Personal columns to erase or replace. */
  readonly erased?: readonly ErasedRows[]
  /** Columns erased in a separate step, with its name in `steps.ts`. */
  readonly apart?: Readonly<Record<string, string>>
}

/** Selects rows of a table, and gives new values for their personal columns. */
export interface ErasedRows {
  /** The meaning of `$1` in `rows`: the customer, or ids of records of some of its payments. */
  readonly by: 'customer' | 'payments'
  /** The SQL condition that selects the rows. */
  readonly rows: string
  /** New values by column, as SQL that may be applied repeatedly. If absent, the rows are deleted. */
  readonly set?: Readonly<Record<string, string>>
  /** True if the rows are erased as soon as an erasure is requested, because no law requires keeping them. */
  readonly isEarly?: true
}

export const ERASED = `'erased'`
/** A UMA address that nobody can have. */
export const ERASED_UMA_ADDRESS = '$erased@erased.invalid'
/** Replaces JSON whose properties are never read again. */
export const ERASED_RECORD = '{"isErased": true}'
/** Not a valid sealed value: it names a data key that will never exist, so nothing tries to open it. */
export const ERASED_SEAL = `'\\xffffffff'::bytea`

/** The platform's deposits that verify accounts of the customer `$1`. */
export const OWN_DEPOSITS = `(
  SELECT first_transaction_id FROM account_verifications WHERE customer_id = $1
  UNION ALL SELECT second_transaction_id FROM account_verifications WHERE customer_id = $1)`

/** The accounts of the customer `$1`. */
export const OWN_ACCOUNTS = '(SELECT id FROM internal_accounts WHERE customer_id = $1)'

/** Replaces a string with a fixed word. Null remains null. */
export function replaceWithWord(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN ${ERASED} END`
}

/** Replaces the identifier of a payer or payee. A UMA address is replaced with another UMA address. */
export function replaceIdentifier(column: string): string {
  return `CASE WHEN ${column} LIKE '$%' THEN '${ERASED_UMA_ADDRESS}' WHEN ${column} IS NOT NULL THEN ${ERASED} END`
}
