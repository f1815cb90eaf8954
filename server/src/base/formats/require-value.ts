/** Returns a value that must exist. Throws an error with its description if it is missing. */
export function requireValue<T>(value: T, description: string): NonNullable<T> {
  if (value === null || value === undefined) throw new Error(`Missing ${description}`)
  return value
}
