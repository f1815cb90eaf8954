/** A column that may be null and never is in rows of this kind. One that is null all the same is a fault. */
export function required<Row extends { readonly id: string }, Column extends keyof Row & string>(
  row: Row,
  column: Column,
): NonNullable<Row[Column]> {
  const value = row[column]
  if (value === null || value === undefined) throw new Error(`${row.id} has no ${column}`)
  return value
}
