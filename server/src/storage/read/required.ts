/** Returns the value of a nullable column that is always set in this row. Throws if it is null. */
export function requireColumn<Row extends { readonly id: string }, Column extends keyof Row & string>(
  row: Row,
  column: Column,
): NonNullable<Row[Column]> {
  const value = row[column]
  if (value === null || value === undefined) throw new Error(`${row.id} has no ${column}`)
  return value
}
