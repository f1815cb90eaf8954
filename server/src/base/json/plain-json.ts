/** Converts amounts to strings of digits, as JSON in the database and in events requires. */
export function toPlainJson(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return value.map(toPlainJson)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, property]) => [name, toPlainJson(property)]))
}
