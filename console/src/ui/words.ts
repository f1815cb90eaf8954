/** Formats a field name for people: `platformCustomerId` becomes `Platform customer id`. */
export function formatFieldName(name: string): string {
  const words = name
    .replaceAll('_', ' ')
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Formats a value as indented JSON. Integers that a double cannot represent become strings. */
export function formatJson(value: unknown): string {
  return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? toExactNumber(item) : item), 2) ?? ''
}

/** Converts an integer to a number if that is exact, otherwise to a string of digits. */
function toExactNumber(integer: bigint): number | string {
  const number = Number(integer)
  return Number.isSafeInteger(number) ? number : integer.toString()
}
