/**
 * What each column says of people, as data: `columns-of-….ts`. Each column is named once, but for those of ids, times, and yes or no.
 * A test holds this against the columns of the database, so a new one has to be decided about.
 */
export interface TableColumns {
  /** Columns that say nothing of a customer who was erased: states, amounts, words of ours, keys. */
  readonly plain: string
  /** Personal columns that stay, and why. */
  readonly kept?: Readonly<Record<string, string>>
  /** What else becomes of personal columns. */
  readonly erased?: readonly ErasedRows[]
  /** Columns that are erased by a way of their own: its name in `steps.ts`. */
  readonly apart?: Readonly<Record<string, string>>
}

/** Some rows of a table, and what becomes of their personal columns. */
export interface ErasedRows {
  /** What `rows` is given as `$1`: the customer, or ids of records of some of its payments. */
  readonly by: 'customer' | 'payments'
  /** The rows, as a condition. */
  readonly rows: string
  /** By column, what it becomes, as SQL. It gives the same where it is applied again. Absent: the rows are removed. */
  readonly set?: Readonly<Record<string, string>>
  /** It goes when the erasure is asked for: nobody is obliged to keep it. */
  readonly isEarly?: true
}

export const ERASED = `'erased'`
/** An UMA address that nobody has. */
export const ERASED_UMA_ADDRESS = '$erased@erased.invalid'
/** What is written in place of JSON that nobody reads by its members. */
export const ERASED_RECORD = '{"isErased": true}'
/** No sealed value: it says that it is under a data key that there will never be, so that nobody tries to open it. */
export const ERASED_SEAL = `'\\xffffffff'::bytea`

/** The accounts of the customer `$1`. */
export const OWN_ACCOUNTS = '(SELECT id FROM internal_accounts WHERE customer_id = $1)'

/** A word where there is a text, and null where there is none. */
export function wordFor(column: string): string {
  return `CASE WHEN ${column} IS NOT NULL THEN ${ERASED} END`
}

/** The same for an identifier of a payer or payee, which is shown as an UMA address where it is one. */
export function identifierFor(column: string): string {
  return `CASE WHEN ${column} LIKE '$%' THEN '${ERASED_UMA_ADDRESS}' WHEN ${column} IS NOT NULL THEN ${ERASED} END`
}
