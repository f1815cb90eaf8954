/** A nullable column that is never null in rows of this kind. Throws if it is. */
export function requireColumn<Row extends { readonly id: string }, Column extends keyof Row & string>(
  row: Row,
  column: Column,
): NonNullable<Row[Column]> {
  const value = row[column]
  if (value === null || value === undefined) throw new Error(`${row.id} has no ${column}`)
  return value
}
