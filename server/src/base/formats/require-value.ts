/** Asserts that a value exists. Throws an error that names it if it is missing. */
export function requireValue<T>(value: T, what: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`there is no ${what}`)
  return value
}
